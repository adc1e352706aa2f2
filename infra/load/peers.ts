import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { createHttp } from '../harness/http.ts';
import { demoCredentials, type RunningNode, startNode } from '../harness/node.ts';
import { quantile } from '../harness/numbers.ts';
import { type Credentials, expectOk, managePath, openProject, secretHeaders } from '../harness/project.ts';
import { startDatabase } from '../postgres/database.ts';
import { type BenchRun, runBenchmark } from './benchmark.ts';
import { type Generator, type Peer, startBareServer, startGenerator, startPeer } from './children.ts';
import type { Seen } from './generator.ts';
import { PEER_KEYS, PEER_WORKLOADS, type PeerWorkload } from './peer-workloads.ts';
import { cpuSeconds, familyCpuSeconds, findPostmaster } from './processes.ts';
import { type Machine, machine, machineText, RESULT_OPTIONS, type ResultFiles, report, resultFiles } from './report.ts';
import { positive, progress } from './terminal.ts';
import type { Workload } from './workloads.ts';

/**
 * `npm run bench:peers`: compares the node by turns with the alternatives, on Postgres with fsync: bare Koa, Koa with an upsert, Koa with
 * an upsert and an event in one transaction, Parse Server.
 */

const USAGE = `npm run bench:peers [-- options]
  --seconds N            length of one slice; each side gets three per case (2)
  --connections 1,16,128 how many at once, of reads and writes (boards: 16)
  --only TEXT            cases whose name holds this
  --no-parse             without Parse Server, which is installed into a folder of its own by npm
  --json FILE            write the result as JSON, too
  --markdown FILE        write the table as docs/performance.md shows it, too`;

/** The version of Parse Server, pinned like everything else. */
const PARSE = 'parse-server@8.6.94';
const ROUNDS = 3;
const BOARD_CONNECTIONS = 16;
const CHANGES_PER_SECOND = 20;
const SEED_CONNECTIONS = 32;

interface Side {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** `null` for a side without Postgres. */
  readonly postmaster: number | null;
  readonly project: Credentials;
}

interface Case {
  readonly name: string;
  readonly connections: readonly number[];
  /** Workloads by the name of the side. */
  readonly sides: Readonly<Record<string, PeerWorkload>>;
  /** Scores change during the measurement. */
  readonly changes: boolean;
}

interface Line {
  readonly case: string;
  readonly side: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Microseconds of CPU for one request; `null` without /proc. */
  readonly serverCpu: number | null;
  readonly databaseCpu: number | null;
  readonly failures: Readonly<Record<string, number>>;
}

const NODE = 'Savepoint';
const BARE = 'bare Koa';
const UPSERT = 'Koa, upsert';
const EVENT = 'Koa, upsert and event';
const PARSE_SERVER = 'Parse Server';

function cases(connections: readonly number[]): readonly Case[] {
  const boards = (name: string, sides: Case['sides']) =>
    [false, true].map((changes) => ({ name: changes ? `${name}, scores change` : name, connections: [BOARD_CONNECTIONS], sides, changes }));
  return [
    {
      name: 'read',
      connections,
      changes: false,
      sides: { [NODE]: 'node.read', [BARE]: 'koa.read', [UPSERT]: 'koa.read', [PARSE_SERVER]: 'parse.read' },
    },
    { name: 'read by a proven player', connections, changes: false, sides: { [NODE]: 'node.read proven' } },
    {
      name: 'write',
      connections,
      changes: false,
      sides: { [NODE]: 'node.write', [BARE]: 'koa.write', [UPSERT]: 'koa.write', [EVENT]: 'koa.write', [PARSE_SERVER]: 'parse.write' },
    },
    ...boards('top 100', { [NODE]: 'node.top', [UPSERT]: 'koa.top', [PARSE_SERVER]: 'parse.top' }),
    ...boards('rank and ten around it', { [NODE]: 'node.around', [UPSERT]: 'koa.around' }),
  ];
}

interface Options extends ResultFiles {
  readonly seconds: number;
  readonly cases: readonly Case[];
  readonly parse: boolean;
}

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      seconds: { type: 'string', default: '2' },
      connections: { type: 'string', default: '1,16,128' },
      only: { type: 'string', default: '' },
      parse: { type: 'boolean', default: true },
      ...RESULT_OPTIONS,
    },
  });
  if (values.help) return null;
  const all = cases(values.connections.split(',').map((text) => positive('--connections', text)));
  const selected = all.filter(({ name }) => name.includes(values.only));
  if (selected.length === 0) throw new Error(`--only ${values.only}: there is ${all.map(({ name }) => name).join(', ')}`);
  return {
    seconds: positive('--seconds', values.seconds),
    cases: selected,
    parse: values.parse,
    ...resultFiles(values),
  };
}

