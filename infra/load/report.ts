import { writeFile } from 'node:fs/promises';
import { cpus, platform, totalmem } from 'node:os';
import { markdownTable, table } from '../harness/table.ts';
import type { Row } from './measure.ts';
import { print } from './terminal.ts';
import type { CaseName } from './workloads.ts';

/**
 * Milliseconds from starting the program to the first healthy answer: on an empty folder, again on the same folder, and with all data of
 * the run.
 */
export interface Starts {
  readonly coldMs: number;
  readonly warmMs: number;
  readonly warmWithDataMs: number;
}

export interface Result {
  readonly results: readonly Row[];
  readonly rssMb: number | null;
  /** Number of the node's processes that served; `rssMb` is that of all of them. */
  readonly workers: number;
  readonly starts: Starts;
  readonly seedsPerSecond: Readonly<Record<string, number>>;
  readonly bars: readonly Bar[];
  readonly machine: Machine;
  readonly finishedAt: string;
}

export interface Bar {
  readonly name: string;
  readonly holds: boolean;
  readonly found: number;
  readonly bar: number;
}

export interface Machine {
  readonly platform: string;
  readonly cpu: string;
  readonly cpus: number;
  readonly memoryGb: number;
  readonly node: string;
}

/**
 * The node's CPU per request by the bare handler's, at most, at the connections of the bar. Requests per second have no bar: their ratio
 * moves by two from one machine to another.
 */
const CPU_BARS: readonly (readonly [CaseName, number])[] = [
  ['document.read', 1.7],
  ['document.write', 4.5],
  ['endpoint.call', 5],
  ['leaderboard.read', 0.7],
];
const BAR_CONNECTIONS = 128;
const RSS_BAR_MB = 350;
const WARM_START_BAR_MS = 3_000;

/** The bars of the cases that were run. */
export function bars(
  rows: readonly Pick<Row, 'case' | 'connections' | 'cpuRatio'>[],
  rssMb: number | null,
  starts: Starts,
): readonly Bar[] {
  const found: Bar[] = [];
  for (const [name, bar] of CPU_BARS) {
    const row = rows.find((one) => one.case === name && one.connections === BAR_CONNECTIONS);
    const ratio = row?.cpuRatio ?? null;
    if (ratio === null) continue;
    found.push({ name: `${name}: CPU by bare Koa's at ${BAR_CONNECTIONS} connections ≤ ${bar}`, holds: ratio <= bar, found: ratio, bar });
  }
  if (rssMb !== null) found.push({ name: `RSS of the node < ${RSS_BAR_MB} MB`, holds: rssMb < RSS_BAR_MB, found: rssMb, bar: RSS_BAR_MB });
  for (const [what, time] of [
    ['warm start', starts.warmMs],
    ['warm start with the data of this run', starts.warmWithDataMs],
  ] as const) {
    found.push({ name: `${what} < ${WARM_START_BAR_MS} ms`, holds: time < WARM_START_BAR_MS, found: time, bar: WARM_START_BAR_MS });
  }
  return found;
}

export function machine(): Machine {
  const all = cpus();
  return {
    platform: `${platform()} ${process.arch}`,
    cpu: all[0]?.model ?? 'unknown',
    cpus: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

export function machineText(on: Machine): string {
  return `${on.cpus} CPUs (${on.cpu}), ${on.memoryGb} GB, ${on.platform}, Node ${on.node}`;
}

export function printResult(result: Result): void {
  const { starts, workers } = result;
  print(`\n${machineText(result.machine)}; ${workers === 1 ? '1 worker' : `${workers} workers`}\n`);
  const head = [
    'case',
    'conns',
    'req/s',
    'p50 ms',
    'p99 ms',
    'bare req/s',
    'CPU s/1000',
    'node',
    'postgres',
    'log server',
    'bare',
    'CPU ratio',
    'drain ms',
    'RSS MB',
    'non-2xx',
    '',
  ];
  print(table(head, result.results.map(cells)));
  print(
    `\nseeding: ${
      Object.entries(result.seedsPerSecond)
        .map(([seed, rate]) => `${seed} ${Math.round(rate)}/s`)
        .join(', ') || 'nothing'
    }`,
  );
  print(
    `starts: cold ${Math.round(starts.coldMs)} ms, warm ${Math.round(starts.warmMs)} ms, warm with all data ${Math.round(starts.warmWithDataMs)} ms`,
  );
  const busiest = Math.max(0, ...result.results.map((row) => row.generatorCpu));
  print(`load generator: at most ${Math.round(busiest * 100)} % of one CPU`);
  print('\nBars');
  for (const bar of result.bars) print(`  ${bar.holds ? 'holds ' : 'MISSED'}  ${bar.name} (${bar.found.toFixed(bar.bar < 10 ? 2 : 0)})`);
}

/** The table in the form of docs/performance.md. */
export function markdown(result: Result): string {
  const number = (value: number | null, digits: number) => (value === null ? '–' : value.toFixed(digits));
  const rows = result.results.map((row) => [
    `\`${row.case}\``,
    row.connections,
    Math.round(row.rps),
    number(row.p50Ms, 1),
    number(row.p99Ms, 1),
    Math.round(row.bareRps),
    number(row.nodeCpuPer1000, 3),
    number(row.postgresCpuPer1000, 3),
    number(row.bareCpuPer1000, 3),
    number(row.cpuRatio, 2),
    Math.round(row.drainMs),
    number(row.rssMb, 0),
  ]);
  const head =
    'case | connections | req/s | p50 ms | p99 ms | bare Koa req/s | node CPU s/1000 | Postgres CPU s/1000 | bare Koa CPU s/1000 | CPU ratio | drain ms | RSS MB';
  return markdownTable(head.split(' | '), rows);
}

function cells(row: Row): readonly (string | number)[] {
  const cpu = (value: number | null) => (value === null ? '-' : value.toFixed(3));
  return [
    row.case,
    row.connections,
    Math.round(row.rps),
    row.p50Ms.toFixed(1),
    row.p99Ms.toFixed(1),
    Math.round(row.bareRps),
    cpu(row.cpuPer1000),
    cpu(row.nodeCpuPer1000),
    cpu(row.postgresCpuPer1000),
    cpu(row.logServerCpuPer1000),
    cpu(row.bareCpuPer1000),
    row.cpuRatio === null ? '-' : row.cpuRatio.toFixed(2),
    Math.round(row.drainMs),
    row.rssMb === null ? '-' : Math.round(row.rssMb),
    row.non2xx,
    row.non2xx === 0 ? '' : `INVALID ${JSON.stringify(row.failures)}`,
  ];
}

/** Where `--json` and `--markdown` want the result. */
export interface ResultFiles {
  readonly jsonFile: string | null;
  readonly markdownFile: string | null;
}

/** What every benchmark understands, for `parseArgs`. */
export const RESULT_OPTIONS = {
  json: { type: 'string' },
  markdown: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

export function resultFiles(values: { readonly json?: string | undefined; readonly markdown?: string | undefined }): ResultFiles {
  return { jsonFile: values.json ?? null, markdownFile: values.markdown ?? null };
}

/** Prints the rows under a line that says what was measured, and writes the files that were asked for. */
export async function report(
  title: string,
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  result: unknown,
  { jsonFile, markdownFile }: ResultFiles,
): Promise<void> {
  print(`\n${title}\n`);
  print(table(head, rows));
  if (jsonFile !== null) await writeFile(jsonFile, `${JSON.stringify(result, null, 2)}\n`);
  if (markdownFile !== null) await writeFile(markdownFile, `${markdownTable(head, rows)}\n`);
}
