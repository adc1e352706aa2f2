import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type RunningNode, startNode } from '../harness/node.ts';
import { quantile } from '../harness/numbers.ts';
import { freePort } from '../harness/port.ts';
import type { Credentials, Project } from '../harness/project.ts';
import { type BenchRun, runBenchmark } from './benchmark.ts';
import { type OpenLoop, startBareServer, startOpenLoop } from './children.ts';
import { type Ending, linkTo, tenConsoles } from './console-open.ts';
import { type Answered, type LoadContext, NOISY_LOADS, type NoisyLoad, type Sizes } from './noisy-loads.ts';
import type { LoadResult, OpenLoad } from './open-loop.ts';
import { credentialsOf, newProject, prepareGame } from './prepare.ts';
import { type Machine, machine, machineText, RESULT_OPTIONS, type ResultFiles, report, resultFiles } from './report.ts';
import { positive, print, progress } from './terminal.ts';
import { KEYS } from './workloads.ts';

/**
 * `npm run bench:neighbours`: what a project notices of a noisy one on the same node. Exit code 1 when an answer to the quiet project was
 * not 2xx. A missed bar is only reported.
 */

const USAGE = `npm run bench:neighbours [-- options]
  --only TEXT            noisy loads whose name holds this; may be given several times
  --seconds N            how long each is measured (12)
  --per-second N         requests of the quiet project (60)
  --seeded N             documents of the quiet project in each collection (10000)
  --rest N               seconds until the work that the other project caused counts as done (3)
  --scanned N            documents that queries look through (30000)
  --boarded N            documents that a new board is filled with (200000)
  --entries N            ledger entries of one player (100000)
  --consoles HOW         ten consoles follow the quiet project meanwhile: their "requests" alone, or the ten "open" in browsers
  --json FILE            write the result as JSON, too
  --markdown FILE        write the table as docs/performance.md shows it, too`;

/** The quiet project's p99 may be at most this many times as long as without the other project. */
const BAR = 5;

/** What ten consoles ask for, with their browsers or without. */
const BESIDE = ['requests', 'open'] as const;
type Beside = (typeof BESIDE)[number];

interface Line {
  readonly name: string;
  /** Its p99 in the quiet time before. */
  readonly quietP99Ms: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Its p99 divided by {@link quietP99Ms}. */
  readonly times: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly noisy: Answered;
}

interface Result {
  readonly lines: readonly Line[];
  readonly bar: number;
  readonly perSecond: number;
  readonly sizes: Sizes;
  readonly consoles: Beside | null;
  /** What of the consoles was not answered; `null`: all was. */
  readonly lost: string | null;
  readonly machine: Machine;
  readonly finishedAt: string;
}

interface Options extends ResultFiles {
  readonly only: readonly string[];
  readonly seconds: number;
  readonly perSecond: number;
  /** Documents of the quiet project in each collection. */
  readonly seeded: number;
  /** What of ten consoles goes on meanwhile. */
  readonly consoles: Beside | null;
  /** Seconds. */
  readonly rest: number;
  readonly sizes: Sizes;
}

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [''] },
      seconds: { type: 'string', default: '12' },
      'per-second': { type: 'string', default: '60' },
      seeded: { type: 'string', default: String(KEYS) },
      rest: { type: 'string', default: '3' },
      scanned: { type: 'string', default: '30000' },
      boarded: { type: 'string', default: '200000' },
      entries: { type: 'string', default: '100000' },
      consoles: { type: 'string' },
      ...RESULT_OPTIONS,
    },
  });
  if (values.help) return null;
  const unknown = values.only.find((part) => !NOISY_LOADS.some(({ name }) => name.includes(part)));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: there is ${NOISY_LOADS.map(({ name }) => name).join(', ')}`);
  const consoles = BESIDE.find((name) => name === values.consoles) ?? null;
  if (values.consoles !== undefined && consoles === null) throw new Error(`--consoles ${values.consoles}: there is ${BESIDE.join(', ')}`);
  return {
    only: values.only,
    seconds: positive('--seconds', values.seconds),
    perSecond: positive('--per-second', values['per-second']),
    seeded: Math.round(positive('--seeded', values.seeded)),
    rest: positive('--rest', values.rest),
    consoles,
    sizes: {
      scanned: positive('--scanned', values.scanned),
      boarded: positive('--boarded', values.boarded),
      entries: positive('--entries', values.entries),
    },
    ...resultFiles(values),
  };
}

async function run(options: Options, { folder, defer }: BenchRun): Promise<number> {
  const settings = options.consoles === null ? {} : { CONSOLE_LISTEN: `127.0.0.1:${await freePort()}` };
  const node = await startNode(folder, { settings });
  defer(() => node.stop());
  const { consoles } = options;
  return bench(node, options, async (game) => {
    if (consoles === null) return NOTHING_OPEN;
    const ten = await tenConsoles(game, () => linkTo(folder, settings), defer);
    return consoles === 'open' ? ten.show() : ten.replay();
  });
}

const NOTHING_OPEN: Ending = async () => null;

async function bench(node: RunningNode, options: Options, openConsoles: (game: Credentials) => Promise<Ending>): Promise<number> {
  const [loud, quiet] = [await newProject(node, 'Loud'), await newProject(node, 'Quiet')];
  progress('the quiet project');
  await prepareGame(quiet, options.seeded);
  const openLoop = startOpenLoop();
  const bare = await startBareServer();
  const context = { project: loud, dataFolder: node.dataFolder, bare, sizes: options.sizes };
  const lines: Line[] = [];
  let lost: string | null = null;
  try {
    const end = await openConsoles(credentialsOf(quiet));
    // Warms up: V8 optimises the code of a request only after it has run for some time.
    await openLoop.run(loadOf(quiet, options));
    for (const noisy of NOISY_LOADS.filter(({ name }) => options.only.some((part) => name.includes(part)))) {
      const line = await measured(context, quiet, openLoop, noisy, options);
      lines.push(line);
      // Prints each line at once, so that an aborted run has shown what it measured.
      progress(cells(line).join(' | '));
    }
    lost = await end();
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${node.output()}`);
  } finally {
    openLoop.stop();
    bare.stop();
    loud.http.close();
    quiet.http.close();
  }
  const { perSecond, sizes, consoles } = options;
  return conclude({ lines, bar: BAR, perSecond, sizes, consoles, lost, machine: machine(), finishedAt: new Date().toISOString() }, options);
}

