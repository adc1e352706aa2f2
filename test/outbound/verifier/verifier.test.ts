import { createHmac, createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../infra/harness/port.ts';
import type { Proof, Verdict } from '../../../src/app/ports/player-verifier.ts';
import { VERIFIER_PRESET } from '../../../src/domain/wire-names.ts';
import { realScheduler, type Scheduler } from '../../../src/kernel/scheduler.ts';
import { type Check, failed, VERIFIED } from '../../../src/outbound/verifier/check.ts';
import {
  createVerifier,
  describeVerifier,
  serviceFault,
  serviceProblem,
  type VerifierSettings,
  verifierProblem,
} from '../../../src/outbound/verifier/create-verifier.ts';
import { GuardedVerifier } from '../../../src/outbound/verifier/guarded.ts';

const PLAYER = '76561190000000042';
const NOW = 1_760_000_000;
const SECRET = 'a secret of sixteen or more';

const OFF: VerifierSettings = {
  kind: 'none',
  preset: 'custom',
  url: null,
  idMember: null,
  tokenMember: null,
  success: null,
  idPath: null,
  secret: null,
  jwksUrl: null,
  issuer: null,
  audience: null,
  claim: 'sub',
  timeoutMs: 5_000,
  cacheSeconds: 60,
};

/** A clock that the test sets. */
class Stopped implements Pick<Scheduler, 'now' | 'monotonic'> {
  at = NOW * 1000;
  readonly now = () => this.at;
  readonly monotonic = () => this.at;
  readonly scheduler: Scheduler = { ...realScheduler, now: this.now, monotonic: this.monotonic };
}

const clock = new Stopped();
afterEach(() => {
  clock.at = NOW * 1000;
});

function proof(token: string | null, more: Partial<Proof> = {}): Proof {
  return { projectId: 'p', platformId: PLAYER, token, address: null, ...more };
}

function kindOf(verdict: Verdict): string {
  return verdict.ok ? 'ok' : verdict.kind;
}

async function judge(settings: Partial<VerifierSettings>, token: string | null, more: Partial<Proof> = {}): Promise<string> {
  return kindOf(await createVerifier({ ...OFF, ...settings }, clock.scheduler).verify(proof(token, more)));
}

/** A service that belongs to the tests, on a free port. */
class Service {
  asked: { readonly headers: object; readonly body: string }[] = [];
  answer: RequestListener = (_, response) => response.end('{}');
  #server: Server | null = null;

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.asked.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        this.answer(request, response);
      });
    });
    // Longer than the pause between two tests that use it. Otherwise a connection might be closed just as it is used again.
    server.keepAliveTimeout = 120_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
  }

  get url(): string {
    const address = this.#server?.address();
    if (!address || typeof address === 'string') throw new Error('not open');
    return `http://127.0.0.1:${address.port}/verify`;
  }

  says(status: number, body: string): void {
    this.answer = (_, response) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

const service = new Service();
beforeAll(() => service.open());
afterAll(() => service.close());
afterEach(() => {
  service.asked = [];
});

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

describe('the verifier jwt', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: PLAYER, exp: NOW + 60, iss: 'https://login.example', aud: ['game', 'shop'] };

  function signed(algorithm: string, key: KeyObject | string, payload: unknown = claims, header: object = {}): string {
    const text = `${part({ alg: algorithm, typ: 'JWT', ...header })}.${part(payload)}`;
    if (typeof key === 'string') return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    if (algorithm === 'RS256') return `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }

  const shared = { kind: 'jwt', secret: SECRET } as const;
  const keySet = () => ({ kind: 'jwt', jwksUrl: service.url }) as const;
  const serveKeys = (...keys: object[]) => service.says(200, JSON.stringify({ keys }));
  const jwk = (key: KeyObject, more: object = {}) => ({ ...key.export({ format: 'jwk' }), ...more });

  it.each([
    ['a good token', signed('HS256', SECRET), 'ok'],
    ['another secret', signed('HS256', 'another secret of theirs'), 'rejected'],
    ['no algorithm', `${part({ alg: 'none' })}.${part(claims)}.x`, 'rejected'],
    ['no signature', `${part({ alg: 'none' })}.${part(claims)}.`, 'rejected'],
    ['another algorithm', signed('HS512', SECRET), 'rejected'],
    ['an extension that counts', signed('HS256', SECRET, claims, { crit: ['exp'] }), 'rejected'],
    ['another player', signed('HS256', SECRET, { ...claims, sub: '76561190000000043' }), 'mismatch'],
    ['nobody', signed('HS256', SECRET, { exp: NOW + 60 }), 'mismatch'],
    ['no expiry', signed('HS256', SECRET, { sub: PLAYER }), 'rejected'],
    ['an expiry long ago', signed('HS256', SECRET, { ...claims, exp: NOW - 31 }), 'rejected'],
    ['an expiry within the leeway', signed('HS256', SECRET, { ...claims, exp: NOW - 29 }), 'ok'],
    ['a beginning later on', signed('HS256', SECRET, { ...claims, nbf: NOW + 31 }), 'rejected'],
    ['four parts', `${signed('HS256', SECRET)}.x`, 'rejected'],
    ['parts that are no JSON', 'YQ.YQ.YQ', 'rejected'],
    ['claims that are no object', signed('HS256', SECRET, [1]), 'rejected'],
  ])('with a shared secret takes %s for what it is', async (_, token, kind) => expect(await judge(shared, token)).toBe(kind));

  it('reads an id that is a number by its digits', async () => {
    const text = `${part({ alg: 'HS256' })}.${Buffer.from(`{"exp":${NOW + 60},"id":${PLAYER}}`).toString('base64url')}`;
    const token = `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
    expect(await judge({ ...shared, claim: 'id' }, token)).toBe('ok');
    expect(await judge({ ...shared, claim: 'id' }, token, { platformId: '76561190000000040' })).toBe('mismatch');
  });

  it('compares issuer and audience if they are set', async () => {
    const token = signed('HS256', SECRET);
    expect(await judge({ ...shared, issuer: 'https://login.example', audience: 'shop' }, token)).toBe('ok');
    expect(await judge({ ...shared, issuer: 'https://login' }, token)).toBe('rejected');
    expect(await judge({ ...shared, audience: 'sho' }, token)).toBe('rejected');
  });

  it('with a key set accepts tokens signed by its keys, and no others', async () => {
    serveKeys(
      jwk(rsa.publicKey, { kid: 'r', use: 'sig' }),
      jwk(ec.publicKey, { kid: 'e', alg: 'ES256' }),
      jwk(weak.publicKey, { kid: 'w' }),
    );
    expect(await judge(keySet(), signed('RS256', rsa.privateKey, claims, { kid: 'r' }))).toBe('ok');
    expect(await judge(keySet(), signed('RS256', rsa.privateKey))).toBe('ok');
    expect(await judge(keySet(), signed('ES256', ec.privateKey, claims, { kid: 'e' }))).toBe('ok');
    expect(await judge(keySet(), signed('RS256', rsa.privateKey, claims, { kid: 'e' }))).toBe('rejected');
    expect(await judge(keySet(), signed('RS256', weak.privateKey, claims, { kid: 'w' }))).toBe('rejected');
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(await judge(keySet(), signed('ES256', other.privateKey, claims, { kid: 'e' }))).toBe('rejected');
  });

  it('tries all keys that fit a token if the issuer names none', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    serveKeys(jwk(other.publicKey), jwk(rsa.publicKey), { kty: 'RSA', n: '', e: 'AQAB' }, { kty: 'EC', crv: 'P-256', x: 'x', y: 7 });
    expect(await judge(keySet(), signed('RS256', rsa.privateKey))).toBe('ok');
    expect(await judge(keySet(), signed('RS256', rsa.privateKey, claims, { kid: 'named' }))).toBe('ok');
    expect(await judge(keySet(), signed('RS256', weak.privateKey))).toBe('rejected');
    expect(await judge(keySet(), signed('ES256', ec.privateKey))).toBe('rejected');
  });

  it('fetches no keys for an algorithm that is not accepted', async () => {
    expect(await judge(keySet(), signed('HS256', SECRET))).toBe('rejected');
    expect(service.asked).toHaveLength(0);
  });

  it('never uses a public key as a secret', async () => {
    serveKeys(jwk(rsa.publicKey, { kid: 'r' }));
    const pem = String(rsa.publicKey.export({ type: 'spki', format: 'pem' }));
    expect(await judge(keySet(), signed('HS256', pem, claims, { kid: 'r' }))).toBe('rejected');
  });

  it('fetches a new key at a bounded rate, and uses the known keys during an outage of the issuer', async () => {
    const verifier = createVerifier({ ...OFF, ...keySet() }, clock.scheduler);
    const judged = async (token: string) => kindOf(await verifier.verify(proof(token)));
    serveKeys(jwk(rsa.publicKey, { kid: 'r' }));
    expect(await judged(signed('RS256', rsa.privateKey, claims, { kid: 'r' }))).toBe('ok');
    serveKeys(jwk(rsa.publicKey, { kid: 'r' }), jwk(ec.publicKey, { kid: 'e' }));
    expect(await judged(signed('ES256', ec.privateKey, claims, { kid: 'e' }))).toBe('rejected');
    clock.at += 30_000;
    expect(await judged(signed('ES256', ec.privateKey, claims, { kid: 'e' }))).toBe('ok');
    expect(service.asked).toHaveLength(2);
    clock.at += 600_000;
    service.says(500, '');
    const later = { ...claims, exp: NOW + 3600 };
    expect(await judged(signed('RS256', rsa.privateKey, later, { kid: 'r' }))).toBe('ok');
  });

  it('that cannot fetch the keys does not blame the token', async () => {
    service.says(200, '{"keys":7}');
    expect(await judge(keySet(), signed('RS256', rsa.privateKey))).toBe('unavailable');
  });

  it('that could not fetch a new key blames no token until it may ask again', async () => {
    const verifier = createVerifier({ ...OFF, ...keySet() }, clock.scheduler);
    const judged = async (token: string) => kindOf(await verifier.verify(proof(token, { address: '192.0.2.1' })));
    const token = (seconds: number) => signed('ES256', ec.privateKey, { ...claims, exp: NOW + 60 + seconds }, { kid: 'e' });
    serveKeys(jwk(rsa.publicKey, { kid: 'r' }));
    expect(await judged(signed('RS256', rsa.privateKey, claims, { kid: 'r' }))).toBe('ok');
    clock.at += 30_000;
    service.says(500, '');
    // As many as would lock an address out if they were taken for guesses.
    for (let n = 0; n < 12; n += 1) expect(await judged(token(n))).toBe('unavailable');
    expect(service.asked).toHaveLength(2);
    serveKeys(jwk(rsa.publicKey, { kid: 'r' }), jwk(ec.publicKey, { kid: 'e' }));
    clock.at += 30_000;
    expect(await judged(token(0))).toBe('ok');
  });

  it('does not wait again for an issuer that did not answer, and takes its keys when it does', async () => {
    const verifier = createVerifier({ ...OFF, ...keySet(), timeoutMs: 60_000 }, clock.scheduler);
    const judged = async (token: string) => kindOf(await verifier.verify(proof(token)));
    const later = { ...claims, exp: NOW + 3600 };
    serveKeys(jwk(rsa.publicKey, { kid: 'r' }));
    expect(await judged(signed('RS256', rsa.privateKey, later, { kid: 'r' }))).toBe('ok');
    clock.at += 600_000;
    service.says(500, '');
    expect(await judged(signed('RS256', rsa.privateKey, later, { kid: 'r' }))).toBe('ok');
    clock.at += 30_000;
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    let answer = (): void => undefined;
    service.answer = (_, response) => {
      answer = () => response.end(JSON.stringify({ keys: [jwk(ec.publicKey, { kid: 'e' })] }));
      isAsked();
    };
    for (let n = 0; n < 3; n += 1) expect(await judged(signed('RS256', rsa.privateKey, later, { kid: 'r' }))).toBe('ok');
    await asked;
    answer();
    expect(await judged(signed('ES256', ec.privateKey, later, { kid: 'e' }))).toBe('ok');
    expect(await judged(signed('RS256', rsa.privateKey, later, { kid: 'r' }))).toBe('rejected');
  });

  it('says of a token without a time of expiry that it has none, not that it has expired', async () => {
    const verifier = createVerifier({ ...OFF, ...shared }, clock.scheduler);
    for (const exp of [undefined, `${NOW + 60}`]) {
      const verdict = await verifier.verify(proof(signed('HS256', SECRET, { ...claims, exp })));
      expect(verdict).toMatchObject({ kind: 'rejected', message: expect.stringMatching(/no `exp`/) });
    }
    const expired = await verifier.verify(proof(signed('HS256', SECRET, { ...claims, exp: NOW - 60 })));
    expect(expired).toMatchObject({ kind: 'rejected', message: 'The token has expired' });
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

describe('any verifier', () => {
  const settings = { timeoutMs: 1_000, cacheMs: 60_000 };

  it('caches a success for a while, and a failure never', async () => {
    let asked = 0;
    let verdict: Verdict = VERIFIED;
    const check = async () => {
      asked += 1;
      return verdict;
    };
    const verifier = new GuardedVerifier(check, settings, clock.scheduler);
    await verifier.verify(proof('a'));
    verdict = failed('rejected', 'no');
    expect([kindOf(await verifier.verify(proof('a'))), asked]).toEqual(['ok', 1]);
    expect([kindOf(await verifier.verify(proof('a', { platformId: '7' }))), asked]).toEqual(['rejected', 2]);
    expect([kindOf(await verifier.verify(proof('b'))), kindOf(await verifier.verify(proof('b'))), asked]).toEqual([
      'rejected',
      'rejected',
      4,
    ]);
    clock.at += 60_000;
    expect([kindOf(await verifier.verify(proof('a'))), asked]).toEqual(['rejected', 5]);
  });

  it('sends one request for any number of callers with the same proof', async () => {
    let asked = 0;
    const check = async () => {
      asked += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return VERIFIED;
    };
    const verifier = new GuardedVerifier(check, { ...settings, cacheMs: 0 }, clock.scheduler);
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(proof('a'))));
    expect(asked).toBe(1);
  });

  it('sends no requests to a service that is down, and finds out when it is up again', async () => {
    let asked = 0;
    let isDown = true;
    const check: Check = async (_, service) =>
      service.ask(async () => {
        asked += 1;
        if (isDown) throw new Error('connect ECONNREFUSED');
        return VERIFIED;
      });
    const verifier = new GuardedVerifier(check, settings, clock.scheduler);
    for (let i = 0; i < 20; i += 1) expect(kindOf(await verifier.verify(proof(`t${i}`)))).toBe('unavailable');
    expect(asked).toBe(5);
    clock.at += 5_000;
    expect(kindOf(await verifier.verify(proof('x')))).toBe('unavailable');
    expect(asked).toBe(6);
    isDown = false;
    clock.at += 5_000;
    expect([kindOf(await verifier.verify(proof('y'))), kindOf(await verifier.verify(proof('z')))]).toEqual(['ok', 'ok']);
  });

  it('tells how proofs were judged, and when its service fails and answers', async () => {
    const told: string[] = [];
    const observer = {
      judged: (outcome: string) => told.push(outcome),
      serviceFailed: (error: unknown) => told.push(serviceFault(error)),
      serviceAnswered: () => told.push('answered'),
    };
    let fault: Error | null = null;
    const check: Check = async ({ token }, { ask }) =>
      ask(async () => {
        if (fault !== null) throw fault;
        return token === 'good' ? VERIFIED : failed('rejected', 'no');
      });
    const verifier = new GuardedVerifier(check, settings, clock.scheduler, { observer });
    for (const token of ['good', 'good', 'bad', null]) await verifier.verify(proof(token));
    fault = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
    await verifier.verify(proof('other'));
    expect(told).toEqual(['answered', 'verified', 'answered', 'rejected', 'missing', 'connect ECONNREFUSED 127.0.0.1:1', 'unavailable']);
  });

  it('blocks an address that keeps guessing in a project, whatever ids it claims, and nobody else', async () => {
    const verifier = new GuardedVerifier(async () => failed('rejected', 'no'), settings, clock.scheduler);
    const guess = async (n: number, more: Partial<Proof> = {}) =>
      kindOf(await verifier.verify(proof(`t${n}`, { platformId: `7${n}`, address: '10.0.0.1', ...more })));
    for (let i = 0; i < 10; i += 1) expect(await guess(i)).toBe('rejected');
    expect(await guess(10)).toBe('rate_limited');
    expect(await guess(10, { address: '10.0.0.2' })).toBe('rejected');
    expect(await guess(10, { projectId: 'q' })).toBe('rejected');
    expect(await guess(10, { address: null })).toBe('rejected');
    clock.at += 120_000;
    expect(await guess(11)).toBe('rejected');
  });

  it('counts invalid signatures, too', async () => {
    const verifier = new GuardedVerifier(async () => VERIFIED, settings, clock.scheduler);
    for (let i = 0; i < 10; i += 1) verifier.rejected({ projectId: 'p', address: '10.0.0.1' });
    expect(await verifier.verify(proof('a', { address: '10.0.0.1' }))).toMatchObject({ kind: 'rate_limited', retryAfter: 120 });
  });
});

