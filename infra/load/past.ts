import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { textAt } from '../harness/json.ts';
import { projectOf, type RunningNode, type Settings, savepointWith, startNode } from '../harness/node.ts';
import { quantile, seededRandom } from '../harness/numbers.ts';
import { expectOk, managePath, openProject, type Project, parseCredentials, secretHeaders, storagePath } from '../harness/project.ts';
import { table } from '../harness/table.ts';
import { databaseUrlOf } from '../postgres/database.ts';
import { type BenchRun, runBenchmark } from './benchmark.ts';
import { keyOf } from './board-data.ts';
import { untilResting } from './measure.ts';
import { cpuSeconds, familyCpuSeconds, findPostmaster } from './processes.ts';
import { type Machine, machine, machineText, RESULT_OPTIONS, type ResultFiles, report, resultFiles } from './report.ts';
import { positive, print, progress } from './terminal.ts';

/** `npm run bench:past`: how long reads of the past take in a long log, and what the index of subjects costs. */

const USAGE = `npm run bench:past [-- options]
  --events N             of the log, about (1000000)
  --operations N         on the one document that is read, evenly over the log (10000)
  --reads N              of each kind, one after the other (400)
  --data DIR             keep the data folder there, and find it there the next time
  --eventstore URL       the node's log on an EventStoreDB; with --data, the same server as then
  --json FILE            write the result as JSON, too
  --markdown FILE        write the table as docs/performance.md shows it, too`;

/** The document that is read, and how many players there are beside it. */
const HOT = keyOf(0);
const PLAYERS = 20_000;
const CALLS_AT_ONCE = 8;
/** Publishes of the price that is asked for, evenly over the log. */
const PUBLISHES = 50;
const WARM_UP_READS = 40;
const PAGE = 20;
const NOTE = 'past.json';

interface Options extends ResultFiles {
  readonly events: number;
  readonly operations: number;
  readonly reads: number;
  readonly settings: Settings;
  readonly data: string | null;
}

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '1000000' },
      operations: { type: 'string', default: '10000' },
      reads: { type: 'string', default: '400' },
      data: { type: 'string' },
      eventstore: { type: 'string' },
      ...RESULT_OPTIONS,
    },
  });
  if (values.help) return null;
  return {
    events: Math.round(positive('--events', values.events)),
    operations: Math.round(positive('--operations', values.operations)),
    reads: Math.round(positive('--reads', values.reads)),
    settings: values.eventstore === undefined ? {} : { EVENTSTORE_URL: values.eventstore },
    data: values.data ?? null,
    ...resultFiles(values),
  };
}

