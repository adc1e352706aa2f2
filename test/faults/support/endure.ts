import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { listAt, numberAt } from '../../../infra/harness/json.ts';
import { type Project, secretHeaders, storagePath } from '../../../infra/harness/project.ts';
import { eventually } from '../../node/support/program.ts';
import { checkWrites, type Findings, noFindings, repeatKeyed } from './checks.ts';
import type { FaultRow } from './report.ts';
import { startWriting, type Write, type Writing } from './writers.ts';

/** How often each fault is injected: `FAULT_ROUNDS`, by default once. */
export const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);

export interface Fault {
  readonly name: string;
  /** It must have the definitions of `definitions.ts`. */
  readonly project: Project;
  readonly rounds?: number;
  /** `false`: nobody may notice anything, so every request must succeed. */
  readonly refusals?: boolean;
  /** Breaks something while clients write, and mends it. Resolves when the cause is gone. The test does nothing more after that. */
  inject(writing: Writing, round: number): Promise<void>;
}

const CLIENTS = 8;
/** How many writes are under way before the fault, and after it. */
const SOME = 50;
/** The only answers during an outage: 503 with Retry-After for what was never sent, 504 for what may be stored. */
const OUTAGE = /^(503 \w+ Retry-After|504 OUTCOME_UNKNOWN|cut off)$/;
let rounds = 0;

/**
 * Injects a fault under load, round after round. After each round every acknowledged write must be there exactly once, one with an unknown
 * outcome at most once, a refused one never. During the fault nobody may read half a write, or miss an acknowledged one. The caller runs
 * `savepoint verify` after its faults.
 */
export async function endure(fault: Fault): Promise<void> {
  const findings = noFindings();
  /** By their first answers. In `all`, appends with an unknown outcome were repeated with their key. */
  const answered: Write[] = [];
  const all: Write[] = [];
  const recoveries: number[] = [];
  const count = fault.rounds ?? ROUNDS;
  for (let n = 1; n <= count; n++) {
    const { written, writes, recoveryMs } = await oneRound(fault, n, findings);
    answered.push(...written);
    all.push(...writes);
    recoveries.push(recoveryMs);
  }
  const overall = noFindings();
  await checkWrites(fault.project, all, overall);
  record(fault.name, count, answered, [findings, overall], Math.max(...recoveries));
  const refusals = [...new Set(answered.map((write) => write.answer))].filter((answer) => answer !== '200');
  expect(refusals.filter((answer) => fault.refusals === false || !OUTAGE.test(answer))).toEqual([]);
  expect(findings).toEqual(noFindings());
  expect(overall).toEqual(noFindings());
}

async function oneRound(fault: Fault, n: number, findings: Findings) {
  const round = ++rounds;
  const writing = startWriting(fault.project, round, { clients: CLIENTS });
  const reading = startReading(fault.project, round, writing, findings);
  let recoveryMs: number;
  try {
    await eventually('writes go through', async () => writing.acknowledged() >= SOME);
    await fault.inject(writing, n);
    recoveryMs = await recovery(writing);
  } finally {
    await Promise.all([writing.stop(), reading.stop()]);
  }
  const written = await writing.ended;
  const writes = await repeatKeyed(fault.project, written, findings);
  await checkWrites(fault.project, writes, findings);
  return { written, writes, recoveryMs };
}

/** Milliseconds from now until a write that begins from now on is acknowledged and others follow it. */
async function recovery(writing: Writing): Promise<number> {
  const healed = performance.now();
  const recovered = await eventually('a write goes through again', async () => writing.acknowledgedAfter(healed));
  const before = writing.acknowledged();
  await eventually('writes go through again', async () => writing.acknowledged() >= before + SOME);
  return recovered - healed;
}

/** Reads one document that is written all the time. */
function startReading(project: Project, round: number, writing: Writing, findings: Findings): { stop(): Promise<void> } {
  const state = { going: true };
  const key = `r${round}-0`;
  const look = async () => {
    const least = writing.acknowledgedTo('operations', key);
    const answer = await project.http.send('GET', storagePath(project, `crash_counters/${key}`), { headers: secretHeaders(project) });
    if (answer.status !== 200 && (answer.status !== 404 || least === 0)) return;
    const marks = listAt(answer.body, 'marks').length;
    const isStale = answer.headers['x-ns-stale'] === 'true';
    if (marks < least && !isStale) findings.lost.push(`${key}: a read showed ${marks} of ${least} acknowledged writes`);
    if (marks > 0 && numberAt(answer.body, 'n') !== marks)
      findings.torn.push(`${key}: a read showed n ${numberAt(answer.body, 'n')}, ${marks} marks`);
  };
  const run = async () => {
    while (state.going) {
      await look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const running = run();
  return {
    stop() {
      state.going = false;
      return running;
    },
  };
}

function record(fault: string, count: number, writes: readonly Write[], findings: readonly Findings[], recoveryMs: number): void {
  const outcomes = (outcome: Write['outcome']) => writes.filter((write) => write.outcome === outcome).length;
  const sum = (kind: keyof Findings) => new Set(findings.flatMap((found) => found[kind])).size;
  note({
    fault,
    rounds: count,
    acknowledged: outcomes('acknowledged'),
    refused: outcomes('refused'),
    open: outcomes('unknown'),
    lost: sum('lost'),
    doubled: sum('doubled'),
    torn: sum('torn'),
    recoveryMs: Math.round(recoveryMs),
  });
}

/** One line of the table that `npm run test:faults` prints. */
export function note(row: FaultRow): void {
  const file = process.env['FAULT_REPORT'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
}
