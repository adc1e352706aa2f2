import type { field } from '../../contract/resources/field.ts';
import type { Written } from '../../contract/resources/member.ts';
import { groupBy } from '../../kernel/group.ts';
import { compareNumbers, ExactNumber, isArray, isNumber, isObject, type Json, jsonEquals, toDouble } from '../../kernel/json.ts';
import type { Bounds } from '../model.ts';

/** The bounds as an author wrote them. What is no bound is ignored. */
export function boundsOf(written: Written<typeof field>): Bounds {
  return {
    enum: isArray(written.enum) ? written.enum : undefined,
    min: numberOf(written.min ?? written.minimum),
    max: numberOf(written.max ?? written.maximum),
    minLength: sizeOf(written.minLength),
    maxLength: sizeOf(written.maxLength),
    minItems: sizeOf(written.minItems),
    maxItems: sizeOf(written.maxItems),
  };
}

function numberOf(value: Json | undefined): Bounds['min'] {
  return isNumber(value) ? value : undefined;
}

function sizeOf(value: Json | undefined): number | undefined {
  return isNumber(value) ? toDouble(value) : undefined;
}

/** What is wrong with a value, such as `longer than 24 characters`, or `null`. */
export function boundFault(bounds: Bounds, value: Json): string | null {
  if (bounds.enum !== undefined && !isAllowed(bounds.enum, value)) return 'not one of the allowed values';
  if (typeof value === 'string') return textFault(bounds, value);
  if (isNumber(value)) return numberFault(bounds, value);
  return isArray(value) ? itemsFault(bounds, value) : null;
}

/** A schema may allow thousands of values for each item of a list. So a value is compared only with those that have the same group key. */
function isAllowed(allowed: readonly Json[], value: Json): boolean {
  const candidates = allowed.length > FEW_VALUES ? (groupsOf(allowed).get(groupKey(value)) ?? []) : allowed;
  return candidates.some((each) => jsonEquals(each, value));
}

const FEW_VALUES = 8;
const groups = new WeakMap<readonly Json[], ReadonlyMap<string, readonly Json[]>>();

function groupsOf(allowed: readonly Json[]): ReadonlyMap<string, readonly Json[]> {
  const known = groups.get(allowed) ?? groupBy(allowed, groupKey);
  groups.set(allowed, known);
  return known;
}

/** Equal values have equal keys. Values that differ may share one. */
function groupKey(value: Json): string {
  if (isNumber(value)) return String(toDouble(value));
  if (isArray(value)) return `[${value.map(groupKey).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${groupKey(value[name] ?? null)}`).join()}}`;
}

function textFault({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Bounds, text: string): string | null {
  if (minLength === 0 && text.length <= maxLength) return null;
  const length = codePoints(text);
  if (length < minLength) return `shorter than ${minLength} characters`;
  return length > maxLength ? `longer than ${maxLength} characters` : null;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Compares by decimal value: two integers above 2^53 may be the same double, and a bound may lie between them. */
function numberFault({ min, max }: Bounds, value: number | ExactNumber): string | null {
  if (min !== undefined && compareNumbers(value, min) < 0) return `less than ${boundText(min)}`;
  return max !== undefined && compareNumbers(value, max) > 0 ? `more than ${boundText(max)}` : null;
}

function boundText(bound: number | ExactNumber): string {
  return bound instanceof ExactNumber ? bound.text : String(bound);
}

function itemsFault({ minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Bounds, list: readonly Json[]): string | null {
  if (list.length < minItems) return `fewer than ${minItems} items`;
  return list.length > maxItems ? `more than ${maxItems} items` : null;
}