interface Line {
  readonly name: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

interface IndexCosts {
  readonly bytesPerEvent: number;
  /** Of Postgres; `null` without /proc. */
  readonly cpuMicrosPerEvent: number | null;
  /** Statements that merged a full range, ms. */
  readonly merges: readonly number[];
}

async function run(options: Options, { folder, defer }: BenchRun): Promise<number> {
  const { settings, data } = options;
  const kept = data ?? join(folder, 'node');
  const node = await startNode(kept, { settings });
  defer(() => node.stop());
  const { built, lines } = await reads(node, kept, options).catch((error: unknown) => {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${node.output()}`);
  });
  await node.stop();
  const index = await indexCosts(kept, built, settings);
  return conclude(lines, index, built, options);
}

async function reads(
  node: RunningNode,
  folder: string,
  options: Options,
): Promise<{ readonly built: Built; readonly lines: readonly Line[] }> {
  const { project, built } = await history(node, folder, options);
  try {
    await caughtUp(project, built);
    await untilResting(await usageOf(node));
    const lines: Line[] = [];
    for (const read of readsOf(project, built)) {
      progress(read.name);
      lines.push(await measured(project, read, options.reads));
    }
    return { built, lines };
  } finally {
    project.http.close();
  }
}

/** What was built: the log's last revision, and the times of its first and last write, unix ms. */
interface Built {
  readonly events: number;
  readonly operations: number;
  readonly revision: number;
  readonly begun: number;
  readonly ended: number;
}

/** Fills the log, or finds what an earlier run left in the folder. */
async function history(node: RunningNode, folder: string, options: Options): Promise<{ readonly project: Project; readonly built: Built }> {
  const { events, operations, settings } = options;
  const note = join(folder, NOTE);
  const text = await readFile(note, 'utf8').catch(() => null);
  if (text !== null) {
    const found = JSON.parse(text);
    if (found.built.events !== events || found.built.operations !== operations)
      throw new Error(
        `${folder} holds ${found.built.events} events with ${found.built.operations} operations: give these, or another folder`,
      );
    return { project: openProject(node.url, parseCredentials(found.credentials)), built: found.built };
  }
  const credentials = await projectOf(folder, settings);
  const project = openProject(node.url, { ...credentials, secretKey: await keyOfHistorian(folder, credentials.projectId, settings) });
  const built = await fill(project, events, operations);
  const { projectId, publicKey, secretKey } = project;
  await writeFile(note, JSON.stringify({ credentials: { projectId, publicKey, secretKey }, built }));
  return { project, built };
}

/** A key that may do everything that the benchmark does: no key may read what was unless it is given that. */
async function keyOfHistorian(folder: string, projectId: string, settings: Settings): Promise<string> {
  const permissions = { collections: 'rwx', endpoints: 'rwx', game_values: 'rw', history: 'r' };
  const words = ['key', 'create', projectId, '--label', 'bench', '--permissions', JSON.stringify(permissions), '--json'];
  const { code, stdout, stderr } = await savepointWith({ SAVEPOINT_DATA: folder, ...settings }, ...words);
  const key = code === 0 ? textAt(JSON.parse(stdout), 'key') : undefined;
  if (key === undefined) throw new Error(`no key: ${stderr}`);
  return key;
}

const COLLECTION = {
  id: 'players',
  name: 'players',
  accessMode: 'public',
  schema: { gold: { type: 'number', _ledger: true }, score: { type: 'number' } },
};

/** One call changes the document that is read, and a document each of many players: one commit. */
const TICK = {
  id: 'tick',
  slug: 'tick',
  method: 'POST',
  input: { type: 'object', properties: { players: { type: 'array' } } },
  steps: [
    { id: 'pay', type: 'write', collection: 'players', key: HOT, ops: [{ op: 'inc', path: 'gold', value: 1, reason: 'tick' }] },
    {
      id: 'each',
      type: 'foreach',
      from: 'input.players',
      item: 'player',
      maxIterations: 1_000,
      steps: [{ id: 'score', type: 'write', collection: 'players', key: '{{player}}', ops: [{ op: 'inc', path: 'score', value: 1 }] }],
    },
  ],
  response: { status: 200, body: { ok: true } },
};

async function fill(project: Project, events: number, operations: number): Promise<Built> {
  const manage = (method: string, route: string, body: unknown) =>
    expectOk(`${method} ${route}`, project.http.send(method, managePath(project, route), { headers: secretHeaders(project), body }));
  await manage('PUT', 'collections', [COLLECTION]);
  await manage('PUT', 'endpoints', [TICK]);
  // The write of the document and its posting are events, too.
  const others = Math.max(1, Math.round(events / operations) - 2);
  const begun = Date.now();
  progress(`${operations} commits of ${others + 2} events`);
  const calls = Array.from({ length: operations }, (_, index) => index).values();
  let done = 0;
  const caller = async () => {
    for (const index of calls) {
      if (index % Math.ceil(operations / PUBLISHES) === 0) await manage('PUT', 'game-values', shopAt(index));
      const players = Array.from({ length: others }, (_, place) => keyOf(1 + ((index * others + place) % PLAYERS)));
      const path = `/v3/endpoints/${project.projectId}/tick`;
      await expectOk('a call', project.http.send('POST', path, { headers: secretHeaders(project), body: { players } }));
      done += 1;
      if (done % Math.ceil(operations / 10) === 0) progress(`${done} commits`);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, caller));
  const path = storagePath(project, `players/${HOT}`);
  const { headers } = await expectOk('the document', project.http.send('GET', path, { headers: secretHeaders(project) }));
  return { events, operations, revision: Number(headers['x-ns-position']), begun, ended: Date.now() };
}

function shopAt(price: number): object {
  return { items: [{ id: 'shop', type: 'table', name: 'Shop', rows: [{ name: 'sword', price }] }] };
}

/** How long the read models may take to catch up with a log that was just filled. */
const BEHIND_MS = 1_800_000;

/** Waits until the index of subjects has the whole log. */
async function caughtUp(project: Project, { revision }: Built): Promise<void> {
  const path = `${storagePath(project, `players/${HOT}`)}?at=${revision}`;
  for (const until = performance.now() + BEHIND_MS; ; ) {
    const answer = await project.http.send('GET', path, { headers: secretHeaders(project) });
    if (answer.status === 200) return;
    if (answer.status !== 503 || performance.now() > until)
      throw new Error(`the past answers ${answer.status} ${JSON.stringify(answer.body)}`);
    await sleep(1_000);
  }
}

interface Read {
  readonly name: string;
  path(): string;
}

/** Reads at moments that are drawn from the whole log. */
function readsOf(project: Project, { revision, begun, ended }: Built): readonly Read[] {
  const random = seededRandom(1);
  // Before the first tenth the document may not be there yet.
  const within = (from: number, to: number) => Math.floor(from + (0.1 + 0.9 * random()) * (to - from));
  const drawn = () => within(0, revision);
  const hot = storagePath(project, `players/${HOT}`);
  const manage = (route: string) => managePath(project, route);
  return [
    { name: 'the document, now', path: () => hot },
    { name: 'the document at a revision', path: () => `${hot}?at=${drawn()}` },
    { name: 'the document at a time', path: () => `${hot}?at=${new Date(within(begun, ended)).toISOString()}` },
    { name: `a page of ${PAGE} changes`, path: () => `${hot}/history?limit=${PAGE}&before=${drawn()}` },
    { name: 'the document compared at two revisions', path: () => `${hot}/compare?from=${drawn()}&to=${drawn()}` },
    { name: `a page of ${PAGE} changes of a price`, path: () => `${manage('game-values/shop/history')}?limit=${PAGE}&at=${drawn()}` },
    { name: `a page of ${PAGE} commits of the player`, path: () => `${manage('commits')}?player=${HOT}&limit=${PAGE}&before=${drawn()}` },
  ];
}

async function measured(project: Project, { name, path }: Read, reads: number): Promise<Line> {
  const once = async () => (await expectOk(name, project.http.send('GET', path(), { headers: secretHeaders(project) }))).ms;
  for (let read = 0; read < WARM_UP_READS; read += 1) await once();
  const times: number[] = [];
  for (let read = 0; read < reads; read += 1) times.push(await once());
  const sorted = Float64Array.from(times).sort();
  return { name, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), maxMs: sorted.at(-1) ?? 0 };
}

async function usageOf(node: RunningNode): Promise<() => Promise<number | null>> {
  const postmaster = await findPostmaster(node.dataFolder);
  return async () => {
    const [own, database] = await Promise.all([cpuSeconds(node.pid), postmaster === null ? null : familyCpuSeconds(postmaster)]);
    return own === null || database === null ? null : own + database;
  };
}

/** A read model that this log has no event for: its rebuild is what reading the log alone costs. */
const NOTHING_TO_DO = 'pages';

/**
 * What the index takes on the disk, and what building it anew costs more than reading the log: so the cost of each event is that of the
 * node's own batches, and a range is merged as it is beside writes.
 */
async function indexCosts(folder: string, built: Built, settings: Settings): Promise<IndexCosts> {
  const node = await startNode(folder, { settings });
  const client = new pg.Client({ connectionString: databaseUrlOf(folder) ?? '' });
  await client.connect();
  try {
    const postmaster = await findPostmaster(folder);
    await untilResting(await usageOf(node));
    const rebuilt = async (name: string) => {
      progress(`rebuild of ${name}`);
      const before = postmaster === null ? null : await familyCpuSeconds(postmaster);
      const { code, stderr } = await savepointWith({ SAVEPOINT_DATA: folder, ...settings }, 'rebuild', name, '--json');
      if (code !== 0) throw new Error(`rebuild ${name} ended with ${code}: ${stderr.slice(-1_000)}`);
      const after = postmaster === null ? null : await familyCpuSeconds(postmaster);
      return before === null || after === null ? null : after - before;
    };
    const reading = await rebuilt(NOTHING_TO_DO);
    const watch = watchMerges(client);
    const building = await rebuilt('subjects');
    const merges = await watch.end();
    const bytes = await indexBytes(client);
    return {
      bytesPerEvent: bytes / built.revision,
      cpuMicrosPerEvent: reading === null || building === null ? null : ((building - reading) * 1e6) / built.revision,
      merges,
    };
  } finally {
    await client.end();
    await node.stop();
  }
}

async function indexBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'savepoint'::regnamespace AND relkind = 'r' AND relname ~ '^subject(s|_buckets)_v'`,
  );
  for (const { name } of rows) await client.query(`VACUUM ${name}`);
  const names = rows.map(({ name }) => name);
  const sizes = await client.query<{ bytes: number }>(
    'SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0)::float8 AS bytes FROM unnest($1::text[]) AS n (name)',
    [names],
  );
  return sizes.rows[0]?.bytes ?? 0;
}

/** How often the statements of the database are looked at. */
const WATCH_MS = 10;

/** Sees how long each statement runs that merges a range. */
function watchMerges(client: pg.Client): { end(): Promise<readonly number[]> } {
  const seen = new Map<string, number>();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await client.query<{ begun: string; ms: number }>(
        `SELECT pid || ' ' || query_start AS begun, extract(epoch FROM clock_timestamp() - query_start)::float8 * 1000 AS ms
         FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%WITH taken AS (DELETE FROM savepoint.subjects%' AND pid <> pg_backend_pid()`,
      );
      for (const { begun, ms } of rows) seen.set(begun, ms);
      await sleep(WATCH_MS);
    }
  })();
  return {
    async end() {
      isOver = true;
      await watching;
      return [...seen.values()].sort((one, other) => one - other);
    },
  };
}

