import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { type RunningNode, startNode } from '../harness/node.ts';
import { quantile } from '../harness/numbers.ts';
import { openProject } from '../harness/project.ts';
import { databaseUrlOf } from '../postgres/database.ts';
import { type BenchRun, runBenchmark } from './benchmark.ts';
import { BOARD_CASES, type BoardCase, type BoardContext } from './board-cases.ts';
import { type Prepared, prepare, preparedIn } from './board-data.ts';
import { type OpenLoop, startOpenLoop } from './children.ts';
import { type Machine, machine, machineText, RESULT_OPTIONS, type ResultFiles, report, resultFiles } from './report.ts';
import { positive, print, progress } from './terminal.ts';

/**
 * `npm run bench:board`: what players notice while the node processes all documents of their project: for a new board, a collection that
 * becomes global, a rebuild. Exit code 1 when a write was refused. A missed bar is only reported.
 */

const USAGE = `npm run bench:board [-- options]
  --documents N          that something is asked of (100000)
  --rate N               writes a second meanwhile (1500)
  --bytes N              of a document, about (300)
  --seconds N            of the same writes before, to compare with (15)
  --rest N               seconds of rest before, between and after (5)
  --only TEXT            what is asked: cases whose name holds this
  --data DIR             keep the documents there, and find them there the next time; every run works on a copy
  --json FILE            write the result as JSON, too
  --markdown FILE        write the table as docs/performance.md shows it, too`;

const BARS = { refused: 0, times: 2, seconds: 90, disk: 1.3 };
/** A case that takes longer is given up. */
const MAX_SECONDS = 300;
const POLL_MS = 200;

interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly writes: number;
}

interface Line {
  readonly name: string;
  /** Time until the work was done. */
  readonly seconds: number;
  readonly before: Latencies;
  readonly while: Latencies;
  readonly times: number;
  /** Bytes per row of the new board, divided by those of a board that grew with its data; `null` for other cases. */
  readonly disk: number | null;
}

interface Result {
  readonly lines: readonly Line[];
  /** Cases that could not be measured completely. */
  readonly failed: readonly string[];
  readonly bars: typeof BARS;
  readonly documents: number;
  readonly perSecond: number;
  readonly bytes: number;
  readonly machine: Machine;
  readonly finishedAt: string;
}

interface Options extends ResultFiles {
  readonly documents: number;
  readonly perSecond: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Seconds. */
  readonly rest: number;
  readonly cases: readonly BoardCase[];
  readonly data: string | null;
}

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      documents: { type: 'string', default: '100000' },
      rate: { type: 'string', default: '1500' },
      bytes: { type: 'string', default: '300' },
      seconds: { type: 'string', default: '15' },
      rest: { type: 'string', default: '5' },
      only: { type: 'string', default: '' },
      data: { type: 'string' },
      ...RESULT_OPTIONS,
    },
  });
  if (values.help) return null;
  const cases = BOARD_CASES.filter(({ name }) => name.includes(values.only));
  if (cases.length === 0) throw new Error(`--only ${values.only}: there is ${BOARD_CASES.map(({ name }) => name).join(', ')}`);
  return {
    documents: Math.round(positive('--documents', values.documents)),
    perSecond: positive('--rate', values.rate),
    bytes: Math.round(positive('--bytes', values.bytes)),
    seconds: positive('--seconds', values.seconds),
    rest: positive('--rest', values.rest),
    cases,
    data: values.data ?? null,
    ...resultFiles(values),
  };
}

async function run(options: Options, { folder, defer }: BenchRun): Promise<number> {
  const work = join(folder, 'node');
  const prepared = await documentsIn(options, work);
  const node = await startNode(work);
  defer(() => node.stop());
  return bench(node, prepared, options);
}

/** Fills the folder with the documents. Copies a kept data folder if it holds them. */
async function documentsIn({ documents, bytes, data }: Options, work: string): Promise<Prepared> {
  const kept = data ?? work;
  const found = await preparedIn(kept, documents, bytes);
  if (found === null) progress(`importing ${documents} documents`);
  const prepared = found ?? (await prepare(kept, documents, bytes));
  if (found === null) progress(`imported in ${prepared.seconds.toFixed(0)} s`);
  if (data !== null) {
    await mkdir(work, { recursive: true });
    // `cp -p` keeps the owner of the database; Node's own copy would change it.
    await promisify(execFile)('cp', ['-Rp', `${data}/.`, work]);
    // Flushes the copy now. Otherwise the system writes it while the first writes are measured.
    await promisify(execFile)('sync');
  }
  return prepared;
}