async function measured(at: LoadContext, quiet: Project, openLoop: OpenLoop, noisy: NoisyLoad, options: Options): Promise<Line> {
  progress(`${noisy.name}: preparing`);
  await noisy.prepare(at);
  await sleep(options.rest * 1_000);
  const load = loadOf(quiet, options);
  progress(`${noisy.name}: quiet`);
  const before = await openLoop.run(load);
  progress(noisy.name);
  const until = performance.now() + options.seconds * 1_000;
  const [result, answered] = await Promise.all([openLoop.run(load), noisy.run(at, () => performance.now() > until)]);
  await sleep(options.rest * 1_000);
  const sorted = result.latencies.toSorted();
  const p99Ms = quantile(sorted, 0.99);
  const quietP99Ms = p99Of(before);
  return {
    name: noisy.name,
    quietP99Ms,
    p50Ms: quantile(sorted, 0.5),
    p99Ms,
    maxMs: sorted.at(-1) ?? 0,
    times: p99Ms / quietP99Ms,
    failures: result.failures,
    noisy: answered,
  };
}

function loadOf(quiet: Project, { perSecond, seconds, seeded }: Options): OpenLoad {
  return { url: quiet.url, project: credentialsOf(quiet), perSecond, seconds, keys: seeded };
}

function p99Of({ latencies }: LoadResult): number {
  return quantile(latencies.toSorted(), 0.99);
}

async function conclude(result: Result, options: Options): Promise<number> {
  const rows = result.lines.map(cells);
  await report(`${machineText(result.machine)}; ${result.perSecond} requests a second of the quiet project`, HEAD, rows, result, options);
  const missed = result.lines.filter(({ times }) => times > BAR);
  print(
    missed.length === 0 ? `\nits p99 stays within ${BAR} times of its quiet one` : `\nMISSED: ${missed.map(({ name }) => name).join(', ')}`,
  );
  if (result.lost !== null) print(`FAILED ten consoles: ${result.lost}`);
  return result.lost !== null || result.lines.some(({ failures }) => Object.keys(failures).length > 0) ? 1 : 0;
}

const HEAD = [
  'beside it',
  'quiet p99 ms',
  'p50 ms',
  'p99 ms',
  'longest ms',
  'p99 by its quiet one',
  'its failures',
  'what the other was answered',
];

function cells({ name, quietP99Ms, p50Ms, p99Ms, maxMs, times, failures, noisy }: Line): string[] {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ') || 'none';
  return [name, quietP99Ms.toFixed(1), p50Ms.toFixed(1), p99Ms.toFixed(1), maxMs.toFixed(0), times.toFixed(1), list(failures), list(noisy)];
}

await runBenchmark({ name: 'bench-neighbours', usage: USAGE, readOptions, run });
