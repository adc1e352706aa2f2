import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { numberAt } from '../harness/json.ts';
import { projectOf, type RunningNode, type Settings, savepointWith, startNode } from '../harness/node.ts';
import { openProject } from '../harness/project.ts';
import { table } from '../harness/table.ts';
import { databaseUrlOf } from '../postgres/database.ts';
import { type BenchRun, runBenchmark } from './benchmark.ts';
import { startGenerator } from './children.ts';
import { untilResting } from './measure.ts';
import { pushDefinitions } from './prepare.ts';
import { cpuSeconds, familyCpuSeconds, findPostmaster } from './processes.ts';
import { type Machine, machine, machineText } from './report.ts';
import { positive, print, progress } from './terminal.ts';
import { KEYS } from './workloads.ts';

/** `npm run bench:storage`: how much disk space writes take, and how fast the log is read again: rebuild, verify, backup, restore. */

const USAGE = `npm run bench:storage [-- options]
  --writes N             documents of 0.7 KB that are written, over ${KEYS} keys (200000)
  --eventstore URL       the node's log on an EventStoreDB that is empty
  --eventstore-data DIR  the database folder of that server on this machine: what it leaves on the disk is shown, too
  --json FILE            write the result as JSON, too`;

const CONNECTIONS = 128;

interface Part {
  readonly name: string;
  readonly bytes: number;
  readonly bytesPerWrite: number;
}

interface Speed {
  readonly name: string;
  readonly seconds: number;
  readonly eventsPerSecond: number;
}

interface StorageResult {
  readonly writes: number;
  readonly writesPerSecond: number;
  readonly parts: readonly Part[];
  readonly speeds: readonly Speed[];
  readonly machine: Machine;
  readonly finishedAt: string;
}

interface Options {
  readonly writes: number;
  readonly settings: Settings;
  readonly serverFolder: string | null;
  readonly jsonFile: string | null;
}

/** Returns `null` when `--help` was given. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      writes: { type: 'string', default: '200000' },
      eventstore: { type: 'string' },
      'eventstore-data': { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    writes: Math.round(positive('--writes', values.writes)),
    settings: values.eventstore === undefined ? {} : { EVENTSTORE_URL: values.eventstore },
    serverFolder: values['eventstore-data'] ?? null,
    jsonFile: values.json ?? null,
  };
}

async function run(options: Options, { folder, defer }: BenchRun): Promise<number> {
  const { settings, jsonFile } = options;
  const node = await startNode(join(folder, 'node'), { settings });
  defer(() => node.stop());
  const result = await bench(node, folder, options);
  show(result);
  if (jsonFile !== null) await writeFile(jsonFile, `${JSON.stringify(result, null, 2)}\n`);
  return 0;
}

async function bench(node: RunningNode, folder: string, { settings, writes, serverFolder }: Options): Promise<StorageResult> {
  const data = node.dataFolder;
  const credentials = await projectOf(data, settings);
  const project = openProject(node.url, credentials);
  await pushDefinitions(project);
  project.http.close();
  const rest = async () => untilResting(await usageOf(node));
  await rest();

  progress(`${writes} writes`);
  const before = await sizes(data, serverFolder);
  const generator = startGenerator();
  const job = {
    workload: 'document.write',
    url: node.url,
    project: credentials,
    connections: CONNECTIONS,
    until: { requests: writes },
  } as const;
  const seen = await generator.perform(job);
  generator.stop();
  if (Object.keys(seen.failures).length > 0) throw new Error(`some were refused: ${JSON.stringify(seen.failures)}`);
  await rest();
  const after = await sizes(data, serverFolder);
  await node.stop();

  const parts = [...after].map(([name, bytes]) => {
    const grown = bytes - (before.get(name) ?? 0);
    return { name, bytes: grown, bytesPerWrite: grown / writes };
  });
  const { speeds, backupBytes } = await readAgain(folder, data, settings);
  return {
    writes,
    writesPerSecond: writes / seen.seconds,
    parts: [...parts, { name: 'backup file', bytes: backupBytes, bytesPerWrite: backupBytes / writes }],
    speeds,
    machine: machine(),
    finishedAt: new Date().toISOString(),
  };
}

async function usageOf(node: RunningNode): Promise<() => Promise<number | null>> {
  const postmaster = await findPostmaster(node.dataFolder);
  return async () => {
    const [own, database] = await Promise.all([cpuSeconds(node.pid), postmaster === null ? null : familyCpuSeconds(postmaster)]);
    return own === null || database === null ? null : own + database;
  };
}

/** Each of these reads the log from its beginning, without a node beside it. */
async function readAgain(
  folder: string,
  data: string,
  settings: Settings,
): Promise<{ readonly speeds: readonly Speed[]; readonly backupBytes: number }> {
  const file = join(folder, 'backup.ndjson.gz');
  const here = { SAVEPOINT_DATA: data, ...settings };
  const events = numberAt(await command(here, ['verify', '--wait']), 'answer.events');
  const speeds: Speed[] = [];
  const timed = async (name: string, words: readonly string[], within?: string) => {
    progress(name);
    const { seconds, answer } = await command(name === FROM_FILE ? {} : here, words);
    const own = within === undefined ? seconds : numberAt(answer, within);
    speeds.push({ name, seconds: own, eventsPerSecond: events / own });
  };
  await timed('rebuild', ['rebuild'], 'seconds');
  await timed('verify', ['verify']);
  await timed('log copy to a file', ['log', 'copy', '--to', `file:${file}`]);
  await timed(FROM_FILE, ['log', 'copy', '--to', `data:${join(folder, 'restored')}`, '--from', `file:${file}`]);
  return { speeds, backupBytes: (await stat(file)).size };
}