async function bench(node: RunningNode, prepared: Prepared, options: Options): Promise<number> {
  const project = openProject(node.url, prepared.credentials);
  const at: BoardContext = { project, dataFolder: node.dataFolder, prepared };
  const writer = startOpenLoop();
  const client = new pg.Client({ connectionString: databaseUrlOf(node.dataFolder) ?? '' });
  await client.connect();
  const lines: Line[] = [];
  const failed: string[] = [];
  try {
    await sleep(options.rest * 1_000);
    const grown = (await boardBytes(client)) / prepared.grown;
    for (const one of options.cases) {
      const sizeBefore = await boardBytes(client);
      const line = await measured(at, one, writer, options).catch((error: unknown) => progress(`${one.name} failed: ${String(error)}`));
      if (!line) {
        failed.push(one.name);
        continue;
      }
      const size = (await boardBytes(client)) - sizeBefore;
      lines.push({ ...line, disk: one.name === 'a new board' ? size / prepared.documents / grown : null });
      await sleep(options.rest * 1_000);
    }
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${node.output().slice(-2_000)}`);
  } finally {
    await client.end();
    writer.stop();
    project.http.close();
  }
  const { documents, perSecond, bytes } = options;
  return conclude(
    { lines, failed, bars: BARS, documents, perSecond, bytes, machine: machine(), finishedAt: new Date().toISOString() },
    options,
  );
}

/** Bytes of the rows and indexes of all boards. */
async function boardBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::float8 AS bytes FROM pg_class
     WHERE relnamespace = 'savepoint'::regnamespace AND relkind = 'r' AND relname ~ '^leaderboard'`,
  );
  return rows[0]?.bytes ?? 0;
}

async function measured(at: BoardContext, one: BoardCase, writer: OpenLoop, options: Options): Promise<Omit<Line, 'disk'>> {
  const { documents, grown, bytes, credentials } = at.prepared;
  const writes = { collection: one.writesTo, documents: one.writesTo === 'many' ? documents : grown, bytes };
  const load = { url: at.project.url, project: credentials, perSecond: options.perSecond, writes };
  // Warms up: V8 optimises the code of a request only after it has run for some seconds.
  progress(`${one.name}: before`);
  await writer.run({ ...load, seconds: options.seconds / 3 });
  const before = latenciesOf(await writer.run({ ...load, seconds: options.seconds }));
  progress(one.name);
  const started = performance.now();
  const there = untilThere(at, one);
  const whileWritten = Promise.all([there, sleep((one.leastSeconds ?? 0) * 1_000)]);
  const during = latenciesOf(await writer.run({ ...load, seconds: MAX_SECONDS }, whileWritten));
  const seconds = ((await there) - started) / 1000;
  progress(`${one.name}: there after ${seconds.toFixed(1)} s`);
  return { name: one.name, seconds, before, while: during, times: during.p99Ms / before.p99Ms };
}

/** Waits until the work is done. Resolves to that moment by `performance.now()`. */
async function untilThere(at: BoardContext, one: BoardCase): Promise<number> {
  const deadline = performance.now() + MAX_SECONDS * 1_000;
  for (const isThere = await one.begin(at); ; ) {
    if (await isThere()) return performance.now();
    if (performance.now() > deadline) throw new Error(`${one.name} is not there after ${MAX_SECONDS} s`);
    await sleep(POLL_MS);
  }
}

function latenciesOf({ latencies, failures }: Awaited<ReturnType<OpenLoop['run']>>): Latencies {
  const sorted = latencies.toSorted();
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), maxMs: sorted.at(-1) ?? 0, failures, writes: sorted.length };
}

const HEAD = [
  'asked of the documents',
  'there after s',
  'writes',
  'refused',
  'p50 ms before',
  'while',
  'p99 ms before',
  'while',
  'times',
  'longest ms',
  'disk',
];

function cells({ name, seconds, before, while: during, times, disk }: Line): string[] {
  const refused = Object.entries(during.failures)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');
  const figures = [before.p50Ms, during.p50Ms, before.p99Ms, during.p99Ms].map((ms) => ms.toFixed(1));
  return [
    name,
    seconds.toFixed(1),
    String(during.writes),
    refused || 'none',
    ...figures,
    times.toFixed(1),
    during.maxMs.toFixed(0),
    disk?.toFixed(2) ?? '–',
  ];
}

async function conclude(result: Result, options: Options): Promise<number> {
  const rows = result.lines.map(cells);
  const title = `${machineText(result.machine)}; ${result.documents} documents, ${result.perSecond} writes a second`;
  await report(title, HEAD, rows, result, options);
  const missed = [...result.lines.flatMap(missedBy), ...result.failed.map((name) => `${name}: not measured`)];
  print(missed.length === 0 ? '\nevery bar holds' : `\nMISSED: ${missed.join('; ')}`);
  const isRefused = result.lines.some((line) => Object.keys(line.while.failures).length > 0);
  return isRefused || result.failed.length > 0 ? 1 : 0;
}

function missedBy({ name, seconds, while: during, times, disk }: Line): string[] {
  const missed = [
    ...(Object.keys(during.failures).length > BARS.refused ? ['writes were refused'] : []),
    ...(times > BARS.times ? [`p99 is ${times.toFixed(1)} times as long`] : []),
    ...(disk !== null && seconds > BARS.seconds ? [`there after ${seconds.toFixed(0)} s`] : []),
    ...(disk !== null && disk > BARS.disk ? [`${disk.toFixed(2)} times the disk`] : []),
  ];
  return missed.map((text) => `${name}: ${text}`);
}

await runBenchmark({ name: 'bench-board', usage: USAGE, readOptions, run });
