import { createHmac, createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../src/outbound/verifier/create-verifier.ts';
import { clock, judge, kindOf, NOW, OFF, openService, PLAYER, proof, SECRET } from './support.ts';

const service = openService();

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
