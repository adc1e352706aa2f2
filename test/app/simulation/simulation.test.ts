import { expect, test } from 'vitest';
import { type Plan, type Report, simulate } from './simulation.ts';

/**
 * Several nodes over one log, with every failure that may happen: see `network.ts`, `read-model.ts` and `Simulation` for the failures, and
 * `oracle.ts` for what must hold in spite of them. One seed is one run: `SIMULATION_FIRST=123 SIMULATION_SEEDS=1` shows seed 123 again.
 */
const FIRST = Number(process.env['SIMULATION_FIRST'] ?? 1);
const SEEDS = Number(process.env['SIMULATION_SEEDS'] ?? 300);
const TRACE_LINES = 60;

test('whatever breaks, the log is a serial order of true decisions, and every client was told what happened', async () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
    const report = await simulate(seed);
    expect(report.violations, told(seed, report)).toEqual([]);
  }
}, 300_000);

test('one seed is one run', async () => {
  const [first, second] = [await simulate(7), await simulate(7)];
  expect(second.trace).toEqual(first.trace);
});

test('no node starves while three write one document without a pause', async () => {
  // Paying counts towards no limit, so every command may succeed.
  const only = { kind: 'inc', key: 'ada', amount: -1 } as const;
  const limits = { groupCommits: 400, groupBytes: 700_000, queueCommits: 10_000, windowBytes: 1e8, deadlineMs: 1500 };
  const plan: Plan = { nodes: 3, commands: 1500, busyMs: 1500, faulty: false, keys: 2, only, limits };
  for (let seed = 1; seed <= 3; seed += 1) {
    const { calls, conflicts, violations } = await simulate(seed, plan);
    expect(violations).toEqual([]);
    expect(conflicts).toBeGreaterThan(10);
    const shares = sharesOf(calls);
    expect(shares.size).toBe(3);
    for (const share of shares.values()) expect(share).toBeGreaterThan(0.9);
  }
});

/** Node → the share of its commands that were stored. */
function sharesOf(calls: Report['calls']): ReadonlyMap<string, number> {
  const asked = new Map<string, number>();
  const stored = new Map<string, number>();
  for (const { node, ended } of calls) {
    asked.set(node, (asked.get(node) ?? 0) + 1);
    if (ended && 'answer' in ended.result) stored.set(node, (stored.get(node) ?? 0) + 1);
  }
  return new Map([...asked].map(([node, count]) => [node, (stored.get(node) ?? 0) / count]));
}

function told(seed: number, { trace }: Report): string {
  return process.env['SIMULATION_TRACE'] ? trace.join('\n') : `seed ${seed}\n${trace.slice(-TRACE_LINES).join('\n')}`;
}
