import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { member } from '../../../kernel/path.ts';
import { flatName, WINDOW_NAMES } from '../../limit/windows.ts';
import { numberOf, objectOf, textOf } from '../read.ts';
import { type Findings, isFlag, oneOf } from './finding.ts';

/** Rate-limit rules in all their forms (management 8; runtime-storage 11.1). */

const WINDOWS: ReadonlySet<string> = new Set(WINDOW_NAMES);
const FLAT: ReadonlySet<string> = new Set(WINDOW_NAMES.map(flatName));
const MOST = 1_000_000_000;
/** The names in it are the author's. */
const LONGEST_PATH = 200;

/** `body`: as it was pushed, `{rules: […]}` or the bare list. */
export function rateRulesFindings(body: Json, findings: Findings): void {
  const root = isArray(body) ? '' : '/rules';
  const rules = isArray(body) ? body : member(objectOf(body), 'rules');
  for (const [index, rule] of (isArray(rules) ? rules : []).entries()) {
    if (isObject(rule)) ruleFindings(rule, `${root}/${index}`, findings);
  }
}

/** Of an endpoint's `rateLimits`: the windows, in any form that a rule gives them or by their bare names. */
export function callLimitFindings(limits: Json, path: string, findings: Findings): void {
  if (!isObject(limits)) {
    findings.add('INVALID_RATE_LIMITS', path, 'Limits are an object, such as {perMinute: 10}; this limits nothing.');
    return;
  }
  if (textOf(member(limits, 'mode')) === 'none') return;
  for (const name of Object.keys(limits)) {
    if (!CALL_MEMBERS.has(name))
      findings.add('INVALID_RATE_LIMITS', `${path}/${name}`.slice(0, LONGEST_PATH), `'${name}' limits no calls.`);
  }
  findings.member(limits, 'enabled', path, isFlag, 'INVALID_FLAG', 'true or false');
  const bare = Object.fromEntries(
    WINDOW_NAMES.flatMap((name) => [[flatName(name), member(limits, name) ?? member(limits, flatName(name)) ?? null]]),
  );
  const rule = { ...limits, ...bare };
  windowsFindings(rule, path, findings);
  limitsFindings(rule, path, findings);
  findings.member(limits, 'action', path, oneOf('reject'), 'INVALID_RATE_LIMIT_ACTION', 'reject: a call that is too many is refused');
  findings.member(
    limits,
    'scope',
    path,
    oneOf('per_player', 'global'),
    'INVALID_RATE_LIMIT_SCOPE',
    'per_player or global; it is per_player',
  );
}

const CALL_MEMBERS: ReadonlySet<string> = new Set([
  ...WINDOW_NAMES,
  ...FLAT,
  'window',
  'limit',
  'windows',
  'scope',
  'action',
  'enabled',
  'mode',
]);

const MEMBERS: ReadonlySet<string> = new Set([
  ...['id', 'name', 'description', 'notes', 'collection', 'field', 'action', 'scope', 'enabled', 'webhook', 'window', 'limit', 'windows'],
  ...FLAT,
]);

function ruleFindings(rule: JsonObject, path: string, findings: Findings): void {
  for (const name of Object.keys(rule)) {
    // Windows that there are not are told by {@link windowsFindings}.
    if (MEMBERS.has(name) || name.startsWith('_') || /^maxPer[A-Z]/.test(name)) continue;
    const place = `${path}/${name}`.slice(0, LONGEST_PATH);
    findings.add('UNKNOWN_RULE_MEMBER', place, `A rule does nothing with '${name}'.`, didYouMean(name, MEMBERS));
  }
  const collection = textOf(member(rule, 'collection')) ?? '*';
  if (collection !== '*' && !findings.known.collection(collection)) {
    findings.add('COLLECTION_NOT_FOUND', `${path}/collection`, `There is no collection '${collection}', so this guards nothing.`);
  }
  findings.member(rule, 'enabled', path, isFlag, 'INVALID_FLAG', 'true or false');
  windowsFindings(rule, path, findings);
  limitsFindings(rule, path, findings);
  findings.member(rule, 'action', path, oneOf('reject', 'flag', 'clamp'), 'INVALID_RATE_LIMIT_ACTION', 'reject, flag or clamp; it rejects');
  findings.member(rule, 'scope', path, oneOf('per_player', 'global'), 'INVALID_RATE_LIMIT_SCOPE', 'per_player or global; it is per_player');
}

function windowsFindings(rule: JsonObject, path: string, findings: Findings): void {
  const window = member(rule, 'window') ?? null;
  const known = typeof window === 'string' && (window.trim() === '' || WINDOWS.has(window.trim()));
  if (window !== null && !known) unknown(`${path}/window`, findings);
  const map = member(rule, 'windows') ?? null;
  if (map !== null && !isObject(map)) unknown(`${path}/windows`, findings);
  for (const name of Object.keys(objectOf(map))) if (!WINDOWS.has(name)) unknown(`${path}/windows/${name}`, findings);
  for (const name of Object.keys(rule)) if (/^maxPer[A-Z]/.test(name) && !FLAT.has(name)) unknown(`${path}/${name}`, findings);
}

function unknown(place: string, findings: Findings): void {
  const path = place.slice(0, LONGEST_PATH);
  findings.add(
    'INVALID_RATE_LIMIT_WINDOW',
    path,
    `${path} is no window of a rate limit, so nothing counts it.`,
    `One of ${WINDOW_NAMES.join(', ')}.`,
  );
}

/** Every limit that is given, and that there is one. */
function limitsFindings(rule: JsonObject, path: string, findings: Findings): void {
  const given: [string, Json][] = [];
  const seed = textOf(member(rule, 'window')) === undefined ? undefined : member(rule, 'limit');
  if (seed !== undefined) given.push(['limit', seed]);
  for (const [name, limit] of Object.entries(objectOf(member(rule, 'windows')))) given.push([`windows/${name}`, limit]);
  for (const name of FLAT) given.push([name, member(rule, name) ?? null]);
  const limits = given.filter(([, limit]) => limit !== null);
  for (const [name, limit] of limits) {
    if (isLimit(limit)) continue;
    findings.add('INVALID_RATE_LIMIT', `${path}/${name}`, `A limit is a number above 0, up to ${MOST}.`);
  }
  if (limits.length === 0) findings.add('RATE_LIMIT_MISSING', path, 'This rule limits nothing: it has no window with a limit.');
}

function isLimit(limit: Json): boolean {
  const number = numberOf(limit) ?? 0;
  return number > 0 && number <= MOST;
}