async function run(options: Options, { folder, defer }: BenchRun): Promise<number> {
  const generator = prepareGenerator(defer);
  const sides = await startSides(folder, options, defer);
  await seed(generator, sides);
  const lines: Line[] = [];
  for (const one of options.cases) {
    for (const connections of one.connections) lines.push(...(await measured(generator, sides, one, connections, options.seconds)));
  }
  return conclude(lines, options);
}

/** The generator gets a secret that is made for this run. Players prove their identity to the node with it. */
function prepareGenerator(defer: BenchRun['defer']): Generator {
  process.env['BENCH_PLAYER_SECRET'] = randomBytes(32).toString('hex');
  const generator = startGenerator();
  defer(() => generator.stop());
  return generator;
}

async function startSides(folder: string, options: Options, defer: BenchRun['defer']): Promise<readonly Side[]> {
  progress('the node');
  const node = await startNode(join(folder, 'node'), {
    settings: { VERIFIER: 'hmac', VERIFIER_SECRET: process.env['BENCH_PLAYER_SECRET'] ?? '' },
  });
  defer(() => node.stop());
  const project = await prepareNode(node);
  const sides: Side[] = [{ name: NODE, url: node.url, pid: node.pid, postmaster: await findPostmaster(node.dataFolder), project }];

  progress('what it is compared with');
  const quiet = { info: () => undefined, warn: () => undefined };
  const database = await startDatabase({ dataDir: join(folder, 'peers'), log: quiet });
  defer(() => database.stop());
  const bare = await startBareServer();
  defer(() => bare.stop());
  await bare.answerWith({ ok: true, name: 'Player', bag: [] });
  sides.push({ name: BARE, url: bare.url, pid: 0, postmaster: null, project });
  const add = (name: string, peer: Peer) => {
    defer(() => peer.stop());
    sides.push({ name, url: peer.url, pid: peer.pid, postmaster: database.pid, project });
  };
  add(UPSERT, await startPeer({ kind: 'koa upsert', databaseUrl: await newDatabase(database.url, 'upsert'), parseFolder: null }));
  add(EVENT, await startPeer({ kind: 'koa upsert and event', databaseUrl: await newDatabase(database.url, 'event'), parseFolder: null }));
  const parseFolder = options.parse ? await installParse() : null;
  if (parseFolder !== null)
    add(PARSE_SERVER, await startPeer({ kind: 'parse', databaseUrl: await newDatabase(database.url, 'parse'), parseFolder }));
  return sides;
}

async function prepareNode(node: RunningNode): Promise<Credentials> {
  const credentials = demoCredentials(node.dataFolder);
  const project = openProject(node.url, credentials);
  const push = (method: string, route: string, body: unknown) =>
    expectOk(`${method} ${route}`, project.http.send(method, managePath(project, route), { headers: secretHeaders(project), body }));
  const schema = { name: { type: 'string' }, score: { type: 'number' } };
  await push('PUT', 'collections', [{ id: 'saves', name: 'saves', collectionType: 'per-platformid', accessMode: 'public', schema }]);
  const config = { field: 'score', order: 'desc', limit: PEER_KEYS, columns: ['name', 'score'] };
  await push('POST', 'queries', [{ id: 'top', name: 'top', type: 'leaderboard', sources: [{ collectionId: 'saves' }], config }]);
  project.http.close();
  return credentials;
}

/** Sets whether the node refuses reads of players without proof. */
async function demandProof(side: Side, on: boolean): Promise<void> {
  const project = openProject(side.url, side.project);
  await expectOk(
    'settings',
    project.http.send('PUT', managePath(project, 'settings'), { headers: secretHeaders(project), body: { requirePlayerAuth: on } }),
  );
  project.http.close();
}

