import { namesIn, type Written } from '../../../contract/resources/member.ts';
import { callLimits, flatName, MAX_LIMIT, rule, WINDOW_NAMES } from '../../../contract/resources/rate-limits.ts';
import { isArray, isObject, type Json } from '../../../kernel/json.ts';
import { numberOf, objectOf, stringOf } from '../../../kernel/json-read.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { documentsOf, pathFinding } from '../../../language/validate/fields.ts';
import { unknownBeside } from '../../../language/validate/members.ts';
import type { Findings } from '../../finding.ts';
import { rulesIn } from '../../limit/rules.ts';

/** Findings for rate-limit rules, in all their forms. */

const WINDOWS: ReadonlySet<string> = new Set(WINDOW_NAMES);
const FLAT = WINDOW_NAMES.map((window) => flatName(window));
const FLAT_NAMES: ReadonlySet<string> = new Set(FLAT);
/** Longest pointer. It contains names that the author chose. */
const MAX_POINTER = 200;

/** `body`: as pushed, `{rules: […]}` or the bare list. */
export function rateRulesFindings(body: Json, findings: Findings): void {
  const root = isArray(body) ? '' : '/rules';
  unknownBeside(body, ['rules'], findings);
  for (const [index, written] of rulesIn(body).entries()) {
    if (isObject(written)) ruleFindings(written, `${root}/${index}`, findings);
  }
}

/** Findings for an endpoint's `rateLimits`: windows, in any form that rules have, or by their bare names. */
export function callLimitFindings(written: Json, pointer: string, findings: Findings): void {
  if (!isObject(written)) {
    findings.add('INVALID_RATE_LIMITS', pointer, 'Limits are an object, such as {perMinute: 10}; this limits nothing.');
    return;
  }
  const limits: Written<typeof callLimits> = written;
  if (stringOf(limits.mode) === 'none') return;
  const known = namesIn(callLimits);
  for (const name of Object.keys(written)) {
    if (!known.includes(name))
      findings.add(
        'INVALID_RATE_LIMITS',
        `${pointer}/${name}`.slice(0, MAX_POINTER),
        `'${name}' limits no calls.`,
        didYouMean(name, known),
      );
  }
  findings.structure(callLimits, limits, pointer, 'enabled');
  const bare = Object.fromEntries(WINDOW_NAMES.map((name) => [flatName(name), limits[name] ?? limits[flatName(name)] ?? null]));
  const asRule = { ...written, ...bare };
  windowsFindings(asRule, pointer, findings);
  limitsFindings(
    asRule,
    pointer,
    findings,
    (name) => WINDOW_NAMES.find((each) => flatName(each) === name && Object.hasOwn(limits, each)) ?? name,
  );
  findings.structure(callLimits, limits, pointer, 'action', 'scope');
}

function ruleFindings(written: Written<typeof rule>, pointer: string, findings: Findings): void {
  const known = namesIn(rule);
  for (const name of Object.keys(written)) {
    // {@link windowsFindings} reports unknown windows.
    if (known.includes(name) || name.startsWith('_') || /^maxPer[A-Z]/.test(name)) continue;
    const at = `${pointer}/${name}`.slice(0, MAX_POINTER);
    findings.add('UNKNOWN_RULE_MEMBER', at, `A rule does nothing with '${name}'.`, didYouMean(name, known));
  }
  const collection = stringOf(written.collection) ?? '*';
  if (collection !== '*' && !findings.known.collection(collection)) {
    const missing = { kind: 'collection', name: collection } as const;
    const message = `There is no collection '${collection}', so this guards nothing.`;
    findings.addMissing('COLLECTION_NOT_FOUND', `${pointer}/collection`, message, missing);
  }
  const documents = documentsOf(collection, findings);
  const field = stringOf(written.field) ?? '*';
  if (documents !== null && field !== '*') pathFinding(documents, field, `${pointer}/field`, findings);
  findings.structure(rule, written, pointer, 'enabled');
  windowsFindings(written, pointer, findings);
  limitsFindings(written, pointer, findings);
  findings.structure(rule, written, pointer, 'action', 'scope');
}

function windowsFindings(written: Written<typeof rule>, pointer: string, findings: Findings): void {
  const window = written.window ?? null;
  const known = typeof window === 'string' && (window.trim() === '' || WINDOWS.has(window.trim()));
  if (window !== null && !known) unknown(`${pointer}/window`, String(stringOf(window) ?? '?'), findings);
  const map = written.windows ?? null;
  if (map !== null && !isObject(map)) unknown(`${pointer}/windows`, 'windows', findings);
  for (const name of Object.keys(objectOf(map))) if (!WINDOWS.has(name)) unknown(`${pointer}/windows/${name}`, name, findings);
  for (const name of Object.keys(written))
    if (/^maxPer[A-Z]/.test(name) && !FLAT_NAMES.has(name)) unknown(`${pointer}/${name}`, name, findings);
}

function unknown(pointer: string, name: string, findings: Findings): void {
  const fix = didYouMean(name, WINDOW_NAMES) ?? `One of ${WINDOW_NAMES.join(', ')}.`;
  const message = `'${name.slice(0, MAX_POINTER)}' is no window of a rate limit, so nothing counts it.`;
  findings.add('INVALID_RATE_LIMIT_WINDOW', pointer.slice(0, MAX_POINTER), message, fix);
}

/** Findings for the limits of a rule, and for a rule without one. `nameOf`: what the author called a limit. */
function limitsFindings(written: Written<typeof rule>, pointer: string, findings: Findings, nameOf = (name: string): string => name): void {
  const given: [string, Json][] = [];
  const seed = stringOf(written.window) === undefined ? undefined : written.limit;
  if (seed !== undefined) given.push(['limit', seed]);
  for (const [name, limit] of Object.entries(objectOf(written.windows))) given.push([`windows/${name}`, limit]);
  for (const name of FLAT) given.push([name, written[name] ?? null]);
  const limits = given.filter(([, limit]) => limit !== null);
  for (const [name, limit] of limits) {
    if (isLimit(limit)) continue;
    findings.add('INVALID_RATE_LIMIT', `${pointer}/${nameOf(name)}`, `A limit is a number above 0, up to ${MAX_LIMIT}.`);
  }
  if (limits.length === 0) findings.add('RATE_LIMIT_MISSING', pointer, 'This rule limits nothing: it has no window with a limit.');
}

function isLimit(limit: Json): boolean {
  const number = numberOf(limit) ?? 0;
  return number > 0 && number <= MAX_LIMIT;
}
