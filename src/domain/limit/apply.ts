import type { WindowName } from '../../contract/resources/rate-limits.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { addNumbers, compareNumbers, doubleDifference, type JsonObject, NumberTooLong, toDouble } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import type { DocumentDraft } from '../document/document-draft.ts';
import type { Change, Clamp, WindowChange } from '../events.ts';
import type { RuleModel } from '../model.ts';
import { countedAs } from './amount.ts';
import { type Counting, count, counterOf, subjectOf, usedIn } from './counters.ts';
import { countDaily } from './daily.ts';
import { rulesOf } from './rules.ts';
import { secondsLeft } from './windows.ts';

export interface LimitedWrite extends Counting {
  readonly rules: readonly RuleModel[];
  /** Whether a deleted document is created anew. Then its defaults count as growth: or deleting would refill what a limit guards. */
  readonly isRecreated: boolean;
  readonly draft: DocumentDraft;
}

/** A rule with the action `flag` was exceeded for the first time in this window. */
export interface Flag {
  readonly rule: string;
  readonly window: WindowName;
  readonly start: number;
  readonly subject: string;
  readonly amount: number;
  readonly limit: number;
}

export interface LimitResult {
  /** The draft, with clamped fields lowered. */
  readonly draft: DocumentDraft;
  /** What clamping removed. */
  readonly clamps: readonly Clamp[];
  readonly windows: readonly WindowChange[];
  readonly flags: readonly Flag[];
}

/** Most windows that one write may count in. Each is a row of its own. */
const MAX_WINDOWS = 1000;

function tooManyWindows(count: number): Refusal {
  const message = `This write counts in ${count} windows of rate limits; a write may count in ${MAX_WINDOWS}. Give this collection fewer rules or windows`;
  return refusal('APPEND_TOO_LARGE', message);
}

/** What rules compare: the document as it read before (`null`: there was none) and as it reads after. */
interface ComparedDocuments {
  readonly before: JsonObject | null;
  readonly after: JsonObject;
  readonly increases: ReadonlyMap<string, number>;
}

/** A rule and the amount that it has to count. */
interface Demand {
  readonly rule: RuleModel;
  readonly amount: number;
}

/**
 * Counts a write against the collection's daily limit and every rule. Either all pass, or the write is refused with 429 and no counter
 * moves. Fields are clamped before rules count, so what clamping removes is not counted. 413 `APPEND_TOO_LARGE`: it counts in too many
 * windows.
 */
export function applyRules(write: LimitedWrite): LimitResult | Refusal {
  const daily = countDaily(write);
  if (daily instanceof Refusal) return daily;
  const { draft } = write;
  const rules = rulesOf(write.rules, write.collection);
  if (rules.length === 0) return { draft, clamps: [], windows: daily, flags: [] };
  const compared = comparedDocuments(write, rules);
  const requested = rules.map((rule) => ({ rule, amount: amountOf(compared, rule.field) })).filter(({ amount }) => amount > 0);
  const grants = grantsOf(write, requested);
  const granted = strictestGrants(grants);
  const lower = loweredFields(compared, requested, granted);
  const demands = requested.map(({ rule, amount }) => ({ rule, amount: granted.get(rule.field) ?? amount }));
  const counted = countDemands(write, demands);
  if (counted instanceof Refusal) return counted;
  const all = [...daily, ...counted.windows];
  if (all.length > MAX_WINDOWS) return tooManyWindows(all.length);
  const isLowered = new Set(lower.map(([field]) => field));
  const clamps = grants.filter((clamp) => clamp.granted < clamp.asked && isLowered.has(clamp.field));
  return { draft: draft.lowered(lower, compared.after), clamps, windows: all, flags: counted.flags };
}

/** Reads the document only if a rule is about a field. Defaults of a new document are no growth, since every player begins with them. */
function comparedDocuments({ draft, isRecreated }: LimitedWrite, rules: readonly RuleModel[]): ComparedDocuments {
  const before = isRecreated || rules.every(({ field }) => field === '*') ? null : draft.from;
  return { before, after: before === null && !isRecreated ? draft.stored : draft.asRead, increases: draft.increases };
}

/**
 * How much of a field a write asks for: the sum of its operations' upward moves, or the difference between before and after if that is
 * more. For `*` a write counts 1.
 */
