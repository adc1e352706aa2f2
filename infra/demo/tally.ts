import type { Answer } from '../harness/http.ts';
import { quantile } from '../harness/numbers.ts';
import { errorCode } from '../harness/project.ts';

/** Refusals that are part of the game: not enough gold for the axe, no better axe left, too much wood in one minute. */
const EXPECTED: ReadonlySet<string> = new Set(['TOO_POOR', 'BEST_AXE', 'RATE_LIMIT']);

export interface Throughput {
  readonly calls: number;
  readonly seconds: number;
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
}

/** Counts every call of every player. */
export interface Tally {
  /** Waits for the call. Resolves to `null` when no whole answer arrived or the outcome is unknown, and sets `certain` to false. */
  count(caller: { certain: boolean }, call: Promise<Answer>): Promise<Answer | null>;
  readonly calls: number;
  throughput(seconds: number): Throughput;
}

export function createTally(): Tally {
  const times: number[] = [];
  const refusals = new Map<string, number>();
  const errors = new Map<string, number>();
  const add = (to: Map<string, number>, code: string) => to.set(code, (to.get(code) ?? 0) + 1);

  return {
    async count(caller, call) {
      const answer = await call.catch((error: unknown) => {
        add(errors, `NO_ANSWER ${String(error)}`);
        return null;
      });
      if (answer === null || answer.status >= 500) caller.certain = false;
      if (answer === null) return null;
      times.push(answer.ms);
      const code = errorCode(answer);
      if (code !== null) add(EXPECTED.has(code) ? refusals : errors, code);
      return answer;
    },
    get calls() {
      return times.length;
    },
    throughput(seconds) {
      const sorted = Float64Array.from(times).sort();
      return {
        calls: times.length,
        seconds,
        callsPerSecond: times.length / seconds,
        p50Ms: quantile(sorted, 0.5),
        p99Ms: quantile(sorted, 0.99),
        refusals: Object.fromEntries(refusals),
        errors: Object.fromEntries(errors),
      };
    },
  };
}
