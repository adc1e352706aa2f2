import { expect, test } from 'vitest';
import type { Plant } from './node.ts';
import { hastyRefusals, oldRows, predictedVersions, reformedGroups, reusedIds, unaskedLog } from './plants.ts';
import { type Plan, planOf, simulate } from './simulation.ts';

/** Three nodes that compete for two wallets, with long queues, so that much is built on speculation that fails. */
const HOT: Partial<Plan> = {
  nodes: 3,
  keys: 2,
  commands: 600,
  limits: { groupCommits: 8, groupBytes: 100_000, queueCommits: 60, windowBytes: 1e6, deadlineMs: 300 },
};

/** The first of at most `most` seeds that finds the planted fault, with its report. */
async function find(plant: Plant, sign: RegExp, most: number, change: Partial<Plan> = {}): Promise<string> {
  for (let seed = 1; seed <= most; seed += 1) {
    const { violations } = await simulate(seed, { ...planOf(seed), ...change }, plant);
    const found = violations.find((violation) => sign.test(violation));
    if (found !== undefined) return found;
  }
  return `nothing found in ${most} seeds`;
}

const UNEXPLAINED = /version \d+$|should have been refused|came to|a ledger that starts|in the log, and should be/;

test('a token that is a predicted revision lets a decision on dropped speculation into the log', async () => {
  expect(await find(predictedVersions, UNEXPLAINED, 60, HOT)).toMatch(UNEXPLAINED);
});

test('a row older than the horizon, taken as current, lets a decision on an old state into the log', async () => {
  expect(await find(oldRows, UNEXPLAINED, 60)).toMatch(UNEXPLAINED);
});

test('a refusal that does not wait for the speculation that it read was true at no revision', async () => {
  const untrue = /answered (TOO_POOR|STALE_SAVE|RATE_LIMIT), which was true at no revision/;
  expect(await find(hastyRefusals, untrue, 20)).toMatch(untrue);
});

test('a group that is formed anew after an unknown outcome is reported as lost although the log has it', async () => {
  const denied = /answered STORAGE_UNAVAILABLE, and is in the log/;
  expect(await find(reformedGroups, denied, 40)).toMatch(denied);
});

test('an event id that is used again at another revision stands for two byte strings', async () => {
  const reused = /with other bytes while the first may be stored/;
  expect(await find(reusedIds, reused, 40)).toMatch(reused);
});

test('a command that stores nothing and does not read the end of the log is answered from an old state', async () => {
  const old = /answered as of \d+, before \d+|which was true at no revision/;
  expect(await find(unaskedLog, old, 20)).toMatch(old);
});
