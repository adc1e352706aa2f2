import { parseArgs } from 'node:util';
import { errorMessage } from '../../src/kernel/error-reporting.ts';
import { table } from '../harness/table.ts';
import { type Cluster, startCluster } from './cluster.ts';

/** `npm run cluster`: the whole topology on this machine without Docker, until Ctrl-C or SIGTERM. */

const USAGE = `npm run cluster [-- options]
  --nodes N      API nodes behind the balancer (3)
  --port N       of the balancer (8080); 0 takes a free one
  --data DIR     for database, queue and logs (./data/cluster)
  --no-jobs      without Redis and worker
  --json         print where everything is as one JSON line
Settings of the environment reach all nodes. DATABASE_URL, EVENTSTORE_URL and REDIS_URL name servers of your own; without the first and the
last an embedded Postgres and this machine's redis-server are started. The balancer is this machine's nginx.`;

interface Options {
  readonly nodes: number;
  readonly port: number;
  readonly folder: string;
  readonly jobs: boolean;
  readonly json: boolean;
}

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '3' },
      port: { type: 'string', default: '8080' },
      data: { type: 'string', default: './data/cluster' },
      'no-jobs': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    nodes: wholeNumber('--nodes', values.nodes, 1, 20),
    port: wholeNumber('--port', values.port, 0, 65_535),
    folder: values.data,
    jobs: !values['no-jobs'],
    json: values.json,
  };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Error(`${name} must be a whole number from ${least} to ${most}`);
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) return print(USAGE);
  // A signal may arrive while parts still start, so it is remembered. It arrives twice, because npm passes Ctrl-C on.
  const stopping = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  const cluster = await startCluster({ ...options, env: process.env, tell });
  print(options.json ? JSON.stringify(asJson(cluster)) : greeting(cluster));
  await stopping;
  tell('stopping: balancer, nodes, queue, database');
  await cluster.stop();
}

function asJson({ url, parts, credentialsFile }: Cluster): object {
  const list = parts.map(({ part, pid }) => ({ name: part.name, does: part.does, address: part.address, pid: pid() }));
  return { url, credentialsFile, parts: list };
}

function greeting({ url, parts, credentialsFile }: Cluster): string {
  const rows = parts.map(({ part, pid }) => [part.name, part.does, part.address, String(pid())]);
  const keys = credentialsFile ?? 'the log held projects already: `savepoint project list`';
  return [
    table(['PART', 'DOES', 'LISTENS ON', 'PROCESS'], rows),
    '',
    `savepoint is ready on ${url}`,
    `Keys of the demo project: ${keys}`,
    'A part that ends is started again. Ctrl-C stops all of them, in their order.',
  ].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

process.exitCode = await main().then(
  () => 0,
  (error: unknown) => {
    tell(`the cluster failed: ${errorMessage(error)}`);
    return 1;
  },
);
// Open handles of the parts must not keep the process alive.
process.exit();