function amountOf({ before, after, increases }: ComparedDocuments, field: string): number {
  if (field === '*') return 1;
  const now = countedAs(getPath(after, field));
  const old = before === null ? 0 : countedAs(getPath(before, field));
  const moved = doubleDifference(now, old);
  return Math.min(Math.max(increases.get(field) ?? 0, moved, 0), Number.MAX_VALUE);
}

/** What each clamping rule grants of the asked amount. */
function grantsOf(write: LimitedWrite, requested: readonly Demand[]): Clamp[] {
  return requested.flatMap(({ rule, amount }) => {
    if (!isClamped(rule)) return [];
    const left = rule.windows.map(({ window, limit }) => limit - used(write, rule, window));
    return [{ rule: rule.name, field: rule.field, asked: amount, granted: Math.max(0, Math.min(amount, ...left)) }];
  });
}

/** Field → what its strictest rule grants. */
function strictestGrants(grants: readonly Clamp[]): ReadonlyMap<string, number> {
  const granted = new Map<string, number>();
  for (const { field, granted: left } of grants) granted.set(field, Math.min(granted.get(field) ?? left, left));
  return granted;
}

function used(write: LimitedWrite, rule: RuleModel, window: WindowName): number {
  return usedIn(write.windowOf(counterOf(rule, write, window)), window, write.now, rule.since).used;
}

/** New values of fields that asked for more growth than granted. */
function loweredFields({ before, after }: ComparedDocuments, requested: readonly Demand[], granted: ReadonlyMap<string, number>): Change[] {
  const amounts = new Map(requested.map(({ rule, amount }) => [rule.field, amount]));
  return [...granted].flatMap(([field, grant]): Change[] => {
    const amount = amounts.get(field) ?? 0;
    return amount > grant ? loweredField(before, after, field, amount, grant) : [];
  });
}

/**
 * The lowered value. It is never below the old one: a field that ends lower did not exceed the limit. It is never above the old one by more
 * than was granted: amounts are doubles, which may be far off for very large numbers.
 */
function loweredField(before: JsonObject | null, after: JsonObject, field: string, amount: number, grant: number): Change[] {
  const now = countedAs(getPath(after, field));
  const old = before === null ? 0 : countedAs(getPath(before, field));
  if (compareNumbers(now, old) <= 0) return [];
  const given = sum(old, grant);
  const highest = compareNumbers(given, old) < 0 ? old : given;
  if (amount <= doubleDifference(now, old)) return [[field, highest]];
  // The field moved up, and then down. What it moved down is not given back.
  const value = sum(now, grant - amount);
  if (compareNumbers(value, old) < 0) return [[field, old]];
  return [[field, compareNumbers(value, highest) < 0 ? value : highest]];
}

/** The sum; as a double if it is too long to write out. A number beyond the range of doubles stays as it is. */
function sum(a: Parameters<typeof addNumbers>[0], b: number): ReturnType<typeof addNumbers> {
  try {
    return addNumbers(a, b);
  } catch (error) {
    if (!(error instanceof NumberTooLong)) throw error;
    return Number.isFinite(toDouble(a)) ? doubleDifference(a, -b) : a;
  }
}

function countDemands(write: LimitedWrite, demands: readonly Demand[]): { windows: WindowChange[]; flags: Flag[] } | Refusal {
  const windows: WindowChange[] = [];
  const flags: Flag[] = [];
  for (const { rule, amount } of demands) {
    if (amount === 0) continue;
    for (const { window, limit } of rule.windows) {
      const counted = { counter: counterOf(rule, write, window), rule: rule.id, window, limit, since: rule.since };
      const { change, over, flaggedBefore } = count(write, counted, amount);
      if (over && rule.action !== 'flag' && !isClamped(rule)) return exceeded(rule, window, change.start, write.now);
      const isFirst = over && rule.action === 'flag' && !flaggedBefore;
      windows.push(isFirst ? { ...change, flagged: true } : change);
      if (isFirst) flags.push({ rule: rule.name, window, start: change.start, subject: subjectOf(write, rule.scope), amount, limit });
    }
  }
  return { windows, flags };
}

/** Whether amounts of this rule were lowered until they fit. A rule on `*` has no field to lower, so with `clamp` it rejects. */
function isClamped(rule: RuleModel): boolean {
  return rule.action === 'clamp' && rule.field !== '*';
}

function exceeded(rule: RuleModel, window: WindowName, start: number, now: number): Refusal {
  return refusal('RATE_LIMIT', `The rate limit "${rule.name}" was reached`, {
    error: { rule: rule.name, field: rule.field, window },
    retryAfter: secondsLeft(window, start, now),
  });
}
