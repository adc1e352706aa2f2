import { parseArgs } from 'node:util';
import { type ClusterOptions, startCluster } from '../cluster/cluster.ts';
import { ownEnvironment } from '../harness/node.ts';
import { type BenchRun, runBenchmark } from './benchmark.ts';
import { startGenerator } from './children.ts';
import { ARRANGEMENTS, type Contention, contend, type Load } from './contention.ts';
import { type Machine, machine, machineText, RESULT_OPTIONS, type ResultFiles, report, resultFiles } from './report.ts';
import { positive, progress } from './terminal.ts';

/** `npm run bench:cluster`: `document.write` on one project and on six, sent to one node, to three, and through the load balancer. */

interface Options extends Load, ResultFiles {
  readonly eventStoreUrl: string | null;
}

interface ClusterResult {
  readonly results: readonly Contention[];
  readonly nodes: number;
  readonly log: 'Postgres' | 'EventStoreDB';
  readonly machine: Machine;
  readonly finishedAt: string;
}

const NODES = 3;
const USAGE = `npm run bench:cluster [-- options]     needs nginx on this machine
  --connections N        how many at once, over all nodes and projects (96)
  --seconds N            how long each arrangement is measured (8)
  --eventstore URL       keep the log in this EventStoreDB, which should be an empty one
  --json FILE            write the result as JSON, too
  --markdown FILE        write the table as docs/performance.md shows it, too`;

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      connections: { type: 'string', default: '96' },
      seconds: { type: 'string', default: '8' },
      eventstore: { type: 'string' },
      ...RESULT_OPTIONS,
    },
  });
  if (values.help) return null;
  return {
    connections: positive('--connections', values.connections),
    seconds: positive('--seconds', values.seconds),
    eventStoreUrl: values.eventstore ?? null,
    ...resultFiles(values),
  };
}

async function run(options: Options, { folder, defer }: BenchRun): Promise<number> {
  progress(`starting ${NODES} nodes, a projector and a balancer`);
  const engine = options.eventStoreUrl === null ? {} : { EVENTSTORE_URL: options.eventStoreUrl };
  const setup: ClusterOptions = { folder, nodes: NODES, port: 0, jobs: false, env: { ...ownEnvironment(), ...engine }, tell: progress };
  const cluster = await startCluster(setup);
  defer(() => cluster.stop());
  const generator = startGenerator();
  defer(() => generator.stop());
  progress('warming all of them up');
  await contend(cluster, generator, { route: 'all nodes', projects: 1 }, { connections: options.connections, seconds: 3 });
  const results: Contention[] = [];
  for (const arrangement of ARRANGEMENTS) {
    progress(`${arrangement.route}, ${arrangement.projects} projects`);
    results.push(await contend(cluster, generator, arrangement, options));
  }
  const log = options.eventStoreUrl === null ? 'Postgres' : 'EventStoreDB';
  return conclude(options, { results, nodes: NODES, log, machine: machine(), finishedAt: new Date().toISOString() });
}

const HEAD = [
  'clients speak to',
  'projects',
  'writes/s',
  'per node',
  'least share',
  'conflicts',
  'commits/append',
  'p50 ms',
  'p99 ms',
  'not 2xx',
];

async function conclude(options: Options, result: ClusterResult): Promise<number> {
  const rows = result.results.map(cells);
  const title = `${machineText(result.machine)}; log in ${result.log}; ${options.connections} connections`;
  await report(title, HEAD, rows, result, options);
  // Several nodes may answer 409 when their writes conflict, which is a result. Any other failure makes the figures meaningless.
  const invalid = result.results.filter(({ failures }) => Object.keys(failures).some((status) => status !== '409'));
  for (const { route, projects, failures } of invalid) progress(`INVALID: ${route}, ${projects}: ${JSON.stringify(failures)}`);
  return invalid.length > 0 ? 1 : 0;
}

function cells(row: Contention): readonly (string | number)[] {
  return [
    row.route,
    row.projects,
    Math.round(row.writesPerSecond),
    row.perNode.map(Math.round).join(' + '),
    row.leastShare === null ? '–' : row.leastShare.toFixed(2),
    row.conflicts,
    row.groupSize.toFixed(1),
    row.p50Ms.toFixed(1),
    row.p99Ms.toFixed(1),
    Object.values(row.failures).reduce((one, other) => one + other, 0),
  ];
}

await runBenchmark({ name: 'bench-cluster', usage: USAGE, readOptions, run });
