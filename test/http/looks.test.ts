import { expect, test } from 'vitest';
import { routes } from '../../src/contract/routes/index.ts';
import type { Answer } from '../../src/http/answer.ts';
import type { Context } from '../../src/http/exchange.ts';
import { shownToPerson } from '../../src/http/looks.ts';
import { pageOf } from '../../src/http/players-named.ts';
import { refusal } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';

/** What is done is not answered as refused, whatever becomes of the look that its answer is. */

const NOT_RECORDED = {
  looks: {
    record: () => Promise.reject(refusal('LOOK_NOT_RECORDED')),
    personal: () => null,
    personalIn: async () => null,
    sharedIn: async () => ({ collection: () => false, query: () => false }),
    list: () => Promise.reject(new Error('nobody asks')),
  },
};

/** What a person is shown of an answer of a route, by its name. */
function shown(
  id: string,
  answer: Answer,
  app: Parameters<typeof shownToPerson>[0] = NOT_RECORDED,
  query: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const route = routes.find((each) => each.id === id);
  if (route === undefined) throw new Error(id);
  const exchange = {
    headers: {},
    search: '',
    query,
    call: null,
    caller: { projectId: 'p', key: { keyId: 'per_1' }, platformId: '42' },
  };
  const ctx = { state: { exchange }, params: { project: 'p', collection: 'saves', key: '42', player: '42' } } as unknown as Context;
  return shownToPerson(app, ctx, pageOf(route), answer);
}

test('a write is answered as done, without what it shows', async () => {
  const written = { body: { ok: true, version: 3, said: 'x' }, headers: { 'x-ns-position': '7' } };
  expect(await shown('writeDocument', written)).toMatchObject({
    headers: { 'x-ns-position': '7' },
    body: { ok: true, version: 3, masked: '[personal]' },
  });
  const called = { status: 201, body: { ok: true, gold: 5 } };
  expect(await shown('callEndpoint', called)).toMatchObject({ status: 201, body: { masked: '[personal]' } });
  const restored = { body: { ok: true, revision: 9, documents: [{ key: '42' }] } };
  expect((await shown('restorePlayer', restored)).body).toEqual({
    ok: true,
    revision: 9,
    masked: '[personal]',
  });
});

test('a read and a look at a correction are refused', async () => {
  await expect(shown('readDocument', { body: { gold: 5 } })).rejects.toMatchObject({
    code: 'LOOK_NOT_RECORDED',
  });
  const looked = { body: { ok: true, dryRun: true, revision: null, documents: [] } };
  await expect(shown('restorePlayer', looked)).rejects.toMatchObject({ code: 'LOOK_NOT_RECORDED' });
});

test('a document is not read to see whose it is: its address says that', async () => {
  const looked: unknown[] = [];
  const recorded = { looks: { ...NOT_RECORDED.looks, record: async (look: object) => void looked.push(look) } };
  const text = Object.assign(Buffer.from('{"gold":5}'), { toString: () => expect.fail('it was read') });
  expect(await shown('readDocument', { text }, recorded)).toEqual({ text });
  expect(looked).toEqual([expect.objectContaining({ page: 'readDocument', players: ['42'] })]);
});

/** Whom the look at an answer names, and of how many it is. */
async function lookAt(id: string, body: Json, query: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const looked: { readonly players: readonly string[]; readonly many?: number | undefined }[] = [];
  const recorded = { looks: { ...NOT_RECORDED.looks, record: async (look: (typeof looked)[number]) => void looked.push(look) } };
  await shown(id, { body }, recorded, query);
  return looked.map(({ players, many }) => [players, many]);
}

test('what a document holds under the name of a player is none: it may be personal, or there to hide whose document it is', async () => {
  const held = { player: 'ada@personal.example', platformId: 'x'.repeat(1_000), players: Array.from({ length: 60 }, (_, at) => `no${at}`) };
  const documents = [{ collection: 'saves', key: '42_slot', changes: [{ path: '', from: held, to: held }] }];
  expect(await lookAt('undoCommit', { ok: true, documents, slots: [], coins: [] })).toEqual([[['42'], undefined]]);
});

test('what is too long for an id of a player is none, in whatever logic of the game composes', async () => {
  expect(await lookAt('callEndpoint', { player: 'x'.repeat(257), rival: { player: '43' } })).toEqual([[['42', '43'], undefined]]);
});

test('the player whom a request names is recorded by name, however many others the answer names', async () => {
  const players = Array.from({ length: 9 }, (_, at) => `p${at}`);
  expect(await lookAt('listCommits', { ok: true, commits: [{ players }] }, { player: 'p3' })).toEqual([[['p3'], 9]]);
  expect(await lookAt('listCommits', { ok: true, commits: [{ players }] })).toEqual([[[], 9]]);
});