async function newDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE bench_${name}`);
  await client.end();
  const made = new URL(url);
  made.pathname = `/bench_${name}`;
  return made.href;
}

/** Returns `null` when npm cannot install it. */
async function installParse(): Promise<string | null> {
  const folder = join(tmpdir(), 'savepoint-bench-parse-server');
  if (existsSync(join(folder, 'node_modules/parse-server/package.json'))) return folder;
  progress(`installing ${PARSE} into ${folder}`);
  await mkdir(folder, { recursive: true });
  try {
    const words = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', PARSE];
    await promisify(execFile)('npm', words);
    return folder;
  } catch (error) {
    progress(`without Parse Server: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`);
    return null;
  }
}

async function seed(generator: Generator, sides: readonly Side[]): Promise<void> {
  for (const side of sides.filter(({ name }) => name !== BARE)) {
    progress(`${side.name}: ${PEER_KEYS} documents`);
    const workload = side.name === NODE ? 'node.seed' : side.name === PARSE_SERVER ? 'parse.seed' : 'koa.seed';
    const until = { requests: PEER_KEYS };
    const seen = await generator.perform({ workload, url: side.url, project: side.project, connections: SEED_CONNECTIONS, until });
    if (Object.keys(seen.failures).length > 0) throw new Error(`${side.name}: ${JSON.stringify(seen.failures)}`);
  }
}

async function measured(
  generator: Generator,
  sides: readonly Side[],
  one: Case,
  connections: number,
  seconds: number,
): Promise<readonly Line[]> {
  progress(`${one.name}, ${connections} connections`);
  const taking = sides.filter(({ name }) => name in one.sides);
  const seen = new Map<string, Seen[]>();
  const used = new Map<string, { server: number; database: number } | null>();
  const proven = one.name.includes('proven') ? taking.find(({ name }) => name === NODE) : undefined;
  if (proven) await demandProof(proven, true);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const side of taking) {
      const workload = one.sides[side.name];
      if (workload === undefined) continue;
      const before = await usage(side);
      const stopChanging = one.changes ? changing(side) : async () => undefined;
      const slice = await generator.perform({ workload, url: side.url, project: side.project, connections, until: { seconds } });
      await stopChanging();
      // The first round is the warm-up.
      if (round === 0) continue;
      seen.set(side.name, [...(seen.get(side.name) ?? []), slice]);
      used.set(side.name, sum(used.get(side.name), before, await usage(side)));
    }
  }
  if (proven) await demandProof(proven, false);
  return taking.map((side) => lineOf(one.name, side.name, connections, seen.get(side.name) ?? [], used.get(side.name) ?? null));
}

/** Writes scores at an even pace, with the requests of this side. */
function changing(side: Side): () => Promise<void> {
  const http = createHttp(side.url);
  const workload: Workload = PEER_WORKLOADS[side.name === NODE ? 'node.write' : side.name === PARSE_SERVER ? 'parse.write' : 'koa.write'];
  let index = 0;
  const timer = setInterval(() => {
    const { path, body, player } = workload.request(side.project, index++);
    const headers = { ...workload.headers(side.project), ...(player === undefined ? {} : { 'x-platform-id': player }) };
    void http.send(workload.method, path, { headers, body: JSON.parse(body ?? '{}') }).catch(() => undefined);
  }, 1_000 / CHANGES_PER_SECOND);
  return async () => {
    clearInterval(timer);
    http.close();
  };
}

async function usage({ pid, postmaster }: Side): Promise<{ readonly server: number; readonly database: number } | null> {
  const [server, database] = await Promise.all([pid === 0 ? 0 : cpuSeconds(pid), postmaster === null ? 0 : familyCpuSeconds(postmaster)]);
  return server === null || database === null ? null : { server, database };
}

function sum(
  all: { readonly server: number; readonly database: number } | null | undefined,
  before: { readonly server: number; readonly database: number } | null,
  after: { readonly server: number; readonly database: number } | null,
) {
  if (all === null || before === null || after === null) return null;
  return { server: (all?.server ?? 0) + after.server - before.server, database: (all?.database ?? 0) + after.database - before.database };
}

function lineOf(
  name: string,
  side: string,
  connections: number,
  seen: readonly Seen[],
  used: { server: number; database: number } | null,
): Line {
  const latencies = Float64Array.from(seen.flatMap((one) => [...one.latencies])).sort();
  const seconds = seen.reduce((all, one) => all + one.seconds, 0);
  const failures: Record<string, number> = {};
  for (const one of seen) for (const [reason, count] of Object.entries(one.failures)) failures[reason] = (failures[reason] ?? 0) + count;
  const each = (spent: number | undefined) => (spent === undefined || side === BARE ? null : (spent * 1e6) / latencies.length);
  return {
    case: name,
    side,
    connections,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    serverCpu: each(used?.server),
    databaseCpu: each(used?.database),
    failures,
  };
}

async function conclude(lines: readonly Line[], options: Options): Promise<number> {
  const on: Machine = machine();
  const rows = lines.map(cells);
  const result = { lines, machine: on, finishedAt: new Date().toISOString() };
  await report(machineText(on), HEAD, rows, result, options);
  return lines.some(({ failures }) => Object.keys(failures).length > 0) ? 1 : 0;
}

const HEAD = ['case', 'connections', 'who', 'req/s', 'p50 ms', 'p99 ms', 'server CPU µs', 'database CPU µs', 'failures'];

function cells(line: Line): string[] {
  const cpu = (value: number | null) => (value === null ? '–' : value.toFixed(0));
  const failed = Object.entries(line.failures).map(([status, count]) => `${status}: ${count}`);
  return [
    ...[line.case, String(line.connections), line.side, line.perSecond.toFixed(0), line.p50Ms.toFixed(2), line.p99Ms.toFixed(1)],
    ...[cpu(line.serverCpu), cpu(line.databaseCpu), failed.join(', ') || 'none'],
  ];
}

await runBenchmark({ name: 'bench-peers', usage: USAGE, readOptions, run });
