import type { Written } from '../../contract/resources/member.ts';
import { type callLimits, flatName, type rule as ruleSchema, WINDOW_NAMES } from '../../contract/resources/rate-limits.ts';
import { groupBy } from '../../kernel/group.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { flagOf, listOf, numberOf, objectOf } from '../../kernel/json-read.ts';
import type { CollectionModel, RuleModel } from '../model.ts';

const ID = /^[A-Za-z0-9_]{1,64}$/;

/** A rule as somebody wrote it. */
type WrittenRule = Written<typeof ruleSchema>;

/** Members that the server adds to a stored rule: since when a rule with its id exists, and an id that was kept. No answer shows them. */
const SINCE = '_since';
const KEPT_ID = '_ruleId';

/** A stored rule with its id in listings, refusals and counters. */
export interface IdentifiedRule {
  readonly id: string;
  /** The rule as sent. */
  readonly rule: JsonObject;
  /** Unix ms; 0 for a rule stored before this member existed. */
  readonly since: number;
}

/**
 * The stored rules, from a list or `{rules: […]}`, each with an id that is unique in the list. A disabled rule gets its id too: switching a
 * rule off must not give its counters to the next one.
 */
export function identifiedRules(raw: Json): IdentifiedRule[] {
  const rules = rulesIn(raw).filter(isObject);
  const unused = unusedBeside(rules.flatMap((rule) => text(rule[KEPT_ID]) ?? []));
  return rules.map(({ [SINCE]: since, [KEPT_ID]: kept, ...rule }) => {
    return { id: text(kept) ?? unused(ownId(rule) ?? defaultRuleId(rule)), rule, since: numberOf(since) ?? 0 };
  });
}

/** The items of a list, or of `{rules: […]}`. */
export function rulesIn(raw: Json): readonly Json[] {
  return isArray(raw) ? raw : listOf(objectOf(raw)['rules']);
}

/** The id that a rule was sent with; `null`: it has none, or not a valid one. */
function ownId({ id }: WrittenRule): string | null {
  const given = text(id);
  return given !== null && ID.test(given) ? given : null;
}

/** The stored rules as they were sent. */
export function sentRules(raw: Json): JsonObject[] {
  return identifiedRules(raw).map(({ rule }) => rule);
}

/**
 * Rules as they are stored: each with the time since when a rule with its id exists, so the counts of a deleted rule are not used again.
 * `before`: the rules that they replace.
 */
export function datedRules(rules: readonly Json[], before: Json, now: number): JsonObject[] {
  const earlier = identifiedRules(before);
  const known = new Map(earlier.map(({ id, since }) => [id, since]));
  const kept = keepingIds(rules, earlier);
  return identifiedRules(kept).map(({ id }, index) => {
    const since = known.get(id) ?? now;
    const rule = kept[index] ?? {};
    return since === 0 ? rule : { ...rule, [SINCE]: since };
  });
}

/**
 * The sent rules. A rule without an id keeps the id that was made for it before, wherever the rule now stands in the list. Ids of several
 * rules on one field are made from their order. Without this, adding or removing a rule would lose the counts of the rules behind it.
 */
function keepingIds(rules: readonly Json[], earlier: readonly IdentifiedRule[]): JsonObject[] {
  const sent = rules.filter(isObject).map(({ [SINCE]: _, [KEPT_ID]: __, ...rule }): JsonObject => rule);
  const ids = claimedIds(sent, earlier);
  const kept = sent.map((rule, index) => (ids.has(index) ? { ...rule, [KEPT_ID]: ids.get(index) ?? '' } : rule));
  const byPosition = identifiedRules(sent);
  return identifiedRules(kept).every(({ id }, index) => id === byPosition[index]?.id) ? sent : kept;
}

/** What a sent rule and an earlier one must have in common to be the same rule, the strictest comparison first. */
const FINGERPRINTS: readonly ((rule: JsonObject) => string)[] = [
  stringifyJson,
  (rule) => `${defaultRuleId(rule)} ${windowNames(rule)} ${text(rule['name'])}`,
  (rule) => `${defaultRuleId(rule)} ${windowNames(rule)}`,
  defaultRuleId,
];

