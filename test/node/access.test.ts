import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Opened, openNode, proofOf, settings } from '../app/security/support.ts';
import { bodyOf, ok } from './support/game-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Who may access a collection: every pair of `read` and `write`, every direct route, every kind of caller. */

const ADA = '76561198000000001';
const BOB = '76561198000000002';
const OPEN_TO = ['public', 'owner', 'endpoints'] as const;
type OpenTo = (typeof OPEN_TO)[number];

const saves = (read: OpenTo, write: OpenTo) => `saves_${read}_${write}`;
const feed = (read: OpenTo, write: OpenTo) => `feed_${read}_${write}`;

let node: Opened;

beforeAll(async () => {
  node = await openNode();
  const { game } = node;
  const pairs = OPEN_TO.flatMap((read) => OPEN_TO.map((write) => [read, write] as const));
  const shared = { allowRecordDelete: true, rateLimits: { mode: 'none' }, schema: { gold: { type: 'number', _ledger: true } } };
  const collections = pairs.flatMap(([read, write]) => [
    {
      id: saves(read, write),
      name: saves(read, write),
      collectionType: 'per-platformid',
      maxRecords: 9,
      access: { read, write },
      ...shared,
    },
    { id: feed(read, write), name: feed(read, write), collectionType: 'global', publicAppend: true, access: { read, write }, ...shared },
  ]);
  const pushed = await ok(game.manage('PUT', game.definitions('collections'), { body: collections }));
  expect(pushed.text).not.toContain('"ACCESS"');
});
afterAll(() => node?.close());

type As = 'ada' | 'bob' | 'nobody' | 'the secret key';

/** What happens to a call for Ada's document: `in`, or the code of the refusal. */
async function told(as: As, method: string, path: string, body?: unknown): Promise<string> {
  const { game } = node;
  const sent = body === undefined ? {} : { body };
  const player = as === 'ada' ? ADA : as === 'bob' ? BOB : null;
  const headers = proven && player !== null ? proofOf(player) : {};
  const reply =
    as === 'the secret key'
      ? game.manage(method, game.storage(path), sent)
      : game.play(method, game.storage(path), { ...sent, headers, once: true }, player);
  const { status, body: answer } = await reply;
  const code = Object(answer).error?.code;
  return status === 200 || status === 404 ? 'in' : String(code);
}

let proven = false;

function expected(open: OpenTo, as: As, ownWhereProven: boolean): string {
  if (as === 'the secret key') return 'in';
  if (open === 'endpoints') return 'ENDPOINT_ONLY';
  if (proven && as === 'nobody') return 'PLATFORM_AUTH_FAILED';
  if (open === 'owner' || (proven && ownWhereProven)) return as === 'ada' ? 'in' : as === 'bob' ? 'FORBIDDEN' : 'MISSING_PLATFORM_ID';
  return 'in';
}

const CALLERS: readonly As[] = ['ada', 'bob', 'nobody', 'the secret key'];

describe.each([false, true])('where players must be proven: %s', (requirePlayerAuth) => {
  beforeAll(async () => {
    proven = requirePlayerAuth;
    await settings(node.game, { requirePlayerAuth });
  });

  describe.each(OPEN_TO)('read: %s', (read) => {
    test.each(OPEN_TO)('write: %s', async (write) => {
      const at = `${saves(read, write)}/${ADA}`;
      const mine = read === 'public' ? 'read' : 'own';
      for (const as of CALLERS) {
        const seen = async (route: string, outcome: Promise<string>, open: OpenTo, own: boolean) =>
          expect([route, as, await outcome]).toEqual([route, as, expected(open, as, own)]);
        await seen('POST', told(as, 'POST', at, { gold: 1 }), write, true);
        await seen('ops', told(as, 'POST', at, { ops: [{ op: 'inc', path: 'gold', value: 1 }] }), write, true);
        await seen('GET', told(as, 'GET', at), read, mine === 'own');
        await seen('probe', told(as, 'GET', `${at}/probe`), read, mine === 'own');
        await seen('ledger', told(as, 'GET', `${at}/ledger`), read, true);
        await seen('records', told(as, 'GET', `${at}/records`), read, true);
        await seen('create', told(as, 'POST', `${at}/records`, {}), write, true);
        await seen('rename', told(as, 'PATCH', `${at}/records/abc`, { recordName: 'x' }), write, true);
        await seen('remove', told(as, 'DELETE', `${at}/records/abc`), write, true);
        await seen('DELETE', told(as, 'DELETE', at), write, true);
      }
    });

    test.each(OPEN_TO)('records that are appended, write: %s', async (write) => {
      const collection = feed(read, write);
      const { game } = node;
      const made = await bodyOf(
        game.manage('POST', game.storage(`${collection}/append`), { body: { gold: 1 }, headers: { 'x-platform-id': ADA } }),
      );
      const { _id: id } = Object(made).record;
      for (const as of CALLERS) {
        const append =
          as === 'the secret key'
            ? 'in'
            : write === 'endpoints'
              ? 'FORBIDDEN'
              : as === 'nobody' && proven
                ? 'PLATFORM_AUTH_FAILED'
                : as === 'nobody' && write === 'owner'
                  ? 'MISSING_PLATFORM_ID'
                  : 'in';
        expect(['append', as, await told(as, 'POST', `${collection}/append`, { gold: 1 })]).toEqual(['append', as, append]);
        const list = as === 'the secret key' || read === 'public' ? 'in' : 'ENDPOINT_ONLY';
        expect(['list', as, await told(as, 'GET', `${collection}/list`)]).toEqual(['list', as, list]);
        const one = read === 'public' ? 'in' : expected(read, as, false);
        expect(['record', as, await told(as, 'GET', `${collection}/record/${id}`)]).toEqual(['record', as, one]);
      }
    });
  });
});

test('a definition that says nothing of access is as it was: lists and ledgers are read with any key', async () => {
  const { game } = node;
  await settings(game, { requirePlayerAuth: false });
  const body = [{ id: 'plain', name: 'plain', collectionType: 'global', rateLimits: { mode: 'none' }, schema: { n: { type: 'number' } } }];
  await ok(game.manage('PUT', game.definitions('collections'), { body }));
  expect(await told('nobody', 'GET', 'plain/list')).toBe('in');
  expect(await told('nobody', 'GET', 'plain/x')).toBe('ENDPOINT_ONLY');
});

test.each([
  [{ access: 'owner' }, '/access'],
  [{ access: { read: 'onwer' } }, '/access/read'],
  [{ access: { list: 'public' } }, '/access/list'],
  [{ access: { read: 'owner', write: 'endpoints' }, accessMode: 'public' }, '/accessMode'],
])('the validator says what is wrong with %j', async (more, path) => {
  const { game } = node;
  const body = [{ id: 'odd', name: 'odd', collectionType: 'per-platformid', schema: { n: { type: 'number' } }, ...more }];
  const { text } = await ok(game.manage('POST', game.definitions('sync/preflight'), { body: { collections: body } }));
  expect(text).toContain('"ACCESS"');
  expect(text).toContain(path);
});
