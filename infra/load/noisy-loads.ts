import { setTimeout as sleep } from 'node:timers/promises';
import { createHttp } from '../harness/http.ts';
import { savepointWith } from '../harness/node.ts';
import { endpointPath, expectOk, managePath, type Project, playerHeaders, secretHeaders, storagePath } from '../harness/project.ts';
import type { BareServer } from './children.ts';

/** Noisy neighbours: loads of one project that another one should not notice (`bench:neighbours`). */

/** How many requests were answered, by status. */
export type Answered = Readonly<Record<string, number>>;

export interface NoisyLoad {
  readonly name: string;
  /** Sets up the load. This is not measured. */
  prepare(at: LoadContext): Promise<void>;
  /** Runs until `over` is true. */
  run(at: LoadContext, over: () => boolean): Promise<Answered>;
}

export interface LoadContext {
  readonly project: Project;
  readonly dataFolder: string;
  /** A server that is not Savepoint. */
  readonly bare: BareServer;
  readonly sizes: Sizes;
}

export interface Sizes {
  /** Number of documents that queries scan. */
  readonly scanned: number;
  /** Number of documents in a new board. */
  readonly boarded: number;
  /** Number of ledger entries of one player. */
  readonly entries: number;
}

const SEEDERS = 64;
const LARGE_CHARACTERS = 50_000;
const LARGE_DOCUMENTS = 1_000;
const OPERATIONS = 100;
const PAGED_DOCUMENTS = 1_000;

const playerOf = (index: number) => `76561199${String(index).padStart(9, '0')}`;

