import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { projectOf, type RunningNode, type Settings, startNode } from '../harness/node.ts';
import { openProject, type Project } from '../harness/project.ts';
import { type BenchRun, runBenchmark } from './benchmark.ts';
import { startBareServer, startGenerator } from './children.ts';
import { measure, type Row, type Slices, settle, type TestBed, warmUp } from './measure.ts';
import { pushDefinitions, sampleAnswer, writeSeed } from './prepare.ts';
import { findPostmaster } from './processes.ts';
import { bars, machine, markdown, printResult, RESULT_OPTIONS, type Result, type ResultFiles, resultFiles, type Starts } from './report.ts';
import { positive, progress } from './terminal.ts';
import { CASES, type CaseName, KEYED_CASES, NEEDS } from './workloads.ts';

/**
 * `npm run bench`: compares a node on its embedded Postgres with a bare Koa handler, on the same machine, by turns. Exit code 1 when any
 * answer was not 2xx, because the figures mean nothing then. A missed bar is only reported.
 */

interface Options extends ResultFiles {
  readonly only: readonly CaseName[];
  readonly connections: readonly number[];
  readonly workers: number;
  readonly slices: Slices;
  readonly logServer: number | null;
  /** Settings of the measured node. */
  readonly settings: Settings;
}

const ALL_CASES: readonly CaseName[] = [...CASES, ...KEYED_CASES];

const USAGE = `npm run bench [-- options]
  --only CASE…           ${CASES.join(', ')}; beside them ${KEYED_CASES.join(' and ')}, which have an
                         Idempotency-Key a request (repeatable, or separated by commas)
  --connections 16,128   how many at once
  --workers N            processes of the node that serve (1)
  --eventstore URL       the node's log on an EventStoreDB, which this fills; what it takes of the machine is in the figures, too
  --eventstore-pid N     the process of that server on this machine: its CPU is a column of its own, and in the sum
  --seconds N            length of one slice; each side gets five per case (2)
  --json FILE            write the result as JSON, too
  --markdown FILE        write the table as docs/performance.md shows it, too`;

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      connections: { type: 'string', default: '16,128' },
      workers: { type: 'string', default: '1' },
      eventstore: { type: 'string' },
      'eventstore-pid': { type: 'string' },
      seconds: { type: 'string', default: '2' },
      ...RESULT_OPTIONS,
    },
  });
  if (values.help) return null;
  const named = [...values.only, ...positionals].flatMap((text) => text.split(','));
  const unknown = named.find((name) => !ALL_CASES.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`unknown case ${unknown}; there are ${ALL_CASES.join(', ')}`);
  return {
    ...resultFiles(values),
    only: named.length === 0 ? CASES : ALL_CASES.filter((name) => named.includes(name)),
    connections: values.connections.split(',').map((text) => positive('--connections', text)),
    workers: positive('--workers', values.workers),
    // Uses many short slices: the machine's share of its host changes within seconds, and both sides should meet all of that.
    slices: { count: 5, seconds: positive('--seconds', values.seconds) },
    logServer: values['eventstore-pid'] === undefined ? null : positive('--eventstore-pid', values['eventstore-pid']),
    settings: values.eventstore === undefined ? {} : { EVENTSTORE_URL: values.eventstore },
  };
}

async function run(options: Options, { folder, defer }: BenchRun): Promise<number> {
  let running: RunningNode | undefined;
  defer(() => running?.stop());
  return bench(options, folder, async () => {
    running = await startNode(folder, { args: ['--workers', String(options.workers)], settings: options.settings });
    return running;
  });
}

async function bench(options: Options, folder: string, start: () => Promise<RunningNode>): Promise<number> {
  progress('starting cold, then warm');
  const cold = await start();
  await cold.stop();
  const node = await start();
  const credentials = await projectOf(folder, options.settings);
  const project = openProject(node.url, credentials);
  const bare = await startBareServer();
  const generator = startGenerator();
  const { logServer } = options;
  const testBed: TestBed = { credentials, node, postmaster: await findPostmaster(folder), logServer, bare, generator };
  try {
    await pushDefinitions(project);
    const { rows, seedsPerSecond } = await measureAll(testBed, project, options);
    progress('starting warm with the data of this run');
    await node.stop();
    const again = await start();
    const starts: Starts = { coldMs: cold.startedInMs, warmMs: node.startedInMs, warmWithDataMs: again.startedInMs };
    await again.stop();
    return await conclude(options, rows, seedsPerSecond, starts);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${node.output()}`);
  } finally {
    project.http.close();
    bare.stop();
    generator.stop();
  }
}

async function measureAll(testBed: TestBed, project: Project, options: Options) {
  const rows: Row[] = [];
  const seedsPerSecond: Record<string, number> = {};
  for (const name of options.only) {
    const seed = NEEDS[name];
    if (seed !== null && !(seed in seedsPerSecond)) {
      progress(seed);
      seedsPerSecond[seed] = await writeSeed(testBed, project, seed);
      await settle(testBed);
    }
    await testBed.bare.answerWith(await sampleAnswer(project, testBed.node, name));
    progress(`${name}, warming up`);
    await warmUp(testBed, name, Math.max(...options.connections), options.slices);
    for (const connections of options.connections) {
      progress(`${name}, ${connections} connections`);
      rows.push(await measure(testBed, name, connections, options.slices));
    }
  }
  return { rows, seedsPerSecond };
}

async function conclude(options: Options, rows: readonly Row[], seedsPerSecond: Readonly<Record<string, number>>, starts: Starts) {
  const resident = rows.map((row) => row.rssMb).filter((size) => size !== null);
  const rssMb = resident.length === 0 ? null : Math.max(...resident);
  const result: Result = {
    results: rows,
    rssMb,
    workers: options.workers,
    starts,
    seedsPerSecond,
    // The memory bar applies to one process.
    bars: bars(rows, options.workers === 1 ? rssMb : null, starts),
    machine: machine(),
    finishedAt: new Date().toISOString(),
  };
  printResult(result);
  if (options.jsonFile !== null) await writeFile(options.jsonFile, `${JSON.stringify(result, null, 2)}\n`);
  if (options.markdownFile !== null) await writeFile(options.markdownFile, `${markdown(result)}\n`);
  const invalid = rows.filter((row) => row.non2xx > 0);
  if (invalid.length > 0) progress(`INVALID: ${invalid.map((row) => `${row.case} at ${row.connections}`).join(', ')}`);
  return invalid.length > 0 ? 1 : 0;
}

await runBenchmark({ name: 'bench', usage: USAGE, readOptions, run });
