import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SLOTS } from '../../node/support/game.ts';
import { ok } from '../../node/support/game-client.ts';
import { type Opened, openNode, proofOf, settings, told } from './support.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const ADA = '76561198000000001';
const BEA = '76561198000000002';

let opened: Opened;

beforeAll(async () => {
  opened = await openNode();
  const { game } = opened;
  await ok(game.manage('PUT', game.definitions('collections'), { body: [SLOTS] }));
  await settings(game, { requirePlayerAuth: true });
});
afterAll(() => opened.close());

const asked = (method: string, player: string, rest = '', headers = {}, body?: unknown) => {
  const { game } = opened;
  return game.play(method, game.storage(`slots/${player}/records${rest}`), { headers, ...(body === undefined ? {} : { body }) });
};

test('save records of a project that requires verified players belong to the proven player', async () => {
  const ada = proofOf(ADA);
  const { body } = await ok(asked('POST', ADA, '', ada, { recordName: 'Harbour' }));
  const rest = `/${String(Object(body).recordId)}`;
  const attempts = [
    ['GET', '', undefined],
    ['POST', '', { recordName: 'Stolen' }],
    ['PATCH', rest, { recordName: 'Stolen' }],
    ['DELETE', rest, undefined],
  ] as const;
  for (const [method, path, sent] of attempts) {
    expect(await told(asked(method, ADA, path, { 'x-platform-id': ADA }, sent))).toBe('401 undefined PLATFORM_AUTH_FAILED');
    expect(await told(asked(method, ADA, path, proofOf(BEA), sent))).toBe('403 undefined FORBIDDEN');
  }
  await ok(asked('PATCH', ADA, rest, ada, { recordName: 'Lighthouse' }));
  expect((await ok(asked('GET', ADA, '', ada))).body).toMatchObject({ records: [{ recordName: 'Lighthouse' }] });
  await ok(asked('DELETE', ADA, rest, ada));
  expect((await ok(asked('GET', ADA, '', ada))).body).toMatchObject({ records: [] });
});