/** Sends `count` requests, `SEEDERS` at a time. Each must succeed. */
async function each(count: number, ask: (index: number) => Promise<{ readonly status: number }>): Promise<void> {
  let next = 0;
  const seeder = async () => {
    for (let index = next++; index < count; index = next++) {
      let { status } = await ask(index);
      for (let again = 0; status === 503 && again < 100; again += 1) {
        await sleep(200);
        ({ status } = await ask(index));
      }
      if (status !== 200) throw new Error(`seeding was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: SEEDERS }, seeder));
}

/** Runs this many callers at once. Each sends the next request as soon as it gets an answer. */
async function flood(
  callers: number,
  over: () => boolean,
  ask: (index: number) => Promise<{ readonly status: number }>,
): Promise<Answered> {
  const answered: Record<string, number> = {};
  let next = 0;
  const caller = async () => {
    while (!over()) {
      const status = await ask(next++).then(
        (answer) => answer.status,
        () => 'error' as const,
      );
      answered[status] = (answered[status] ?? 0) + 1;
      // A real client waits after a refusal.
      if (status === 'error' || status === 503 || status === 429) await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return answered;
}

async function push({ project }: LoadContext, method: string, route: string, body: unknown): Promise<void> {
  await expectOk(`${method} ${route}`, project.http.send(method, managePath(project, route), { headers: secretHeaders(project), body }));
}

const write = ({ project }: LoadContext, collection: string, index: number, body: unknown) =>
  project.http.send('POST', storagePath(project, `${collection}/${playerOf(index)}`), { headers: secretHeaders(project), body });

const query = ({ project }: LoadContext, id: string, more = '') =>
  project.http.send('GET', `/v3/queries/${project.projectId}/${id}?apiKey=${project.publicKey}${more}`, {
    headers: playerHeaders(project, playerOf(1)),
  });

function aggregate(id: string, collectionId: string, type: string, field: string) {
  return { id, name: id, type, requiresSecretKey: false, sources: [{ collectionId }], config: { field } };
}

/**
 * The baseline: what the load generator itself costs the quiet project. It sends its requests to another server, and the node does nothing.
 */
const baseline: NoisyLoad = {
  name: 'a bare server beside it',
  prepare: ({ bare }) => bare.answerWith({ note: 'x'.repeat(500) }),
  async run({ bare }, over) {
    const http = createHttp(bare.url);
    const answered = await flood(32, over, () => http.send('GET', '/'));
    http.close();
    return answered;
  },
};

const scans: NoisyLoad = {
  name: 'queries that scan',
  async prepare(at) {
    await push(at, 'PUT', 'collections', [
      { id: 'scanned', name: 'scanned', collectionType: 'per-platformid', schema: { n: { type: 'number' } } },
    ]);
    await push(
      at,
      'POST',
      'queries',
      ['sum', 'average', 'min', 'max'].map((type) => aggregate(`scan_${type}`, 'scanned', type, 'n')),
    );
    await each(at.sizes.scanned, (index) => write(at, 'scanned', index, { n: index, note: 'x'.repeat(200) }));
  },
  // Mixes writes in, so that no answer can come from a cache.
  run: (at, over) =>
    flood(64, over, (index) =>
      index % 16 === 0 ? write(at, 'scanned', index % 100, { n: index }) : query(at, `scan_${['sum', 'average', 'min', 'max'][index % 4]}`),
    ),
};

/** Pages that all differ, of one scan that is kept: nothing is scanned again, and every answer is printed anew. */
const largeAnswers: NoisyLoad = {
  name: 'pages of one kept scan',
  async prepare(at) {
    await push(at, 'PUT', 'collections', [
      { id: 'paged', name: 'paged', collectionType: 'per-platformid', schema: { n: { type: 'number' } } },
    ]);
    const config = { valueExpression: '{{n}} + 0', limit: 1_000, columns: ['n', 'note'] };
    await push(at, 'POST', 'queries', [
      { id: 'pages', name: 'pages', type: 'leaderboard', requiresSecretKey: false, sources: [{ collectionId: 'paged' }], config },
    ]);
    const tags = Array.from({ length: 20 }, (_, index) => ({ id: index, name: `tag ${index}` }));
    await each(PAGED_DOCUMENTS, (index) => write(at, 'paged', index, { n: index, note: 'x'.repeat(200), tags }));
  },
  run: (at, over) => flood(16, over, (index) => query(at, 'pages', `&limit=${1_000 - (index % 400)}`)),
};

const STREAMS = 100;
const STREAM_TOPICS = 64;
const FOLLOWED_DOCUMENTS = 2_000;
const WRITE_PAUSE_MS = 500;

/** Many streams, each with other pages of one board, which two writes a second change. */
const followedPages: NoisyLoad = {
  name: 'streams of many pages',
  async prepare(at) {
    await push(at, 'PUT', 'collections', [
      { id: 'followed', name: 'followed', collectionType: 'per-platformid', schema: { score: { type: 'number' } } },
    ]);
    const config = { field: 'score', order: 'desc', limit: 1_000, columns: ['score', 'note'] };
    await push(at, 'POST', 'queries', [
      { id: 'followed', name: 'followed', type: 'leaderboard', requiresSecretKey: false, sources: [{ collectionId: 'followed' }], config },
    ]);
    await each(FOLLOWED_DOCUMENTS, (index) => write(at, 'followed', index, { score: index, note: 'x'.repeat(50) }));
  },
  async run(at, over) {
    const { url, projectId, publicKey } = at.project;
    const ends = new AbortController();
    const answered: Record<string, number> = {};
    const listen = async (stream: number) => {
      const topics = Array.from({ length: STREAM_TOPICS }, (_, topic): [string, string] => {
        const page = stream * STREAM_TOPICS + topic;
        return ['topic', `query/followed?limit=${20 + (page % 17)}&offset=${page % 960}`];
      });
      const reply = await fetch(`${url}/v3/live/${projectId}?${new URLSearchParams(topics)}`, {
        headers: { 'x-public-key': publicKey },
        signal: ends.signal,
      });
      answered[`stream ${reply.status}`] = (answered[`stream ${reply.status}`] ?? 0) + 1;
      for await (const _ of reply.body ?? []) if (over()) return;
    };
    const streams = Array.from({ length: STREAMS }, (_, stream) => listen(stream).catch(() => undefined));
    for (let n = 0; !over(); n += 1) {
      const { status } = await write(at, 'followed', n % FOLLOWED_DOCUMENTS, { score: 1e6 + n, note: 'changed' });
      answered[status] = (answered[status] ?? 0) + 1;
      await sleep(WRITE_PAUSE_MS);
    }
    ends.abort();
    await Promise.all(streams);
    return answered;
  },
};

const largeDocuments: NoisyLoad = {
  name: 'scans of large documents',
  async prepare(at) {
    await push(at, 'PUT', 'collections', [
      { id: 'roomy', name: 'roomy', collectionType: 'per-platformid', schema: { n: { type: 'number' } } },
    ]);
    await push(at, 'POST', 'queries', [aggregate('roomy_sum', 'roomy', 'sum', 'n')]);
    await each(LARGE_DOCUMENTS, (index) => write(at, 'roomy', index, { n: index, note: 'x'.repeat(LARGE_CHARACTERS) }));
  },
  run: (at, over) =>
    flood(16, over, (index) => (index % 16 === 0 ? write(at, 'roomy', index % 100, { n: index }) : query(at, 'roomy_sum'))),
};

const ledgers: NoisyLoad = {
  name: 'a ledger of many entries',
  async prepare(at) {
    await push(at, 'PUT', 'collections', [
      { id: 'purses', name: 'purses', collectionType: 'per-platformid', schema: { gold: { type: 'number', _ledger: true } } },
    ]);
    const ops = Array.from({ length: OPERATIONS }, (_, index) => ({ op: 'inc', path: 'gold', value: 1, source: `quest ${index % 7}` }));
    await each(Math.ceil(at.sizes.entries / OPERATIONS), () => write(at, 'purses', 1, { ops }));
  },
  run: (at, over) =>
    flood(32, over, () =>
      at.project.http.send('GET', storagePath(at.project, `purses/${playerOf(1)}/ledger?limit=100`), {
        headers: secretHeaders(at.project),
      }),
    ),
};

const expensiveCalls: NoisyLoad = {
  name: 'endpoints that work hard',
  async prepare(at) {
    await push(at, 'PUT', 'collections', [{ id: 'bags', name: 'bags', collectionType: 'per-platformid', schema: {} }]);
    const items = Array.from({ length: 1_500 }, (_, index) => ({ id: index, kind: `kind ${index % 9}`, worth: index % 50 }));
    await each(1, () => write(at, 'bags', 1, { items }));
    const looks = Array.from({ length: 20 }, (_, index) => ({
      id: `look${index}`,
      type: 'filter',
      from: 'bag.items',
      where: { field: 'worth', op: '>', value: index },
    }));
    await push(at, 'PUT', 'endpoints', [
      {
        id: 'rummage',
        slug: 'rummage',
        name: 'Rummage',
        method: 'POST',
        steps: [{ id: 'bag', type: 'read', collection: 'bags', key: playerOf(1) }, ...looks],
        response: { status: 200, body: { ok: true } },
      },
    ]);
  },
  run: (at, over) =>
    flood(32, over, () =>
      at.project.http.send('POST', endpointPath(at.project, 'rummage'), { headers: playerHeaders(at.project, playerOf(1)), body: {} }),
    ),
};

const pushes: NoisyLoad = {
  name: 'large pushes',
  prepare: async () => undefined,
  run: (at, over) => {
    const steps = Array.from(
      { length: 60 },
      (_, index) => `  - id: s${index}\n    type: transform\n    expression: "{{input.n}} * ${index} + floor({{input.n}} / 3)"\n`,
    ).join('');
    const endpoints = Array.from({ length: 100 }, (_, index) => ({
      kind: 'endpoint',
      id: `pushed-${index}`,
      authoringMode: 'source',
      sourceFormat: 'yaml',
      sourceText: `sourceVersion: 1\nkind: endpoint\nid: pushed-${index}\nmethod: POST\ninput:\n  type: object\n  properties:\n    n: { type: number }\nsteps:\n${steps}response:\n  status: 200\n  body: { ok: true }\n`,
    }));
    return flood(2, over, () =>
      at.project.http.send('PUT', managePath(at.project, 'sync'), { headers: secretHeaders(at.project, 'next'), body: { endpoints } }),
    );
  },
};

const writes: NoisyLoad = {
  name: 'writes as fast as they go',
  async prepare(at) {
    await push(at, 'PUT', 'collections', [{ id: 'busy', name: 'busy', collectionType: 'per-platformid', schema: {} }]);
  },
  run: (at, over) => flood(64, over, (index) => write(at, 'busy', index % 10_000, { n: index, note: 'x'.repeat(500) })),
};

const watchers: NoisyLoad = {
  name: '/metrics and /health',
  prepare: async () => undefined,
  run: (at, over) => flood(32, over, (index) => at.project.http.send('GET', index % 2 === 0 ? '/metrics' : '/health')),
};

const board: NoisyLoad = {
  name: 'a new board over much data',
  async prepare(at) {
    await push(at, 'PUT', 'collections', [
      { id: 'boarded', name: 'boarded', collectionType: 'per-platformid', schema: { score: { type: 'number' } } },
    ]);
    await each(at.sizes.boarded, (index) => write(at, 'boarded', index, { score: (index * 7_919) % 1_000_003, note: 'x'.repeat(200) }));
  },
  async run(at, over) {
    const config = { field: 'score', order: 'desc', limit: 10, columns: ['score'] };
    await push(at, 'POST', 'queries', [{ id: 'late', name: 'late', type: 'leaderboard', sources: [{ collectionId: 'boarded' }], config }]);
    const answered = await flood(8, over, (index) => write(at, 'boarded', index % 1_000, { score: index }));
    await push(at, 'DELETE', 'queries/late', undefined);
    return answered;
  },
};

const proof: NoisyLoad = {
  name: 'savepoint verify beside it',
  prepare: async () => undefined,
  async run({ dataFolder }, over) {
    const answered: Record<string, number> = {};
    while (!over()) {
      const { code } = await savepointWith({}, 'verify', '--data', dataFolder);
      answered[`exit ${code}`] = (answered[`exit ${code}`] ?? 0) + 1;
    }
    return answered;
  },
};

export const NOISY_LOADS: readonly NoisyLoad[] = [
  baseline,
  scans,
  largeDocuments,
  largeAnswers,
  followedPages,
  ledgers,
  expensiveCalls,
  pushes,
  writes,
  watchers,
  board,
  proof,
];
