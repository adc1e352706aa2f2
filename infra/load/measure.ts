import type { RunningNode } from '../harness/node.ts';
import { quantile } from '../harness/numbers.ts';
import type { Credentials } from '../harness/project.ts';
import type { BareServer, Generator } from './children.ts';
import type { Seen } from './generator.ts';
import { childrenOf, cpuSeconds, familyCpuSeconds, residentBytes } from './processes.ts';
import type { CaseName } from './workloads.ts';

/** One line of the result. CPU is in seconds per 1000 requests, `null` without /proc. */
export interface Row {
  readonly case: CaseName;
  readonly connections: number;
  readonly rps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bareRps: number;
  readonly bareP50Ms: number;
  readonly bareP99Ms: number;
  /** Node, Postgres and the log's server together. */
  readonly cpuPer1000: number | null;
  readonly nodeCpuPer1000: number | null;
  readonly postgresCpuPer1000: number | null;
  /** `null` also where the log has no server of its own, or its process is not known. */
  readonly logServerCpuPer1000: number | null;
  readonly bareCpuPer1000: number | null;
  /** `nodeCpuPer1000` divided by `bareCpuPer1000`: without Postgres, and what the machine gives both weighs little in it. */
  readonly cpuRatio: number | null;
  /** How long node and Postgres went on working after the load ended, at most. This shows how far the views were behind. */
  readonly drainMs: number;
  readonly rssMb: number | null;
  /** Answers other than 2xx by status, with time-outs and broken connections as `error`; those of the bare handler included. */
  readonly failures: Readonly<Record<string, number>>;
  readonly non2xx: number;
  /** The part of one CPU that the load generator used, on the busier side. Near 1 it limits the result itself. */
  readonly generatorCpu: number;
}

/** The parts of a measurement. */
export interface TestBed {
  readonly credentials: Credentials;
  readonly node: RunningNode;
  readonly postmaster: number | null;
  /** The process of the log's server; `null`: there is none, or it is not known. */
  readonly logServer: number | null;
  readonly bare: BareServer;
  readonly generator: Generator;
}

export interface Slices {
  readonly count: number;
  readonly seconds: number;
}

interface Usage {
  readonly node: number | null;
  readonly postgres: number | null;
  /** 0 where its process is not known. */
  readonly logServer: number | null;
}

/** Measures node and bare handler by turns in short slices, so that other work on the machine affects both. */
export async function measure(testBed: TestBed, name: CaseName, connections: number, slices: Slices): Promise<Row> {
  const nodeSeen: Seen[] = [];
  const bareSeen: Seen[] = [];
  let used: Usage = { node: 0, postgres: 0, logServer: 0 };
  let bareUsed: number | null = 0;
  let drainMs = 0;
  for (let slice = 0; slice < slices.count; slice++) {
    const before = await usage(testBed);
    nodeSeen.push(await load(testBed, testBed.node.url, name, connections, slices.seconds));
    drainMs = Math.max(drainMs, await settle(testBed));
    used = sum(used, difference(before, await usage(testBed)));
    const bareBefore = await cpuSeconds(testBed.bare.pid);
    bareSeen.push(await load(testBed, testBed.bare.url, name, connections, slices.seconds));
    bareUsed = combine(bareUsed, combine(await cpuSeconds(testBed.bare.pid), bareBefore, -1), 1);
  }
  const resident = await residentOf(testBed);
  const node = merge(nodeSeen);
  const bare = merge(bareSeen);
  const nodeCpuPer1000 = per1000(used.node, node);
  const bareCpuPer1000 = per1000(bareUsed, bare);
  const failures = { ...bare.failures, ...node.failures };
  return {
    case: name,
    connections,
    rps: node.rps,
    p50Ms: node.p50Ms,
    p99Ms: node.p99Ms,
    bareRps: bare.rps,
    bareP50Ms: bare.p50Ms,
    bareP99Ms: bare.p99Ms,
    cpuPer1000: per1000(combine(ownTotal(used), used.logServer, 1), node),
    nodeCpuPer1000,
    postgresCpuPer1000: per1000(used.postgres, node),
    logServerCpuPer1000: testBed.logServer === null ? null : per1000(used.logServer, node),
    bareCpuPer1000,
    cpuRatio: quotient(nodeCpuPer1000, bareCpuPer1000),
    drainMs,
    rssMb: resident === null ? null : resident / 2 ** 20,
    failures,
    non2xx: Object.values(failures).reduce((one, other) => one + other, 0),
    generatorCpu: Math.max(node.generatorCpu, bare.generatorCpu),
  };
}

