import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoCredentials, type RunningNode, savepoint, startNode } from '../../infra/harness/node.ts';
import { seededRandom } from '../../infra/harness/numbers.ts';
import { openProject, type Project } from '../../infra/harness/project.ts';
import { table } from '../../infra/harness/table.ts';
import { checkWrites, type Findings, noFindings, repeatAppends } from '../faults/support/checks.ts';
import { publishDefinitions } from '../faults/support/definitions.ts';
import { startWriting, type Write } from '../faults/support/writers.ts';
import { type Death, kill } from './kill.ts';

/**
 * A node is killed at a random moment while clients write, and started again on the same folder. After every crash, and once more at
 * the end, every acknowledged write must be there exactly once, and no other more than once.
 */

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 20);
const SEED = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
const DEATHS: readonly Death[] = ['node', 'both', 'node', 'postgres first'];

const folder = mkdtempSync(join(tmpdir(), 'savepoint-crash-'));
const random = seededRandom(SEED);
let node: RunningNode;

beforeAll(async () => {
  node = await startNode(folder);
  const project = openProject(node.url, await demoCredentials(folder));
  await publishDefinitions(project);
  project.http.close();
}, 90_000);

afterAll(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

test(`${ROUNDS} crashes lose no acknowledged write and double none (CRASH_SEED=${SEED})`, {
  timeout: 60_000 + ROUNDS * 30_000,
}, async () => {
  const rows: Row[] = [];
  const all: Write[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const { row, writes } = await crash(round);
    rows.push(row);
    all.push(...writes);
    print(
      `round ${round}/${ROUNDS}: killed ${row.death} after ${row.afterMs} ms, ${row.acknowledged} acknowledged, up again in ${row.restartMs} ms`,
    );
  }
  const overall = noFindings();
  await withProject((project) => checkWrites(project, all, overall));
  report(rows, overall);
  const verified = await savepoint('verify', '--data', folder, '--json');
  print(`savepoint verify: exit code ${verified.code} ${verified.stdout.trim()} ${verified.stderr.trim()}`);

  expect(rows.flatMap((row) => [...row.findings.lost, ...row.findings.doubled, ...row.findings.torn])).toEqual([]);
  expect(overall).toEqual(noFindings());
  expect(all.filter((write) => write.outcome === 'acknowledged').length).toBeGreaterThan(ROUNDS * 10);
  expect(verified.code).toBe(0);
  expect(await node.stop()).toBe(0);
});

interface Row {
  readonly round: number;
  readonly death: Death;
  readonly afterMs: number;
  readonly restartMs: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly findings: Findings;
}

async function crash(round: number): Promise<{ row: Row; writes: readonly Write[] }> {
  const death = DEATHS[(round - 1) % DEATHS.length] ?? 'node';
  const afterMs = 300 + Math.floor(random() * 1_700);
  const written = await withProject(async (project) => {
    const writing = startWriting(project, round, { untilGone: true });
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await kill(node, death);
    return writing.ended;
  });
  node = await startNode(folder);
  const findings = noFindings();
  const writes = await withProject(async (project) => {
    const repeated = await repeatAppends(project, written, findings);
    await checkWrites(project, repeated, findings);
    return repeated;
  });
  const count = (outcome: Write['outcome']) => written.filter((write) => write.outcome === outcome).length;
  const outcomes = { acknowledged: count('acknowledged'), refused: count('refused'), unknown: count('unknown') };
  return { row: { round, death, afterMs, restartMs: Math.round(node.startedInMs), ...outcomes, findings }, writes };
}

async function withProject<T>(use: (project: Project) => Promise<T>): Promise<T> {
  const project = openProject(node.url, await demoCredentials(folder));
  try {
    return await use(project);
  } finally {
    project.http.close();
  }
}

function report(rows: readonly Row[], overall: Findings): void {
  const head = ['round', 'killed', 'after ms', 'restart ms', 'acknowledged', 'refused', 'unknown', 'lost', 'doubled', 'torn'];
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
