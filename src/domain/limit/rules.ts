import { flatName, WINDOW_NAMES } from '../../contract/resources/rate-limits.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { CollectionModel, RuleModel } from '../definition/model.ts';
import { flagOf, numberOf } from '../definition/read.ts';

const ID = /^[A-Za-z0-9_]{1,64}$/;

/** The member of a stored rule that says since when a rule with its id exists. No answer shows it. */
const SINCE = '_since';

/** A stored rule with its id in listings, refusals and counters. */
export interface IdentifiedRule {
  readonly id: string;
  /** The rule as sent. */
  readonly rule: JsonObject;
  /** Unix ms; 0 for a rule stored before this member existed. */
  readonly since: number;
}

/**
 * The stored rules, from a list or `{rules: […]}`, each with an id that is unique in the list. A disabled rule gets its id too: switching a rule
 * off must not give its counters to the next one.
 */
export function identifiedRules(raw: Json): IdentifiedRule[] {
  const list = isObject(raw) ? raw['rules'] : raw;
  const taken = new Set<string>();
  return (isArray(list) ? list : []).filter(isObject).map((rule) => {
    const given = text(rule['id']);
    const id = unused(given !== null && ID.test(given) ? given : defaultRuleId(rule), taken);
    taken.add(id);
    const { [SINCE]: since, ...own } = rule;
    return { id, rule: own, since: numberOf(since) ?? 0 };
  });
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
  const known = new Map(identifiedRules(before).map(({ id, since }) => [id, since]));
  return identifiedRules([...rules]).map(({ id, rule }) => {
    const since = known.get(id) ?? now;
    return since === 0 ? rule : { ...rule, [SINCE]: since };
  });
}

/**
 * Rules as they are evaluated, from any stored form (`window` + `limit`, `windows`, `maxPerMinute` …). Disabled rules and rules without a usable
 * limit are left out.
 */
export function normaliseRules(raw: Json): RuleModel[] {
  return identifiedRules(raw).flatMap((rule) => normalise(rule) ?? []);
}

function normalise({ id, rule: raw, since }: IdentifiedRule): RuleModel | null {
  const windows = windowsOf(raw);
  if (flagOf(raw['enabled']) === false || windows.length === 0) return null;
  const action = raw['action'] === 'flag' || raw['action'] === 'clamp' ? raw['action'] : 'reject';
  const scope = raw['scope'] === 'global' ? 'global' : 'per_player';
  const [name, collection, field] = [text(raw['name']) ?? id, collectionOf(raw), fieldOf(raw)];
  return { id, name, since, collection, exact: false, field, scope, action, windows };
}

function collectionOf(rule: JsonObject): string {
  return text(rule['collection']) ?? '*';
}

function fieldOf(rule: JsonObject): string {
  return text(rule['field']) ?? '*';
}

/** The windows of a rule, in any of its forms. */
export function windowsOf(raw: JsonObject): RuleModel['windows'] {
  const map = isObject(raw['windows']) ? raw['windows'] : {};
  return WINDOW_NAMES.flatMap((window) => {
    const limit = (text(raw['window']) === window ? raw['limit'] : undefined) ?? map[window] ?? raw[flatName(window)];
    // Older editors send numbers as texts. If a limit were not read, the rule would silently guard nothing.
    const count = numberOf(limit) ?? 0;
    return count > 0 ? [{ window, limit: count }] : [];
  });
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** The id of a rule that was sent without one. */
function defaultRuleId(rule: JsonObject): string {
  const part = (name: string) => (name === '*' ? 'all' : name.replace(/[^A-Za-z0-9_]/g, '_'));
  return `rl_${part(collectionOf(rule))}_${part(fieldOf(rule))}`.slice(0, 64);
}

function unused(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  for (let count = 2; ; count += 1) if (!taken.has(`${id}_${count}`)) return `${id}_${count}`;
}

/** Cached by collection model while the rules stay the same: most writes have no rules and must not search for them. */
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