/** The earlier ids of the rules that were sent without one, by position. Each earlier rule is taken once. */
function claimedIds(sent: readonly JsonObject[], earlier: readonly IdentifiedRule[]): ReadonlyMap<number, string> {
  const claimed = new Map<number, string>();
  const unnamed = earlier.filter(({ rule }) => ownId(rule) === null);
  const gone = new Set<string>();
  for (const fingerprint of FINGERPRINTS) {
    const left = groupBy(
      unnamed.filter(({ id }) => !gone.has(id)),
      ({ rule }) => fingerprint(rule),
    );
    for (const [index, rule] of sent.entries()) {
      const same = claimed.has(index) || ownId(rule) !== null ? undefined : left.get(fingerprint(rule))?.shift();
      if (same === undefined) continue;
      claimed.set(index, same.id);
      gone.add(same.id);
    }
  }
  return claimed;
}

function windowNames(rule: JsonObject): string {
  return windowsOf(rule)
    .map(({ window }) => window)
    .join();
}

/**
 * Rules as they are evaluated, from any stored form (`window` + `limit`, `windows`, `maxPerMinute` …). Disabled rules and rules without a
 * usable limit are left out.
 */
export function normaliseRules(raw: Json): RuleModel[] {
  return identifiedRules(raw).flatMap((rule) => normalise(rule) ?? []);
}

function normalise({ id, rule, since }: IdentifiedRule): RuleModel | null {
  const written: WrittenRule = rule;
  const windows = windowsOf(written);
  if (flagOf(written.enabled) === false || windows.length === 0) return null;
  const action = written.action === 'flag' || written.action === 'clamp' ? written.action : 'reject';
  const scope = written.scope === 'global' ? 'global' : 'per_player';
  const [name, collection, field] = [text(written.name) ?? id, collectionOf(written), fieldOf(written)];
  return { id, name, since, collection, exact: false, field, scope, action, windows };
}

function collectionOf({ collection }: WrittenRule): string {
  return text(collection) ?? '*';
}

function fieldOf({ field }: WrittenRule): string {
  return text(field) ?? '*';
}

/** The windows of a rule or of an endpoint, in any of their forms. */
export function windowsOf(written: WrittenRule | Written<typeof callLimits>): RuleModel['windows'] {
  const map = objectOf(written.windows);
  return WINDOW_NAMES.flatMap((window) => {
    const limit = (text(written.window) === window ? written.limit : undefined) ?? map[window] ?? written[flatName(window)];
    // Older editors send numbers as texts. If these were not read, the rule would silently limit nothing.
    const count = numberOf(limit) ?? 0;
    return count > 0 ? [{ window, limit: count }] : [];
  });
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** The id of a rule that was sent without one. */
function defaultRuleId(rule: WrittenRule): string {
  const part = (name: string) => (name === '*' ? 'all' : name.replace(/[^A-Za-z0-9_]/g, '_'));
  return `rl_${part(collectionOf(rule))}_${part(fieldOf(rule))}`.slice(0, 64);
}

/**
 * Gives each id once: the id itself, then `id_2` and so on. A list may hold thousands of rules with one id, so the last number of each id
 * is remembered.
 */
function unusedBeside(ids: readonly string[]): (id: string) => string {
  const taken = new Set(ids);
  const counts = new Map<string, number>();
  return (id) => {
    let count = counts.get(id) ?? 1;
    const numbered = () => (count === 1 ? id : `${id}_${count}`);
    while (taken.has(numbered())) count += 1;
    counts.set(id, count);
    const free = numbered();
    taken.add(free);
    return free;
  };
}

/** Cached by collection model while the rules stay the same. Most writes have no rules, and should not search for them each time. */
const found = new WeakMap<CollectionModel, { readonly all: readonly RuleModel[]; readonly own: readonly RuleModel[] }>();

/** The rules of a collection in their order, including those for `*`. */
export function rulesOf(rules: readonly RuleModel[], collection: CollectionModel): readonly RuleModel[] {
  const known = found.get(collection);
  if (known !== undefined && known.all === rules) return known.own;
  const names = new Set(['*', collection.id.toLowerCase(), collection.name.toLowerCase()]);
  const own = rules.filter((rule) => (rule.exact ? rule.collection === collection.id : names.has(rule.collection.toLowerCase())));
  found.set(collection, { all: rules, own });
  return own;
}