/** The longest warm-up of a case: V8 has optimised the code of a request after about four seconds of it. */
const WARM_UP_SECONDS = 4;

/** An uncounted run of both sides, so that neither is measured while its code is still being optimised. */
export async function warmUp(testBed: TestBed, name: CaseName, connections: number, { seconds }: Slices): Promise<void> {
  for (const { url } of [testBed.node, testBed.bare]) await load(testBed, url, name, connections, Math.min(WARM_UP_SECONDS, 2 * seconds));
  await settle(testBed);
}

const SETTLE_STEP_MS = 200;
const SETTLE_LIMIT_MS = 20_000;
/** A node that uses less than this part of one CPU counts as resting. */
const RESTING = 0.12;

/**
 * Waits until node and Postgres rest (an EventStoreDB never does), so that the work of the views is charged to the node and not to the next
 * one measured. Returns the time in ms.
 */
export function settle(testBed: TestBed): Promise<number> {
  return untilResting(async () => ownTotal(await usage(testBed)));
}

/** Waits until the processes whose CPU seconds `used` gives do next to nothing. Returns the time in ms. */
export async function untilResting(used: () => Promise<number | null>): Promise<number> {
  const started = performance.now();
  for (;;) {
    const before = await used();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_STEP_MS));
    const busy = combine(await used(), before, -1) ?? 0;
    const waited = performance.now() - started;
    if (busy / (SETTLE_STEP_MS / 1000) < RESTING || waited > SETTLE_LIMIT_MS) return Math.max(0, waited - SETTLE_STEP_MS);
  }
}

function load(testBed: TestBed, url: string, name: CaseName, connections: number, seconds: number): Promise<Seen> {
  return testBed.generator.perform({ workload: name, url, project: testBed.credentials, connections, until: { seconds } });
}

/** The node's process ids, with its workers. Its Postgres is not among them. */
async function nodeProcesses({ node, postmaster }: TestBed): Promise<readonly number[]> {
  const children = await childrenOf(node.pid);
  return [node.pid, ...children.map(({ pid }) => pid).filter((pid) => pid !== postmaster)];
}

async function residentOf(testBed: TestBed): Promise<number | null> {
  const all = await Promise.all((await nodeProcesses(testBed)).map(residentBytes));
  return all.reduce((one, other) => combine(one, other, 1), 0);
}

async function usage(testBed: TestBed): Promise<Usage> {
  const postgres = testBed.postmaster === null ? null : await familyCpuSeconds(testBed.postmaster);
  const all = await Promise.all((await nodeProcesses(testBed)).map(cpuSeconds));
  const logServer = testBed.logServer === null ? 0 : await cpuSeconds(testBed.logServer);
  return { node: all.reduce((one, other) => combine(one, other, 1), 0), postgres, logServer };
}

const combine = (one: number | null, other: number | null, sign: 1 | -1) => (one === null || other === null ? null : one + sign * other);
const sum = (one: Usage, other: Usage): Usage => ({
  node: combine(one.node, other.node, 1),
  postgres: combine(one.postgres, other.postgres, 1),
  logServer: combine(one.logServer, other.logServer, 1),
});
const difference = (before: Usage, after: Usage): Usage => ({
  node: combine(after.node, before.node, -1),
  postgres: combine(after.postgres, before.postgres, -1),
  logServer: combine(after.logServer, before.logServer, -1),
});
const ownTotal = (of: Usage) => combine(of.node, of.postgres, 1);
const per1000 = (seconds: number | null, { count }: Merged) => (seconds === null || count === 0 ? null : (seconds * 1000) / count);
/** `null` also when the divisor is 0, as of a slice that is shorter than a tick of /proc. */
const quotient = (one: number | null, other: number | null) => (one === null || other === null || other === 0 ? null : one / other);

/** Several consecutive slices as one. */
export interface Merged {
  readonly count: number;
  readonly rps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly generatorCpu: number;
}

export function merge(slices: readonly Seen[]): Merged {
  const count = slices.reduce((all, seen) => all + seen.latencies.length, 0);
  const seconds = slices.reduce((all, seen) => all + seen.seconds, 0);
  const latencies = new Float64Array(count);
  const failures: Record<string, number> = {};
  let offset = 0;
  for (const seen of slices) {
    latencies.set(seen.latencies, offset);
    offset += seen.latencies.length;
    for (const [reason, times] of Object.entries(seen.failures)) failures[reason] = (failures[reason] ?? 0) + times;
  }
  latencies.sort();
  const generatorCpu = slices.reduce((all, seen) => all + seen.cpuSeconds, 0) / seconds;
  return { count, rps: count / seconds, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99), failures, generatorCpu };
}
