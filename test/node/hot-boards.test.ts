import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { seededRandom } from '../../infra/harness/numbers.ts';
import { testDatabase } from '../support/postgres.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Boards that are asked for again and again, while their scores change. */

let node: Node;
let game: Client;

beforeAll(async () => {
  const data = newFolder();
  node = await startNode(data, { env: { DATABASE_URL: await testDatabase() } });
  game = createClient(node.url, demoCredentials(data));
  const schema = { stats: { type: 'object', properties: { xp: { type: 'number', default: 3 } } } };
  const collection = { id: 'heroes', name: 'Heroes', collectionType: 'per-platformid', accessMode: 'public', schema };
  await ok(game.manage('POST', game.definitions('collections'), { body: [collection] }));
  const top = {
    id: 'top',
    name: 'Top',
    sources: [{ collectionId: 'heroes' }],
    config: { field: 'stats.xp', limit: 30, columns: ['stats.xp'] },
  };
  await ok(game.manage('POST', game.definitions('queries'), { body: [top] }));
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  removeFolders();
});

/** What became of a document, and where: `null`: it was deleted. */
interface Written {
  readonly position: number;
  readonly key: string;
  readonly xp: number | null;
}

interface Shown {
  readonly rank: number;
  readonly key: string;
  readonly value: number;
}

/** The whole board as of a revision, by a sort. */
function boardAt(writes: readonly Written[], position: number): readonly Shown[] {
  const rows = new Map<string, number>();
  for (const { key, xp } of writes.filter((write) => write.position <= position).sort((a, b) => a.position - b.position)) {
    if (xp === null) rows.delete(key);
    else rows.set(key, xp);
  }
  const sorted = [...rows].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return sorted.map(([key, value], index) => ({ rank: index + 1, key, value }));
}

test('every answer is the board as of the revision that it names, out of the tables and out of memory', async () => {
  const random = seededRandom(11);
  const below = (most: number) => Math.floor(random() * most);
  const writes: Written[] = [];
  /** Scores tie often; some documents have theirs by default, some go. */
  const write = async () => {
    const key = `p${below(60)}`;
    const [kind, xp] = [random(), below(12)];
    const at = game.storage(`heroes/${key}`);
    if (kind < 0.1) {
      const reply = await game.manage('DELETE', at);
      if (reply.status !== 404) writes.push({ position: Number(reply.headers['x-ns-position']), key, xp: null });
      return;
    }
    const isPlain = kind < 0.2;
    const { headers } = await ok(game.play('POST', at, { body: isPlain ? { name: 'plain' } : { stats: { xp } } }));
    writes.push({ position: Number(headers['x-ns-position']), key, xp: isPlain ? 3 : xp });
  };
  for (let n = 0; n < 60; n += 1) await write();

  const answers: { readonly position: number; readonly asked: string; readonly body: ReturnType<typeof Object> }[] = [];
  let reading = true;
  const read = async () => {
    // Enough to make the board a hot one.
    for (; reading; await sleep(20)) {
      const player = `platformId=p${below(64)}`;
      const asked = [`${player}&around=3`, player, `limit=10&offset=${below(30)}`][below(3)] ?? '';
      const { headers, body } = await ok(game.play('GET', `/v3/queries/${game.projectId}/top?${asked}`, {}, null));
      if (headers['x-ns-stale'] !== 'true') answers.push({ position: Number(headers['x-ns-position']), asked, body });
    }
  };
  const readers = [read(), read(), read()];
  const inMemory = async () => Number(/^savepoint_board_memory_bytes (\S+)$/m.exec((await ok(game.send('GET', '/metrics'))).text)?.[1]);
  try {
    await vi.waitFor(async () => {
      await write();
      if ((await inMemory()) === 0) throw new Error('the board is not in memory yet');
    }, 120_000);
    const before = answers.length;
    for (let n = 0; n < 100; n += 1) await write();
    await vi.waitFor(() => expect(answers.length).toBeGreaterThan(before + 100), 60_000);
  } finally {
    reading = false;
    await Promise.all(readers);
  }

  for (const { position, asked, body } of answers) {
    const all = boardAt(writes, position);
    const entries = body.entries.map(({ rank, key, value }: Shown) => ({ rank, key, value }));
    const parameters = new URLSearchParams(asked);
    const at = all.findIndex(({ key }) => key === parameters.get('platformId'));
    const page = Number(parameters.get('offset') ?? 0);
    const expected = parameters.has('around')
      ? at < 0
        ? []
        : all.slice(Math.max(at - 3, 0), at + 4)
      : all.slice(page, Math.min(page + Number(parameters.get('limit') ?? 30), 30));
    expect([position, asked, body.total, entries]).toEqual([position, asked, all.length, expected]);
    if (parameters.has('platformId')) expect(body.player ?? null).toEqual(at < 0 ? null : expect.objectContaining({ ...all[at] }));
    for (const entry of body.entries) expect(entry.data).toEqual({ stats: { xp: entry.value } });
  }
});
