import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Proof, Verdict } from '../../../src/app/ports/player-verifier.ts';
import { type Check, failed, VERIFIED } from '../../../src/outbound/verifier/check.ts';
import { createVerifier, serviceFault, type VerifierSettings } from '../../../src/outbound/verifier/create-verifier.ts';
import { GuardedVerifier } from '../../../src/outbound/verifier/guarded.ts';
import { clock, kindOf, NOW, OFF, openService, PLAYER, proof, SECRET } from './support.ts';

const service = openService();

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