describe('what one player, address or project sends', () => {
  const settings = { timeoutMs: 1_000, cacheMs: 60_000 };
  const from = (n: number) => ({ address: `10.0.${n >> 8}.${n & 255}` });
  /** A service that fails for some tokens and never answers for others. */
  const fragile: Check = async ({ token }, service) =>
    service.ask(() => {
      if (token.startsWith('breaks')) throw new Error('socket hang up');
      return token.startsWith('hangs') ? new Promise<Verdict>(() => undefined) : Promise.resolve(VERIFIED);
    });

  it('affects nobody else if the service fails because of it, and is not retried for ever', async () => {
    let asked = 0;
    const counting: Check = (of, service) =>
      fragile(of, {
        ask: (work) =>
          service.ask((signal) => {
            asked += 1;
            return work(signal);
          }),
      });
    const verifier = new GuardedVerifier(counting, settings, clock.scheduler);
    for (let n = 0; n < 100; n += 1) expect(kindOf(await verifier.verify(proof(`breaks ${n}`, from(1))))).toBe('unavailable');
    expect(asked).toBe(5);
    expect(kindOf(await verifier.verify(proof('good', from(2))))).toBe('ok');
    // After a while its own valid tokens are checked again.
    expect(kindOf(await verifier.verify(proof('good, too', from(1))))).toBe('unavailable');
    clock.at += 5_000;
    expect(kindOf(await verifier.verify(proof('good, too', from(1))))).toBe('ok');
  });

  it('affects nobody while others succeed, from however many addresses it comes', async () => {
    const verifier = new GuardedVerifier(fragile, settings, clock.scheduler);
    for (let n = 0; n < 20; n += 1) await verifier.verify(proof(`good ${n}`, from(100 + n)));
    for (let n = 0; n < 20; n += 1) await verifier.verify(proof(`breaks ${n}`, from(n)));
    expect(kindOf(await verifier.verify(proof('good', from(300))))).toBe('ok');
  });

  it('does not affect another project: a service that fails there is still used here', async () => {
    const verifier = new GuardedVerifier(fragile, settings, clock.scheduler);
    for (let n = 0; n < 20; n += 1) await verifier.verify(proof(`breaks ${n}`, from(n)));
    expect(kindOf(await verifier.verify(proof('good', from(300))))).toBe('unavailable');
    expect(kindOf(await verifier.verify(proof('good', { ...from(300), projectId: 'q' })))).toBe('ok');
  });

  it('does not open the breaker by tokens that are refused', async () => {
    const refusing: Check = async (_, service) => service.ask(async () => failed('rejected', 'no'));
    const verifier = new GuardedVerifier(refusing, settings, clock.scheduler);
    for (let n = 0; n < 100; n += 1) expect(kindOf(await verifier.verify(proof(`t${n}`, from(n))))).toBe('rejected');
  });

  it('leaves others their share of concurrent verifications', async () => {
    const verifier = new GuardedVerifier(fragile, settings, clock.scheduler);
    const hanging = (count: number, more: (n: number) => Partial<Proof>) => {
      for (let n = 0; n < count; n += 1) void verifier.verify(proof(`hangs ${JSON.stringify(more(n))} ${n}`, more(n)));
    };
    hanging(2_000, () => from(1));
    expect(kindOf(await verifier.verify(proof('x', from(1))))).toBe('unavailable');
    expect(kindOf(await verifier.verify(proof('x', from(2))))).toBe('ok');
    hanging(2_000, from);
    expect(kindOf(await verifier.verify(proof('y', from(3_000))))).toBe('unavailable');
    expect(kindOf(await verifier.verify(proof('y', { ...from(3_000), projectId: 'q' })))).toBe('ok');
  });

  it('does not block a token that was valid before, even if its address is blocked', async () => {
    const verifier = new GuardedVerifier(
      async ({ token }) => (token === 'good' ? VERIFIED : failed('rejected', 'no')),
      settings,
      clock.scheduler,
    );
    await verifier.verify(proof('good', from(1)));
    for (let n = 0; n < 20; n += 1) await verifier.verify(proof(`guess ${n}`, from(1)));
    expect(kindOf(await verifier.verify(proof('guess', from(1))))).toBe('rate_limited');
    expect(kindOf(await verifier.verify(proof('good', from(1))))).toBe('ok');
  });
});

