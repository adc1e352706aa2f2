import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectOf, type RunningNode, type Settings, savepointWith, startNode } from '../../infra/harness/node.ts';
import { seededRandom } from '../../infra/harness/numbers.ts';
import { type Credentials, openProject, type Project } from '../../infra/harness/project.ts';
import { table } from '../../infra/harness/table.ts';
import { checkWrites, type Findings, noFindings, repeatKeyed } from '../faults/support/checks.ts';
import { publishDefinitions } from '../faults/support/definitions.ts';
import { CLIENTS, startWriting, type Write } from '../faults/support/writers.ts';
import { type Death, kill, type Outage } from './kill.ts';
import { type LogServer, startLogServer } from './log-server.ts';

/**
 * A node is killed at a random moment while clients write, and started again on the same folder. After every crash, and at the end, every
 * acknowledged write must be there exactly once, and no other more than once.
 *
 * `EVENTSTORE_URL` puts its log on a server, in a project of its own. `CRASH_LOG_SERVER` is the command that starts that server in the
 * foreground. With it the loop starts the server itself, and every other round kills or freezes it while the node lives on.
 */

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 20);
const SEED = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
const DEATHS: readonly Death[] = ['node', 'both', 'node', 'postgres first'];

/** How long after an outage writes must be acknowledged again. */
const RECOVERY_MS = 60_000;
const OUTAGES: readonly Outage[] = ['log server', 'log server frozen'];
const SETTINGS: Settings = process.env['EVENTSTORE_URL'] ? { EVENTSTORE_URL: process.env['EVENTSTORE_URL'] } : {};
const LOG_COMMAND = process.env['CRASH_LOG_SERVER'] ?? '';

const folder = mkdtempSync(join(tmpdir(), 'savepoint-crash-'));
const random = seededRandom(SEED);
let node: RunningNode;
let credentials: Credentials;
let logServer: LogServer | null = null;

beforeAll(async () => {
  if (LOG_COMMAND !== '') logServer = await startLogServer(LOG_COMMAND, SETTINGS['EVENTSTORE_URL'] ?? '');
  node = await startNode(folder, { settings: SETTINGS });
  credentials = await projectOf(folder, SETTINGS);
  await withProject(publishDefinitions);
}, 180_000);

afterAll(async () => {
  await node?.stop();
  await logServer?.kill();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

test(`${ROUNDS} crashes lose no acknowledged write and double none (CRASH_SEED=${SEED})`, {
  timeout: 60_000 + ROUNDS * 60_000,
}, async () => {
  const rows: Row[] = [];
  const all: Write[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const { row, writes } = await inRound(round);
    rows.push(row);
    all.push(...writes);
    print(
      `round ${round}/${ROUNDS}: ${row.death} after ${row.afterMs} ms, ${row.acknowledged} acknowledged, up again in ${row.restartMs} ms`,
    );
  }
  const overall = noFindings();
  await withProject((project) => checkWrites(project, all, overall));
  report(rows, overall);
  const verified = await savepointWith(SETTINGS, 'verify', '--wait', '--data', folder, '--json');
  print(`savepoint verify: exit code ${verified.code} ${verified.stdout.trim()} ${verified.stderr.trim()}`);

  expect(rows.flatMap((row) => [...row.findings.lost, ...row.findings.doubled, ...row.findings.torn])).toEqual([]);
  expect(overall).toEqual(noFindings());
  expect(Math.max(...rows.map((row) => row.restartMs))).toBeLessThan(RECOVERY_MS);
  expect(all.filter((write) => write.outcome === 'acknowledged').length).toBeGreaterThan(ROUNDS * 10);
  expect(verified.code).toBe(0);
  expect(await node.stop()).toBe(0);
});

interface Row {
  readonly round: number;
  readonly death: Death | Outage;
  readonly afterMs: number;
  readonly restartMs: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly findings: Findings;
}

interface Round {
  readonly row: Row;
  readonly writes: readonly Write[];
}

async function inRound(round: number): Promise<Round> {
  const afterMs = 300 + Math.floor(random() * 1_700);
  if (logServer !== null && round % 2 === 0) return outage(logServer, round, afterMs);
  return crash(round, afterMs);
}

async function crash(round: number, afterMs: number): Promise<Round> {
  const turn = logServer === null ? round - 1 : (round - 1) / 2;
  const death = DEATHS[turn % DEATHS.length] ?? 'node';
  const written = await withProject(async (project) => {
    const writing = startWriting(project, round, { untilGone: true });
    await sleep(afterMs);
    await kill(node, death);
    return writing.ended;
  });
  node = await startNode(folder, { settings: SETTINGS });
  return judge({ round, death, afterMs, restartMs: Math.round(node.startedInMs) }, written);
}

/** The node lives on: the clients go on until writes are acknowledged again. */
async function outage(server: LogServer, round: number, afterMs: number): Promise<Round> {
  const death = OUTAGES[(round / 2 - 1) % OUTAGES.length] ?? 'log server';
  let restartMs = 0;
  const written = await withProject(async (project) => {
    const writing = startWriting(project, round);
    await sleep(afterMs);
    await (death === 'log server' ? restart(server) : freeze(server));
    const [before, since] = [writing.acknowledged(), performance.now()];
    while (writing.acknowledged() < before + CLIENTS && performance.now() - since < RECOVERY_MS) await sleep(20);
    restartMs = Math.round(performance.now() - since);
    await sleep(300);
    return writing.stop();
  });
  return judge({ round, death, afterMs, restartMs }, written);
}

async function restart(server: LogServer): Promise<void> {
  await server.kill();
  await sleep(200 + random() * 1_000);
  await server.start();
}

async function freeze(server: LogServer): Promise<void> {
  server.freeze();
  await sleep(3_000 + random() * 7_000);
  server.thaw();
}

async function judge(about: Pick<Row, 'round' | 'death' | 'afterMs' | 'restartMs'>, written: readonly Write[]): Promise<Round> {
  const findings = noFindings();
  const writes = await withProject(async (project) => {
    const repeated = await repeatKeyed(project, written, findings);
    await checkWrites(project, repeated, findings);
    return repeated;
  });
  const count = (outcome: Write['outcome']) => written.filter((write) => write.outcome === outcome).length;
  const outcomes = { acknowledged: count('acknowledged'), refused: count('refused'), unknown: count('unknown') };
  return { row: { ...about, ...outcomes, findings }, writes };
}

async function withProject<T>(use: (project: Project) => Promise<T>): Promise<T> {
  const project = openProject(node.url, credentials);
  try {
    return await use(project);
  } finally {
    project.http.close();
  }
}

function report(rows: readonly Row[], overall: Findings): void {
  const head = ['round', 'what', 'after ms', 'up again ms', 'acknowledged', 'refused', 'unknown', 'lost', 'doubled', 'torn'];
  const cells = rows.map((row) => {
    const { lost, doubled, torn } = row.findings;
    return [
      row.round,
      row.death,
      row.afterMs,
      row.restartMs,
      row.acknowledged,
      row.refused,
      row.unknown,
      lost.length,
      doubled.length,
      torn.length,
    ];
  });
  print(`\n${table(head, cells)}`);
  const sum = (pick: (row: Row) => number) => rows.reduce((total, row) => total + pick(row), 0);
  print(`\n${rows.length} rounds, ${sum((row) => row.acknowledged)} acknowledged, ${sum((row) => row.unknown)} unknown;`);
  print(`after the last round: ${overall.lost.length} lost, ${overall.doubled.length} doubled, ${overall.torn.length} torn`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
