import type { WindowName } from '../../contract/resources/rate-limits.ts';
import { hashText } from '../../kernel/hash.ts';
import { playerOfKey } from '../document/key.ts';
import type { WindowChange } from '../events.ts';
import type { CollectionModel, RuleModel } from '../model.ts';
import type { WindowState } from '../states.ts';
import { windowStart } from './windows.ts';

/** What counting needs to know about a write. */
export interface Counting {
  readonly collection: CollectionModel;
  readonly key: string;
  /** The caller, who counts in global collections. In player collections the player of the key counts. */
  readonly player: string;
  /** Unix ms. */
  readonly now: number;
  windowOf(counter: string): WindowState | null;
}

/** Rounding errors of sums of decimal fractions are smaller than this. A limit of 0.3 allows 0.1 + 0.2. */
const NOISE = 1e-9;
/** Most characters that a field has in a counter's name. */
const MAX_FIELD = 512;

/** One window of a rule. */
export interface Limit {
  readonly counter: string;
  readonly rule: string;
  readonly window: WindowName;
  readonly limit: number;
  /** Since when the rule counts, unix ms. */
  readonly since: number;
}

/** The result of counting an amount in one window. */
export interface Count {
  readonly change: WindowChange;
  readonly over: boolean;
  readonly flaggedBefore: boolean;
}

/** The player whom a write counts for: `*` for a global rule, the caller in a global collection, else the player of the document's key. */
export function subjectOf({ collection, key, player }: Counting, scope: RuleModel['scope']): string {
  if (scope === 'global') return '*';
  return collection.type === 'global' ? player : playerOfKey(key) || key;
}

/** Name of a counter. The subject may be any text, so it comes last; no part before it can hold a `/`. */
export function counterOf(rule: RuleModel, counting: Counting, window: WindowName): string {
  return `${rule.id}/${counting.collection.id}/${fieldPart(rule.field)}/${window}/${subjectOf(counting, rule.scope)}`;
}

/** Counters are keys of a table, so a path that is too long for its index is replaced by its hash. */
function fieldPart(field: string): string {
  const escaped = encodeURIComponent(field);
  return escaped.length <= MAX_FIELD ? escaped : hashText(field);
}

/** Counter of a collection's daily limit. No rule can have an id that begins with `@`. */
export function dailyCounter(counting: Counting, per: 'player' | 'collection'): string {
  return `@daily/${counting.collection.id}/*/perDay/${subjectOf(counting, per === 'player' ? 'per_player' : 'global')}`;
}

/**
 * The window that holds `now`. It begins no earlier than its rule. A stored window that starts later stays in use: another node's clock was
 * ahead.
 */
export function usedIn(state: WindowState | null, window: WindowName, now: number, since: number): WindowState {
  const start = Math.max(windowStart(window, now), since);
  return state !== null && state.start >= start ? state : { start, used: 0, flagged: false };
}

/** Counts an amount in one window: the window's change, and whether it exceeds the limit. */
export function count(counting: Pick<Counting, 'now' | 'windowOf'>, { counter, rule, window, limit, since }: Limit, amount: number): Count {
  const { start, used, flagged } = usedIn(counting.windowOf(counter), window, counting.now, since);
  const after = Math.min(used + amount, Number.MAX_VALUE);
  return { change: { counter, rule, window, start, before: used, after }, over: after - limit > NOISE, flaggedBefore: flagged };
}
