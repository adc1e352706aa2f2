import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takesSecretKey } from '../../src/contract/credentials.ts';
import { BASES } from '../../src/contract/families.ts';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const keyed = routes.filter(({ keys }) => keys !== null);

async function send({ method, family, path, keys }: Route, key: string): Promise<unknown> {
  const location = `${BASES[family]}${path.replace(':project', 'demo').replaceAll(/:\w+/g, 'x')}`;
  const own = keys !== null && takesSecretKey(keys) ? SECRET_KEY : PUBLIC_KEY;
  // Games read only the bodies of sessions that are answered with 200.
  const refusedWith = family === 'sessions' ? 200 : 400;
  const { status, json } = await server.send(method, location, { headers: { 'x-api-key': own, 'idempotency-key': key } });
  expect(status).toBe(refusedWith);
  return `${json?.error?.code} ${json?.error?.message}`;
}

describe('an Idempotency-Key', () => {
  // Of routes that keep answers, each use case refuses it, after access.
  it.each(keyed.filter(({ idempotent }) => !idempotent).map((route) => [route.id, route] as const))(
    'that is none is refused by %s',
    async (_, route) => {
      for (const key of ['x'.repeat(300), '']) expect(await send(route, key)).toMatch(/^INVALID_REQUEST An Idempotency-Key has/);
    },
  );

  it('is either kept or refused by every route that changes something, or changes nothing there', () => {
    const counted = ['trackEvent', 'sendHeartbeat', 'reportSaveFailure'];
    const changing = keyed.filter(({ id, writes }) => writes === true || counted.includes(id));
    const others = changing.filter(({ idempotent, refusesKey = false }) => idempotent === refusesKey);
    // The same secret is the same guest, with a key or without.
    expect(others.map(({ id }) => id)).toEqual(['registerGuest']);
  });

  it.each(keyed.filter(({ refusesKey }) => refusesKey).map((route) => [route.id, route] as const))('is refused by %s', async (_, route) => {
    expect(await send(route, 'k1')).toMatch(/^INVALID_REQUEST This request takes no Idempotency-Key/);
  });
});