describe('a valid token', () => {
  const hmacOf = (player: string, expires: number) =>
    `${expires}.${createHmac('sha256', SECRET).update(`${player}:${expires}`).digest('hex')}`;
  const local = (more: Partial<VerifierSettings> = {}) =>
    createVerifier({ ...OFF, kind: 'hmac', secret: SECRET, ...more }, clock.scheduler);

  it('is cached, and then accepted without a wait', () => {
    const verifier = local();
    const token = hmacOf(PLAYER, NOW + 3_600);
    expect([verifier.verify(proof(token)), verifier.verify(proof(token))]).toEqual([VERIFIED, VERIFIED]);
  });

  it('is cached for its player only, and no longer than it is valid', async () => {
    const verifier = local();
    const token = hmacOf(PLAYER, NOW + 10);
    expect(kindOf(await verifier.verify(proof(token)))).toBe('ok');
    expect(kindOf(await verifier.verify(proof(token, { platformId: '76561190000000043' })))).toBe('rejected');
    clock.at += 10_000;
    expect(kindOf(await verifier.verify(proof(token)))).toBe('rejected');
  });

  it('is cached no longer than its key set', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'ES256' })}.${part({ sub: PLAYER, exp: NOW + 86_400 })}`;
    const token = `${text}.${sign('sha256', Buffer.from(text), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    const verifier = createVerifier({ ...OFF, kind: 'jwt', jwksUrl: service.url, cacheSeconds: 86_400 }, clock.scheduler);
    service.says(200, JSON.stringify({ keys: [ec.publicKey.export({ format: 'jwk' })] }));
    expect(kindOf(await verifier.verify(proof(token)))).toBe('ok');
    service.says(200, JSON.stringify({ keys: [] }));
    clock.at += 599_000;
    expect(kindOf(await verifier.verify(proof(token)))).toBe('ok');
    clock.at += 1_000;
    expect(kindOf(await verifier.verify(proof(token)))).toBe('rejected');
  });

  it("causes one fetch of an issuer's keys, however many arrive at the start", async () => {
    const verifier = createVerifier({ ...OFF, kind: 'jwt', jwksUrl: service.url }, clock.scheduler);
    service.says(200, '{"keys":[]}');
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = (n: number) => `${part({ alg: 'RS256', kid: String(n) })}.${part({ sub: PLAYER, exp: NOW + 60 })}.AAAA`;
    await Promise.all(Array.from({ length: 50 }, (_, n) => verifier.verify(proof(token(n)))));
    expect(service.asked).toHaveLength(1);
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
