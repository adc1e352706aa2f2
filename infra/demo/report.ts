import { table } from '../harness/table.ts';
import type { Check, Economy, LeaderboardLine, LedgerLine } from './audit.ts';
import type { Player } from './player.ts';
import type { Staging } from './staging.ts';
import type { Throughput } from './tally.ts';

/** All results of one run of the demo. `--json` prints it as it is. */
export interface Report {
  readonly url: string;
  readonly projectId: string;
  readonly throughput: Throughput;
  readonly leaderboard: readonly LeaderboardLine[];
  readonly ledger: { readonly player: Player; readonly lines: readonly LedgerLine[] };
  readonly economy: Economy;
  readonly staging: Staging;
  readonly checks: readonly Check[];
  /** Output of `savepoint verify`; `null` without a data folder to run it on. */
  readonly verified: string | null;
}

const LEDGER_LINES = 8;
const PROBLEM_LINES = 10;

export function printReport(report: Report): void {
  print(`\nLeaderboard "richest"\n${table(['rank', 'player', 'gold', 'axe'], report.leaderboard.map(leaderboardRow))}`);
  printLedger(report.ledger.player, report.ledger.lines);
  printEconomy(report.economy);
  print('\nA staged price: the second axe costs');
  print(
    `  ${report.staging.livePrice} gold live, ${report.staging.stagedPrice} on next, ${report.staging.promotedPrice} live after the promotion`,
  );
  printThroughput(report.throughput);
  print('\nChecks');
  for (const check of report.checks) printCheck(check);
  if (report.verified !== null) print(`  savepoint verify: ${report.verified}`);
}

/** Shows the progress of the game: one line that is rewritten on a terminal, elsewhere a line every two seconds. */
export function startProgress(calls: () => number, seconds: number): () => void {
  const started = performance.now();
  const terminal = process.stderr.isTTY === true;
  const show = () => {
    const elapsed = (performance.now() - started) / 1000;
    const text = `playing ${elapsed.toFixed(0)} of ${seconds} s, ${calls()} calls`;
    process.stderr.write(terminal ? `\r${text} ` : `${text}\n`);
  };
  const timer = setInterval(show, terminal ? 200 : 2_000);
  return () => {
    clearInterval(timer);
    if (terminal) process.stderr.write(`\r${' '.repeat(60)}\r`);
  };
}

function leaderboardRow(line: LeaderboardLine): readonly (string | number)[] {
  return [line.rank, line.name, line.gold, line.axe];
}

function printLedger(player: Player, lines: readonly LedgerLine[]): void {
  const shown = lines.slice(-LEDGER_LINES);
  print(`\nLedger of ${player.name} (${player.id}): the last ${shown.length} of ${lines.length} entries`);
  const rows = shown.map((line) => [line.ts, line.before, line.delta, line.after, line.source, line.reason]);
  print(table(['time', 'before', 'delta', 'after', 'source', 'reason'], rows));
}

function printEconomy({ supply, flows }: Economy): void {
  print(`\nThe economy: ${supply} gold in all (savepoint economy --field gold)`);
  print(
    table(
      ['endpoint', 'made', 'spent'],
      flows.map(({ endpoint, faucet, sink }) => [endpoint, faucet, sink]),
    ),
  );
}

function printThroughput(seen: Throughput): void {
  const rate = Math.round(seen.callsPerSecond);
  print(
    `\n${seen.calls} calls in ${seen.seconds.toFixed(1)} s: ${rate}/s, p50 ${seen.p50Ms.toFixed(1)} ms, p99 ${seen.p99Ms.toFixed(1)} ms`,
  );
  print(`  refused by the game's rules: ${counts(seen.refusals)}`);
  print(`  errors: ${counts(seen.errors)}`);
}

function printCheck(check: Check): void {
  print(`  ${check.problems.length === 0 ? 'holds ' : 'FAILED'}  ${check.name}`);
  for (const problem of check.problems.slice(0, PROBLEM_LINES)) print(`            ${problem}`);
  const more = check.problems.length - PROBLEM_LINES;
  if (more > 0) print(`            and ${more} more`);
}

function counts(by: Readonly<Record<string, number>>): string {
  const entries = Object.entries(by);
  return entries.length === 0 ? 'none' : entries.map(([code, count]) => `${code} ${count}`).join(', ');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