/** Restores into a new Postgres, whatever engine the log was in. */
const FROM_FILE = 'log copy from it';

async function command(settings: Settings, words: readonly string[]): Promise<{ readonly seconds: number; readonly answer: unknown }> {
  const started = performance.now();
  const { code, stdout, stderr } = await savepointWith(settings, ...words, '--json');
  if (code !== 0) throw new Error(`savepoint ${words.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return { seconds: (performance.now() - started) / 1000, answer: JSON.parse(stdout) };
}

const SIZES = `
  SELECT relname AS name, pg_table_size(oid)::float8 AS rows, pg_indexes_size(oid)::float8 AS indexes
  FROM pg_class WHERE relnamespace = 'savepoint'::regnamespace AND relkind = 'r'`;

/** Bytes by purpose: the log and its indexes, each read model, and the write-ahead log so far. */
async function sizes(data: string, serverFolder: string | null): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrlOf(data) ?? '' });
  await client.connect();
  try {
    const tables = await client.query<{ name: string; rows: number; indexes: number }>(SIZES);
    const found = new Map<string, number>();
    const add = (name: string, bytes: number) => found.set(name, (found.get(name) ?? 0) + bytes);
    for (const { name, rows, indexes } of tables.rows) {
      if (name === 'log_events') {
        add('log: events', rows);
        add('log: indexes', indexes);
      } else add(name.startsWith('log_') ? 'log: heads' : `read model ${name.replace(/_v?\d+$/, '')}`, rows + indexes);
    }
    const wal = await client.query<{ bytes: number }>(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`);
    add('write-ahead log, written', wal.rows[0]?.bytes ?? 0);
    for (const [name, bytes] of serverFolder === null ? [] : await serverSizes(serverFolder)) add(name, bytes);
    return found;
  } finally {
    await client.end();
  }
}

/**
 * What an EventStoreDB keeps: its files of events have their full size from the beginning, so how far they are written is read from its
 * checkpoint, eight bytes.
 */
async function serverSizes(folder: string): Promise<readonly (readonly [string, number])[]> {
  const checkpoint = await readFile(join(folder, 'writer.chk'));
  const files = await readdir(join(folder, 'index'), { withFileTypes: true, recursive: true });
  const indexes = await Promise.all(files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name))));
  return [
    ['EventStoreDB: events', Number(checkpoint.readBigInt64LE())],
    ['EventStoreDB: index', indexes.reduce((all, { size }) => all + size, 0)],
  ];
}

/** Parts smaller than this per write get no line. */
const WORTH_BYTES = 1;

function show({ writes, writesPerSecond, parts, speeds, machine: on }: StorageResult): void {
  print(`\n${machineText(on)}\n`);
  print(`${writes} writes of 0.7 KB over ${KEYS} keys, ${Math.round(writesPerSecond)}/s with ${CONNECTIONS} connections\n`);
  const worth = parts.filter(({ bytesPerWrite }) => bytesPerWrite >= WORTH_BYTES).sort((a, b) => b.bytes - a.bytes);
  const size = (bytes: number) => Math.round(bytes / 2 ** 20);
  print(
    table(
      ['what', 'MB', 'bytes/write', 'GB/million writes'],
      worth.map((part) => [part.name, size(part.bytes), Math.round(part.bytesPerWrite), (part.bytesPerWrite / 1000).toFixed(2)]),
    ),
  );
  print('');
  print(
    table(
      ['reading the log again', 'seconds', 'events/s'],
      speeds.map((speed) => [speed.name, speed.seconds.toFixed(1), Math.round(speed.eventsPerSecond)]),
    ),
  );
}

await runBenchmark({ name: 'bench-storage', usage: USAGE, readOptions, run });
