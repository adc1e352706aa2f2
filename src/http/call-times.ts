import { Counter, Histogram, type Registry } from 'prom-client';

/** Most slugs, over all projects, that have series of their own. Calls of further slugs are counted together. */
const MAX_SLUGS = 100;
const OTHERS = 'other';
/** Few buckets, because each is a line of the metrics for every slug and outcome. */
const BUCKETS = [0.002, 0.01, 0.05, 0.25, 1, 5];

/** Endpoint calls by slug and outcome. */
export interface CallTimes {
  /** `answered`: the endpoint ran and gave the answer itself, so the slug exists. */
  observe(slug: string, status: number, answered: boolean, seconds: number): void;
  /** Counts a failed call under the code that its caller got. */
  refused(slug: string, code: string): void;
}

/** Most codes of one slug that are counted separately: authors choose codes freely, even by templates. */
const MAX_CODES = 20;

export function createCallTimes(registry: Registry, most: number = MAX_SLUGS): CallTimes {
  const times = new Histogram({
    name: 'savepoint_endpoint_call_seconds',
    help: 'Time of endpoint calls, by slug and outcome',
    labelNames: ['slug', 'outcome'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'savepoint_endpoint_refusals_total',
    help: 'Endpoint calls that were refused or failed, by slug and code',
    labelNames: ['slug', 'code'],
    registers: [registry],
  });
  const known = new Set<string>();
  const codes = new Map<string, Set<string>>();
  /** Made-up slugs get no series of their own: they would use up those of real endpoints. */
  const named = (slug: string, answered: boolean): string => {
    if (known.has(slug)) return slug;
    if (!answered || known.size >= most) return OTHERS;
    known.add(slug);
    return slug;
  };
  const coded = (slug: string, code: string): string => {
    const seen = codes.get(slug) ?? new Set();
    codes.set(slug, seen);
    if (!seen.has(code) && seen.size >= MAX_CODES) return OTHERS;
    seen.add(code);
    return code;
  };
  return {
    refused(slug, code) {
      const under = known.has(slug) ? slug : OTHERS;
      refusals.inc({ slug: under, code: coded(under, code) });
    },
    observe: (slug, status, answered, seconds) => times.observe({ slug: named(slug, answered), outcome: outcomeOf(status) }, seconds),
  };
}

/** The three outcomes that operators distinguish: success, refusal, server failure. */
function outcomeOf(status: number): string {
  if (status < 400) return 'ok';
  return status < 500 ? 'refused' : 'failed';
}
