import type { RunningNode } from '../harness/node.ts';
import { quantile } from '../harness/numbers.ts';
import type { Credentials } from '../harness/project.ts';
import type { OpenLoop } from './children.ts';
import type { Consoles } from './console-open.ts';
import { measure, type Row, settle, type TestBed } from './measure.ts';
import { cpuSeconds } from './processes.ts';
import { progress } from './terminal.ts';
import { KEYS } from './workloads.ts';

/**
 * What ten open consoles cost a game. Their browsers take CPU from the node on the same machine, so three states are measured by turns: no
 * console, what ten consoles ask for without a browser, and ten consoles.
 */

export const STATES = ['no console', 'their requests alone', 'ten consoles'] as const;
export type State = (typeof STATES)[number];

export const BESIDE_CASES = ['document.write', 'endpoint.call'] as const;
export const CONNECTIONS = 32;
/** Requests a second of the small game. */
export const PER_SECOND = 60;

/** A small game that sends requests evenly. */
interface Even {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Milliseconds of the node's CPU in a second; `null` without /proc. */
  readonly nodeMsPerSecond: number | null;
  readonly failures: Readonly<Record<string, number>>;
}

/** What was measured in one state, once. */
export interface Turn {
  readonly state: State;
  readonly rows: readonly Row[];
  readonly even: Even;
  /** What of the consoles was not answered; `null`: all was. */
  readonly lost: string | null;
}

export interface Beside {
  readonly testBed: TestBed;
  readonly openLoop: OpenLoop;
  readonly consoles: Consoles;
  /** What the bare handler answers to each case. */
  readonly answers: readonly object[];
}

export interface Lengths {
  readonly turns: number;
  /** Of one slice. */
  readonly seconds: number;
  /** Of the small game. */
  readonly evenSeconds: number;
}

/** All states by turns, each turn beginning with another one. */
export async function measureBeside(beside: Beside, lengths: Lengths): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  for (let turn = 0; turn < lengths.turns; turn += 1) {
    for (const place of STATES.keys()) {
      const state = STATES[(turn + place) % STATES.length] ?? 'no console';
      progress(`${state}, turn ${turn + 1} of ${lengths.turns}`);
      turns.push(await inState(beside.consoles, state, () => measureOnce(beside, state, lengths)));
    }
  }
  return turns;
}

async function inState(consoles: Consoles, state: State, act: () => Promise<Turn>): Promise<Turn> {
  if (state === 'no console') return act();
  const end = await (state === 'ten consoles' ? consoles.show() : consoles.replay());
  const turn = await act();
  return { ...turn, lost: await end() };
}

async function measureOnce(beside: Beside, state: State, { seconds, evenSeconds }: Lengths): Promise<Turn> {
  const { testBed, answers } = beside;
  // What a console asks for while it opens is not what it costs while it is open.
  await settle(testBed);
  const rows: Row[] = [];
  for (const [place, name] of BESIDE_CASES.entries()) {
    await testBed.bare.answerWith(answers[place] ?? {});
    rows.push(await measure(testBed, name, CONNECTIONS, { count: 1, seconds }));
  }
  return { state, rows, even: await measureEven(beside, evenSeconds), lost: null };
}

export async function measureEven({ testBed, openLoop }: Pick<Beside, 'testBed' | 'openLoop'>, seconds: number): Promise<Even> {
  const { node, credentials } = testBed;
  const began = await usageOf(node);
  const { latencies, failures } = await openLoop.run(loadOf(node, credentials, seconds));
  const ended = await usageOf(node);
  const sorted = latencies.toSorted();
  const used = began.cpu === null || ended.cpu === null ? null : ended.cpu - began.cpu;
  return {
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    maxMs: sorted.at(-1) ?? 0,
    nodeMsPerSecond: used === null ? null : (used * 1_000) / ((ended.at - began.at) / 1_000),
    failures,
  };
}

async function usageOf({ pid }: RunningNode): Promise<{ readonly at: number; readonly cpu: number | null }> {
  return { at: performance.now(), cpu: await cpuSeconds(pid) };
}

function loadOf({ url }: RunningNode, project: Credentials, seconds: number) {
  return { url, project, perSecond: PER_SECOND, seconds, keys: KEYS };
}
