import type { QueryPlan } from '../../domain/query/plan.ts';

/** How long a query's result is cached. */

export interface CachedResult<T> {
  readonly value: T;
  /** Revision of the last change of any source when this was made. */
  readonly changedAt: number;
  /** Unix ms. */
  readonly madeAt: number;
}

const MIN_KEPT_MS = 2_000;
/** The largest Unix ms that a date can hold. */
const LAST_INSTANT = 8.64e15;

/**
 * Until when a result is given again, unix ms: for its `ttl`, at least 2 s. Presence comes from telemetry, which changes no source, so
 * results that show it are kept no longer than that.
 */
function expiry({ madeAt }: Pick<CachedResult<unknown>, 'madeAt'>, { ttl, withProfiles }: QueryPlan): number {
  return Math.min(madeAt + (withProfiles ? MIN_KEPT_MS : Math.max(ttl * 1000, MIN_KEPT_MS)), LAST_INSTANT);
}

/** Whether a kept result may still be given. One of the future was made before the clock was set back, and would last too long. */
export function isCurrent(kept: CachedResult<unknown>, plan: QueryPlan, now: number): boolean {
  return kept.madeAt <= now && now < expiry(kept, plan);
}

/** The text of a result with three more members, as it is given again. */
export function fromCache(kept: Pick<CachedResult<string>, 'value' | 'madeAt'>, plan: QueryPlan): string {
  const [cachedAt, expiresAt] = [kept.madeAt, expiry(kept, plan)].map((at) => new Date(at).toISOString());
  return `${kept.value.slice(0, -1)},"fromCache":true,"cachedAt":"${cachedAt}","expiresAt":"${expiresAt}"}`;
}
