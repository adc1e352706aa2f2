import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { seededRandom } from '../../infra/harness/numbers.ts';
import { type Came, type LiveClient, listen } from '../support/live-stream.ts';
import { testDatabase } from '../support/postgres.ts';
import { newProject } from './support/command-line.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

/** Streams under random writes, disconnections, kills of nodes and changes of access, against the history of the documents. */

const STEPS = 120;
const KEYS = ['a', 'b', 'c'];

const nodes: Node[] = [];
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  removeFolders();
});

/** What a document was set to, and whether it might be read, by revision. */
interface Model {
  readonly writes: { readonly key: string; readonly revision: number; readonly n: number }[];
  readonly access: { readonly revision: number; readonly isOpen: boolean }[];
}

function valueAt({ writes }: Model, key: string, revision: number): number | null {
  return writes.findLast((write) => write.key === key && write.revision <= revision)?.n ?? null;
}

function isOpenAt({ access }: Model, revision: number): boolean {
  return access.findLast((change) => change.revision <= revision)?.isOpen ?? true;
}

test.each([1, 2])(
  'every message is the document as of its revision, none twice, none that was closed, and the last one comes (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const env = { DATABASE_URL: await testDatabase() };
    const own = await Promise.all([newFolder(), newFolder()].map((folder) => startNode(folder, { env, args: ['--no-demo'] })));
    nodes.push(...own);
    const project = await newProject(env, 'Model');
    const games: Client[] = own.map(({ url }) => createClient(url, project));
    const model: Model = { writes: [], access: [] };
    const at = (index: number): Client => games[index] as Client;

    const setAccess = async (isOpen: boolean) => {
      const access = { read: isOpen ? 'public' : 'endpoints', write: 'endpoints' };
      const body = { id: 'docs', name: 'docs', accessMode: 'endpoint', access, schema: {} };
      const { headers } = await ok(at(0).manage('PATCH', at(0).definitions('collections'), { body }));
      model.access.push({ revision: Number(headers['x-ns-position']), isOpen });
    };
    await setAccess(true);

    const topics = KEYS.map((key) => `documents/docs/${key}`);
    const came: (Came & { readonly resumedFrom: number; readonly opening: number })[] = [];
    let resumedFrom = -1;
    let opening = 0;
    let stream: LiveClient | null = null;
    let lastId: string | null = null;
    const leave = () => {
      if (stream === null) return;
      stream.close();
      came.push(...stream.events.map((event) => ({ ...event, resumedFrom, opening })));
      lastId = stream.lastId() ?? lastId;
      stream = null;
    };
    const join = async (index: number) => {
      leave();
      const { url, projectId, publicKey } = at(index);
      resumedFrom = Number(lastId ?? -1);
      opening++;
      const resumed: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId };
      stream = await listen(url, projectId, topics, { 'x-public-key': publicKey, ...resumed });
      expect(stream.status).toBe(200);
    };
    await join(0);

    for (let step = 1; step <= STEPS; step++) {
      const chance = random();
      if (chance < 0.7) {
        const key = pick(KEYS);
        const game = at(pick([0, 1]));
        const { headers } = await ok(game.manage('POST', game.storage(`docs/${key}`), { body: { n: step } }));
        model.writes.push({ key, revision: Number(headers['x-ns-position']), n: step });
      } else if (chance < 0.82) await join(pick([0, 1]));
      else if (chance < 0.92) await setAccess(random() < 0.6);
      else if (chance < 0.95) {
        const [index, port] = [1, Number(new URL(at(1).url).port)];
        await own[index]?.kill();
        const restarted = await startNode(own[index]?.data ?? '', { env, args: ['--no-demo'], port });
        own[index] = restarted;
        nodes.push(restarted);
        await join(pick([0, 1]));
      } else await sleep(random() * 50);
    }
    await setAccess(true);
    const last = Math.max(...model.writes.map(({ revision }) => revision));
    const isComplete = () =>
      KEYS.every((key) => {
        const all = [...came, ...(stream?.events ?? [])].filter(({ data }) => data.topic === `documents/docs/${key}`);
        return (Object(all.at(-1)?.data.value).n ?? null) === valueAt(model, key, last);
      });
    for (const late = performance.now() + 20_000; !isComplete() && performance.now() < late; ) await sleep(10);
    expect(isComplete()).toBe(true);
    leave();

    for (const key of KEYS) {
      const messages = came.filter(({ event, data }) => event === 'message' && data.topic === `documents/docs/${key}`);
      const wrong = messages.filter(({ data: { value, revision = -1 } }) => (Object(value).n ?? null) !== valueAt(model, key, revision));
      expect(wrong).toEqual([]);
      const closed = messages.filter(({ data }) => !isOpenAt(model, data.revision ?? -1));
      expect(closed).toEqual([]);
      // A value comes again only where it was refused in between, or to a client that came back and did not say that it has it.
      const told = came.filter(({ event, data }) => event !== 'resync' && data.topic === `documents/docs/${key}`);
      const doubled = told.filter(({ event, data: { revision = -1 }, ...one }, at) => {
        const before = told[at - 1];
        if (event === 'refused' || before === undefined || before.event === 'refused') return false;
        const { revision: earlier = -1 } = before.data;
        return before.opening === one.opening ? revision <= earlier : revision < earlier || revision <= one.resumedFrom;
      });
      expect(doubled).toEqual([]);
    }
    for (const game of games) game.close();
  },
);
