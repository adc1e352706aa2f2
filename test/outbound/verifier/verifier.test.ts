import { createHmac, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../infra/harness/port.ts';
import { VERIFIER_PRESET } from '../../../src/domain/wire-names.ts';
import {
  createVerifier,
  describeVerifier,
  serviceProblem,
  type VerifierSettings,
  verifierProblem,
} from '../../../src/outbound/verifier/create-verifier.ts';
import { clock, judge, NOW, OFF, openService, PLAYER, proof, SECRET } from './support.ts';

const service = openService();

describe('without a verifier', () => {
  it('nobody is verified', async () => expect(await judge({}, 'anything')).toBe('unavailable'));
});

describe('the verifier hmac', () => {
  const tokenOf = (player: string, expires: number, secret = SECRET) =>
    `${expires}.${createHmac('sha256', secret).update(`${player}:${expires}`).digest('hex')}`;
  const hmac = { kind: 'hmac', secret: SECRET } as const;

  it.each([
    ['a good token', tokenOf(PLAYER, NOW + 1), 'ok'],
    ['a good token in capitals', tokenOf(PLAYER, NOW + 1).toUpperCase(), 'ok'],
    ['an expired one', tokenOf(PLAYER, NOW), 'rejected'],
    ["another player's", tokenOf('76561190000000043', NOW + 1), 'rejected'],
    ["another studio's", tokenOf(PLAYER, NOW + 1, 'another secret of theirs'), 'rejected'],
    ['a longer life than was signed', tokenOf(PLAYER, NOW + 1).replace(/^\d+/, String(NOW + 100)), 'rejected'],
    ['nonsense', 'x', 'rejected'],
    ['nothing', '', 'missing'],
    ['no token', null, 'missing'],
  ])('takes %s for what it is', async (_, token, kind) => expect(await judge(hmac, token)).toBe(kind));
});

describe('the verifier http', () => {
  const http = () => ({ kind: 'http', url: service.url }) as const;

  it('sends the configured names and compares the id by its digits', async () => {
    service.says(200, `{"platformId":${PLAYER}}`);
    expect(await judge(http(), 'tok"+')).toBe('ok');
    expect(service.asked).toMatchObject([{ body: JSON.stringify({ platformId: PLAYER, token: 'tok"+' }) }]);
    service.says(200, '{"platformId":76561190000000043}');
    expect(await judge(http(), 'tok')).toBe('mismatch');
    service.says(200, '{}');
    expect(await judge(http(), 'tok')).toBe('mismatch');
    service.says(200, '{"data":{"user":"76561190000000042","state":"fine"}}');
    const words = { ...http(), idMember: 'user', tokenMember: 'ticket', success: 'data.state=fine', idPath: 'data.user' };
    expect(await judge(words, 'tok')).toBe('ok');
    expect(service.asked.at(-1)?.body).toBe(`{"user":"${PLAYER}","ticket":"tok"}`);
    expect(await judge({ ...words, success: 'data.state=good' }, 'tok')).toBe('rejected');
    for (const body of ['{}', 'ok']) {
      service.says(200, body);
      expect(await judge({ ...http(), idPath: 'none' }, 'tok')).toBe('ok');
    }
  });

  it('speaks to the published platform with one setting', async () => {
    const { success, idPath, idMember, tokenMember, url } = VERIFIER_PRESET;
    const published = { kind: 'http', preset: 'published', url: service.url } as const;
    service.says(200, `{"${idPath}":${PLAYER},"${success.path}":"${success.value}"}`);
    expect(await judge(published, 'tok')).toBe('ok');
    expect(JSON.parse(service.asked[0]?.body ?? '')).toEqual({ [idMember]: PLAYER, [tokenMember]: 'tok' });
    service.says(200, `{"${idPath}":${PLAYER},"${success.path}":"no"}`);
    expect(await judge(published, 'tok')).toBe('rejected');
    expect(describeVerifier({ ...OFF, kind: 'http', preset: 'published' })).toContain(new URL(url).host);
  });

  it.each([
    [401, '{}', 'rejected'],
    [403, '', 'rejected'],
    [404, 'x', 'rejected'],
    [429, '{}', 'unavailable'],
    [500, '{}', 'unavailable'],
    [503, '<html>', 'unavailable'],
    // Such as the page of a proxy: it says nothing of the token.
    [200, '<html>', 'unavailable'],
    [200, '', 'unavailable'],
    [200, 'null', 'mismatch'],
    [200, `[${'['.repeat(200)}`, 'unavailable'],
    [200, `{"platformId":"${'9'.repeat(400_000)}"}`, 'unavailable'],
  ])('passes nobody for status %s and what follows', async (status, body, kind) => {
    service.says(status, body);
    expect(await judge(http(), 'tok')).toBe(kind);
  });

  it('follows no redirect, which would send the token elsewhere', async () => {
    service.answer = (_, response) => response.writeHead(307, { Location: service.url }).end();
    expect(await judge(http(), 'tok')).toBe('unavailable');
    expect(service.asked).toHaveLength(1);
  });

  it('gives up on a service that does not answer', async () => {
    service.answer = () => undefined;
    expect(await judge({ ...http(), timeoutMs: 100 }, 'tok')).toBe('timeout');
    service.answer = (_, response) => void response.writeHead(200).write('{"platformId":');
    expect(await judge({ ...http(), timeoutMs: 100 }, 'tok')).toBe('timeout');
    expect(await judge({ kind: 'http', url: 'http://127.0.0.1:1/' }, 'tok')).toBe('unavailable');
  });
});

describe('whatever comes as a token', () => {
  it.each([
    ['hmac', { kind: 'hmac', secret: SECRET } as const],
    ['jwt', { kind: 'jwt', secret: SECRET } as const],
  ])('%s passes nobody and never throws', async (_, settings) => {
    const verifier = createVerifier({ ...OFF, ...settings }, clock.scheduler);
    const token = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.base64String(), { maxLength: 4 }).map((parts) => parts.join('.')),
      fc.json(),
    );
    await fc.assert(
      fc.asyncProperty(token, async (text) => {
        expect((await verifier.verify(proof(text))).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the service of a verifier', () => {
  const jwt = () => ({ ...OFF, kind: 'jwt', jwksUrl: service.url }) as const;
  const http = () => ({ ...OFF, kind: 'http', url: service.url }) as const;
  const problemOf = (settings: VerifierSettings) => serviceProblem(settings, clock.scheduler);

  it('is asked about nobody, and nothing is wrong if it refuses', async () => {
    service.says(401, '{}');
    expect(await problemOf(http())).toBeNull();
    expect(service.asked).toMatchObject([{ body: expect.stringContaining('"platformId":"0"') }]);
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    service.says(200, JSON.stringify({ keys: [{ ...key.export({ format: 'jwk' }), kid: 'k' }] }));
    expect(await problemOf(jwt())).toBeNull();
    expect(await problemOf({ ...OFF, kind: 'hmac', secret: SECRET })).toBeNull();
    expect(await problemOf(OFF)).toBeNull();
  });

  it.each([
    [500, '{}', 'it answered 500 to a request for its keys'],
    [404, '{}', 'it answered 404 to a request for its keys'],
    [200, '<html>', 'it answered no key set (RFC 7517)'],
  ])('has no keys if it answers %s and %s', async (status, body, problem) => {
    service.says(status, body);
    expect(await problemOf(jwt())).toBe(problem);
  });

  it('is told of without the password and the query of its address', async () => {
    const secret = 'https://user:hunter2@login.example/verify?token=abc123';
    for (const settings of [
      { ...http(), url: secret },
      { ...jwt(), jwksUrl: secret },
    ]) {
      const told = `${await problemOf(settings)} ${describeVerifier(settings)}`;
      expect(told).toContain('login.example');
      expect(told).not.toMatch(/hunter2|abc123/);
    }
  });

  it('is away, is silent, or takes anybody', async () => {
    const port = await freePort();
    expect(await problemOf({ ...jwt(), jwksUrl: `http://127.0.0.1:${port}/` })).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
    service.answer = () => undefined;
    expect(await problemOf({ ...http(), timeoutMs: 100 })).toBe('it did not answer in time');
    service.says(503, '{}');
    expect(await problemOf(http())).toBe('it answered 503');
    service.says(404, '{}');
    expect(await problemOf(http())).toBe('it answered 404: is the path right?');
    service.says(200, '<html>');
    expect(await problemOf(http())).toBe('it answered 200 with no JSON, or with too much');
    service.says(200, '{}');
    expect(await problemOf({ ...http(), idPath: 'none' })).toBe('it takes a proof that nobody has');
  });
});

describe('a choice that cannot work', () => {
  it.each([
    [{ kind: 'http' }, 'VERIFIER_URL'],
    [{ kind: 'hmac' }, 'VERIFIER_SECRET'],
    [{ kind: 'jwt' }, 'VERIFIER_JWKS_URL'],
    [{ kind: 'jwt', secret: SECRET, jwksUrl: 'https://x/' }, 'one of them'],
  ] as const)('%j is told of', (settings, word) => expect(verifierProblem({ ...OFF, ...settings })).toContain(word));

  it('no settings are no problem', () => expect(verifierProblem(OFF)).toBe(null));
});