interface Result {
  readonly lines: readonly Line[];
  readonly index: IndexCosts;
  readonly built: Built;
  readonly machine: Machine;
  readonly finishedAt: string;
}

async function conclude(lines: readonly Line[], index: IndexCosts, built: Built, options: Options): Promise<number> {
  const result: Result = { lines, index, built, machine: machine(), finishedAt: new Date().toISOString() };
  const rows = lines.map(({ name, p50Ms, p99Ms, maxMs }) => [name, ...[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1))]);
  const title = `${machineText(result.machine)}; ${built.revision + 1} events, ${built.operations} operations on the document; ${options.reads} reads of each kind`;
  await report(title, ['read', 'p50 ms', 'p99 ms', 'longest ms'], rows, result, options);
  const { bytesPerEvent, cpuMicrosPerEvent, merges } = index;
  print('\nindex of subjects\n');
  const [middle, longest] = [quantile(merges, 0.5), merges.at(-1) ?? 0];
  print(
    table(
      ['bytes an event', 'µs of Postgres an event', 'ranges merged', 'p50 ms', 'longest ms'],
      [[bytesPerEvent.toFixed(0), cpuMicrosPerEvent?.toFixed(1) ?? '–', merges.length, middle.toFixed(0), longest.toFixed(0)]],
    ),
  );
  return 0;
}

await runBenchmark({ name: 'bench-past', usage: USAGE, readOptions, run });
