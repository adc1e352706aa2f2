import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { observeVerifier } from '../../src/compose/verifications.ts';
import { readConfig } from '../../src/config/config.ts';

test('the log says once that the service fails and once that it answers again, and the metric counts outcomes', async () => {
  const lines: string[] = [];
  const registry = new Registry();
  const { verifier } = readConfig({ VERIFIER: 'jwt', VERIFIER_JWKS_URL: 'https://user:password@login.example/keys' });
  const observer = observeVerifier(
    verifier,
    registry,
    pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line.trim()) }),
  );
  observer.serviceAnswered();
  for (let n = 0; n < 3; n += 1) observer.serviceFailed(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }));
  for (let n = 0; n < 3; n += 1) observer.serviceAnswered();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 50,
      verifier: 'jwt, keys of login.example',
      problem: 'connect ECONNREFUSED',
      msg: 'the service that verifies players fails, and players who need it are refused',
    },
    { level: 30, verifier: 'jwt, keys of login.example', msg: 'the service that verifies players answers again' },
  ]);
  observer.judged('verified');
  observer.judged('unavailable');
  expect(await registry.metrics()).toContain('savepoint_verifications_total{outcome="unavailable"} 1');
});
