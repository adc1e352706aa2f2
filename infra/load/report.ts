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

/** The least ratio to the bare handler, at the connections of the bar. */
const RATIO_BARS: readonly (readonly [CaseName, number])[] = [
  ['document.read', 0.6],
  ['document.write', 0.4],
  ['endpoint.call', 0.3],
  ['leaderboard.read', 0.5],
];
const BAR_CONNECTIONS = 128;
const RSS_BAR_MB = 350;
const WARM_START_BAR_MS = 3_000;

/** The bars of the cases that were run. */
export function bars(rows: readonly Row[], rssMb: number | null, starts: Starts): readonly Bar[] {
  const found: Bar[] = [];
  for (const [name, bar] of RATIO_BARS) {
    const row = rows.find((one) => one.case === name && one.connections === BAR_CONNECTIONS);
    if (row)
      found.push({
        name: `${name}: ratio to bare Koa at ${BAR_CONNECTIONS} connections ≥ ${bar}`,
        holds: row.ratio >= bar,
        found: row.ratio,
        bar,
      });
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
    'ratio',
    'CPU s/1000',
    'node',
    'postgres',
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
    number(row.ratio, 2),
    number(row.nodeCpuPer1000, 2),
    number(row.postgresCpuPer1000, 2),
    Math.round(row.drainMs),
    number(row.rssMb, 0),
  ]);
  const head =
    'case | connections | req/s | p50 ms | p99 ms | bare Koa req/s | ratio | node CPU s/1000 | Postgres CPU s/1000 | drain ms | RSS MB';
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
    row.ratio.toFixed(2),
    cpu(row.cpuPer1000),
    cpu(row.nodeCpuPer1000),
    cpu(row.postgresCpuPer1000),
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
