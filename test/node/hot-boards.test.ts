import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { seededRandom } from '../../infra/harness/numbers.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Boards that are asked for again and again while their scores change. */

const WHILE_MADE = { timeout: 120_000, interval: 250 };

let node: Node;
let game: Client;

beforeAll(async () => {
  const data = newFolder();
  node = await startNode(data, { env: { DATABASE_URL: await migratedDatabase() } });
  game = createClient(node.url, demoCredentials(data));
  const schema = { note: { type: 'string' }, stats: { type: 'object', properties: { xp: { type: 'number', default: 3 } } } };
  const collection = { id: 'heroes', name: 'Heroes', collectionType: 'per-platformid', accessMode: 'public', schema };
  await ok(game.manage('POST', game.definitions('collections'), { body: [collection] }));
  const plain = {
    id: 'plain',
    name: 'Plain',
    sources: [{ collectionId: 'heroes' }],
    config: { field: 'stats.xp', limit: 30, columns: ['note', 'stats.xp'] },
  };
  const top = {
    id: 'top',
    name: 'Top',
    sources: [{ collectionId: 'heroes' }],
    config: { field: 'stats.xp', limit: 30, columns: ['stats.xp', 'note', { name: 'shout', template: '{{ note }}!' }] },
  };
  await ok(game.manage('POST', game.definitions('queries'), { body: [top, plain] }));
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  removeFolders();
});

/** What a document was changed to, and at which revision. `null`: it was deleted. */
interface Written {
  readonly position: number;
  readonly key: string;
  readonly xp: number | null;
  /** A field that is shown beside the score and also changes by itself. */
  readonly note: string;
}

interface Shown {
  readonly rank: number;
  readonly key: string;
  readonly value: number;
  readonly note: string;
}

interface Entry extends Omit<Shown, 'note'> {
  readonly data: { readonly note: string };
}

function entryOf(shown: Shown | undefined) {
  const { rank, key, value, note } = shown ?? { rank: 0, key: '', value: 0, note: '' };
  return { rank, key, value, data: expect.objectContaining({ note }) };
}

/** The whole board as of a revision, made by sorting. Of equal scores the one that was reached first comes first. */
function boardAt(writes: readonly Written[], position: number): readonly Shown[] {
  const rows = new Map<string, { readonly value: number; readonly note: string; readonly since: number }>();
  for (const { key, xp, note, position: at } of writes
    .filter((write) => write.position <= position)
    .sort((a, b) => a.position - b.position)) {
    if (xp === null) rows.delete(key);
    else rows.set(key, { value: xp, note, since: rows.get(key)?.value === xp ? (rows.get(key)?.since ?? at) : at });
  }
  const sorted = [...rows].sort(([a, x], [b, y]) => y.value - x.value || x.since - y.since || (a < b ? -1 : 1));
  return sorted.map(([key, { value, note }], index) => ({ rank: index + 1, key, value, note }));
}

test('every answer is the board as of the revision that it names, out of the tables and out of memory', async () => {
  const random = seededRandom(11);
  const below = (most: number) => Math.floor(random() * most);
  const writes: Written[] = [];
  /** Scores are often equal. Some documents have theirs by default, and some are deleted. */
  const write = async () => {
    const key = `p${below(60)}`;
    const [kind, xp, note] = [random(), below(12), `n${below(1_000)}`];
    const at = game.storage(`heroes/${key}`);
    if (kind < 0.1) {
      const reply = await game.manage('DELETE', at);
      if (reply.status !== 404) writes.push({ position: Number(reply.headers['x-ns-position']), key, xp: null, note });
      return;
    }
    const isPlain = kind < 0.2;
    const { headers } = await ok(game.play('POST', at, { body: isPlain ? { note } : { note, stats: { xp } } }));
    writes.push({ position: Number(headers['x-ns-position']), key, xp: isPlain ? 3 : xp, note });
  };
  for (let n = 0; n < 60; n += 1) await write();

  const answers: { readonly position: number; readonly asked: string; readonly body: ReturnType<typeof Object> }[] = [];
  let reading = true;
  const read = async () => {
    // Enough reads to make the board a hot one.
    for (; reading; await sleep(20)) {
      const player = `platformId=p${below(64)}`;
      const asked = [`${player}&around=3`, player, `limit=10&offset=${below(30)}`][below(3)] ?? '';
      const query = below(2) === 0 ? 'top' : 'plain';
      const { headers, body } = await ok(game.play('GET', `/v3/queries/${game.projectId}/${query}?${asked}`, {}, null));
      if (headers['x-ns-stale'] !== 'true') answers.push({ position: Number(headers['x-ns-position']), asked, body });
    }
  };
  const readers = [read(), read(), read()];
  const inMemory = async () => Number(/^savepoint_board_memory_bytes (\S+)$/m.exec((await ok(game.send('GET', '/metrics'))).text)?.[1]);
  try {
    await vi.waitFor(async () => {
      await write();
      if ((await inMemory()) === 0) throw new Error('the board is not in memory yet');
      // After each write, reads from the tables wait for the projector. On a busy machine a board that is written more often never gets
      // hot.
    }, WHILE_MADE);
    const before = answers.length;
    for (let n = 0; n < 100; n += 1) await write();
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(before + 100), 60_000);
  } finally {
    reading = false;
    await Promise.all(readers);
  }

  for (const { position, asked, body } of answers) {
    const all = boardAt(writes, position);
    const entries = body.entries.map(({ rank, key, value, data }: Entry) => ({ rank, key, value, note: data.note }));
    const parameters = new URLSearchParams(asked);
    const at = all.findIndex(({ key }) => key === parameters.get('platformId'));
    const page = Number(parameters.get('offset') ?? 0);
    const expected = parameters.has('around')
      ? at < 0
        ? []
        : all.slice(Math.max(at - 3, 0), at + 4)
      : all.slice(page, Math.min(page + Number(parameters.get('limit') ?? 30), 30));
    expect([position, asked, body.total, entries]).toEqual([position, asked, all.length, expected]);
    if (parameters.has('platformId')) expect(body.player ?? null).toEqual(at < 0 ? null : expect.objectContaining(entryOf(all[at])));
    const shown = ({ value, data: { note } }: Entry) => ({
      stats: { xp: value },
      note,
      ...(body.queryId === 'top' ? { shout: `${note}!` } : {}),
    });
    expect(body.entries.map(({ data }: Entry) => data)).toEqual(body.entries.map(shown));
  }
});
