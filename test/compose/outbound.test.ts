import { createServer } from 'node:http';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { observeVerifier, observeWebhooks } from '../../src/compose/outbound.ts';
import { readConfig } from '../../src/config/config.ts';
import { createWebhooks } from '../../src/outbound/webhooks.ts';

/** A log, and the lines that it got. */
function logged() {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line.trim()) });
  return { log, lines: () => lines.map((line) => JSON.parse(line)) };
}

test('the log says once that the service fails and once that it answers again, and the metric counts outcomes', async () => {
  const { log, lines } = logged();
  const registry = new Registry();
  const { verifier } = readConfig({ VERIFIER: 'jwt', VERIFIER_JWKS_URL: 'https://user:password@login.example/keys' });
  const observer = observeVerifier(verifier, registry, log);
  observer.serviceAnswered();
  for (let n = 0; n < 3; n += 1) observer.serviceFailed(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }));
  for (let n = 0; n < 3; n += 1) observer.serviceAnswered();
  expect(lines()).toEqual([
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

test('a webhook that is not delivered: the log names project, host and reason once, and nothing of the secret path', async () => {
  const service = createServer((request, response) => response.writeHead(request.url === '/hooks/good' ? 204 : 404).end());
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const address = service.address();
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const { log, lines } = logged();
  const registry = new Registry();
  const { post } = observeWebhooks(createWebhooks([`http://${host}/`]), registry, log);
  for (const name of ['good', 'secret', 'secret']) await post('p1', `http://${host}/hooks/${name}`, {}, 5000);
  service.close();
  expect(lines()).toEqual([{ level: 40, project: 'p1', host, problem: 'The service answered 404.', msg: 'a webhook was not delivered' }]);
  const text = await registry.metrics();
  expect(text).toContain('savepoint_webhooks_total{outcome="delivered"} 1');
  expect(text).toContain('savepoint_webhooks_total{outcome="refused"} 2');
});
