import { afterAll, beforeAll, expect, it } from 'vitest';
import { BASES } from '../../src/contract/families.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { SECRETS } from '../support/secrets.ts';
import { SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer({}, { anything: true });
});
afterAll(() => server.stop());

/** Every place of a request that a client may put a secret into by mistake. */
async function ask(method: string, path: string, secret: string): Promise<void> {
  const text = encodeURIComponent(secret);
  const placed = path.replace(/:project/, 'demo').replace(/[:*]\w+/g, text);
  const headers = { 'x-public-key': secret, 'x-platform-id': secret, 'x-correlation-id': secret, 'x-ns-client-type': secret };
  const body = ['GET', 'HEAD'].includes(method)
    ? {}
    : { body: JSON.stringify({ platformId: secret, recordName: secret, kind: secret, [secret]: 1 }) };
  await server.send(method, `${placed}?apiKey=${text}&platformId=${text}&${text}=1`, { ...body, headers });
  await server.send(method, placed, { ...body, headers: { ...headers, 'x-public-key': '', 'x-api-key': SECRET_KEY } });
}

it('no refusal of any route brings a secret of any kind into the log or into /logs', async () => {
  // Streams do not end.
  const asked = routes.filter(({ family, path }) => family !== 'live' && !path.endsWith('/logs'));
  for (const { method, family, path } of asked)
    for (const secret of Object.values(SECRETS)) await ask(method, BASES[family] + path, secret);
  const logs = await server.send('GET', '/v3/manage/demo/logs?limit=1000', { headers: { 'x-api-key': SECRET_KEY } });
  const outputs = JSON.stringify(server.log) + logs.text;
  for (const [what, secret] of Object.entries(SECRETS)) {
    for (const form of [secret, encodeURIComponent(secret)]) expect([what, outputs.includes(form)]).toEqual([what, false]);
  }
}, 120_000);
