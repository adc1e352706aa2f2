import { z } from 'zod';
import { isArray, isNumber, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { complaintIn, map } from './member.ts';

/** Where a value is of another form than its schema says, at any depth. What has no schema of its own may be anything. */

export interface Misfit {
  readonly pointer: string;
  readonly code: string;
  /** What it must be, in words. */
  readonly expected: string;
}

export interface Reading {
  /** Whether a number stands for its text, as in ids that are numbers. */
  readonly numbersAreTexts: boolean;
  /** Pointers of what nobody reads. */
  readonly unread?: readonly string[];
}

/** The misfits of a value. Null and blank texts count as missing. */
export function misfitsOf(schema: z.core.$ZodType, value: Json, pointer: string, reading: Reading): readonly Misfit[] {
  if (value === null || (typeof value === 'string' && value.trim() === '') || reading.unread?.includes(pointer) === true) return [];
  // Rows of game values are many, and nearly all of this.
  if (schema instanceof z.ZodAny || (schema === map && isObject(value))) return [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodLazy) {
    const found = misfitsOf(schema.unwrap(), value, pointer, reading);
    const complaint = complaintIn(schema);
    return complaint === undefined ? found : found.map((each) => (each.pointer === pointer ? { ...each, ...complaint } : each));
  }
  if (schema instanceof z.ZodDiscriminatedUnion || schema instanceof z.ZodUnion) return ofUnion(schema, value, pointer, reading);
  if (schema instanceof z.ZodObject) {
    if (!isObject(value)) return [misfit(schema, pointer)];
    return inside(value, pointer, reading, (name) => (Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined));
  }
  if (schema instanceof z.ZodArray) {
    if (!isArray(value)) return [misfit(schema, pointer)];
    return inside(value, pointer, reading, () => schema.element);
  }
  if (schema instanceof z.ZodRecord) {
    if (!isObject(value)) return [misfit(schema, pointer)];
    return inside(value, pointer, reading, () => schema.valueType);
  }
  if (reading.numbersAreTexts && schema instanceof z.ZodString && isNumber(value)) return [];
  return z.safeParse(schema, value).success ? [] : [misfit(schema, pointer)];
}

/** Most misfits. Nobody reads more. */
const MOST = 100;

/** Misfits of the members of an object, or the items of a list. */
function inside(
  value: JsonObject | readonly Json[],
  pointer: string,
  reading: Reading,
  schemaOf: (name: string) => z.core.$ZodType | undefined,
): readonly Misfit[] {
  const found: Misfit[] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (found.length >= MOST) break;
    const schema = schemaOf(name);
    if (schema !== undefined) found.push(...misfitsOf(schema, inner, `${pointer}/${name}`, reading));
  }
  return found;
}

/** Of several forms the one that it fits best; of those told apart by a member, such as types of steps, none if that is unknown. */
function ofUnion(schema: z.ZodUnion, value: Json, pointer: string, reading: Reading): readonly Misfit[] {
  if (schema instanceof z.ZodDiscriminatedUnion && isObject(value)) {
    const by = schema.def.discriminator;
    const form = schema.options.find((each) => each instanceof z.ZodObject && z.safeParse(each.shape[by], value[by]).success);
    return form === undefined ? [] : misfitsOf(form, value, pointer, reading);
  }
  let best: { readonly misfits: readonly Misfit[]; readonly rank: number } | null = null;
  for (const option of schema.options) {
    const misfits = misfitsOf(option, value, pointer, option instanceof z.ZodString ? { ...reading, numbersAreTexts: false } : reading);
    if (misfits.some((one) => one.pointer === pointer)) continue;
    const rank = misfits.length + strangersIn(option, value);
    if (rank === 0) return [];
    if (best === null || rank < best.rank) best = { misfits, rank };
  }
  return best?.misfits ?? [misfit(schema, pointer)];
}

/** How many members a form does not have, or lacks: what has many is hardly of that form. */
function strangersIn(schema: z.core.$ZodType | undefined, value: Json): number {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodLazy) return strangersIn(schema.unwrap(), value);
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return 0;
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(schema.shape, name));
  const lacking = Object.entries(schema.shape).filter(
    ([name, member]) => !(member instanceof z.ZodOptional) && !Object.hasOwn(value, name),
  );
  return unknown.length + lacking.length;
}

function misfit(schema: z.core.$ZodType, pointer: string): Misfit {
  return { code: 'INVALID_MEMBER', pointer, expected: wordsOf(schema) };
}

/** What a schema takes, in words. */
function wordsOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodLazy) return wordsOf(schema.unwrap());
  if (schema instanceof z.ZodPipe) return wordsOf(schema.out);
  if (schema instanceof z.ZodUnion) return joined([...new Set(schema.options.map(wordsOf))].filter((words) => words !== 'nothing'));
  if (schema instanceof z.ZodEnum) return joined(schema.options.map(String));
  if (schema instanceof z.ZodLiteral) return joined([...schema.values].map(String));
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodNull) return 'nothing';
  if (schema instanceof z.ZodString) return 'a text';
  if (schema instanceof z.ZodNumber) return numberWords(schema);
  if (schema instanceof z.ZodArray) return schema.element instanceof z.ZodString ? 'a list of texts' : 'a list';
  return 'an object';
}

function numberWords({ minValue, maxValue, format }: z.ZodNumber): string {
  const what = format?.includes('int') === true ? 'a whole number' : 'a number';
  const least = minValue !== null && minValue > Number.MIN_SAFE_INTEGER ? minValue : null;
  const most = maxValue !== null && maxValue < Number.MAX_SAFE_INTEGER ? maxValue : null;
  if (least !== null && most !== null) return `${what} from ${least} to ${most}`;
  return least === null ? (most === null ? what : `${what}, at most ${most}`) : `${what}, at least ${least}`;
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
