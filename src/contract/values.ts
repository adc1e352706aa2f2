import { z } from 'zod';
import { parseJson } from '../kernel/json.ts';
import { ExactNumber, type Json, type JsonObject } from '../kernel/json-value.ts';

/** Schemas that many routes share, and the types of answers that follow from schemas. */

/** What every answer says that is no refusal. */
export const ok = z.literal(true);

/** Any JSON value that players and authors write. */
export const anyJson: z.ZodType<Json, Json> = z.any();

/** Any JSON object. */
export const anyObject = z.record(z.string(), anyJson).meta({ id: 'JsonObject', description: 'Any JSON object' }) as unknown as z.ZodType<
  JsonObject,
  JsonObject
>;

/** A number of any size: a 64-bit id stays exact. */
export const anyNumber = z.number() as unknown as z.ZodType<Json, Json>;

const A_PLAYER = 'the id of a player';

/** A player's id, sent as text or as a number, which counts by its exact digits. */
export const playerId = z
  .union([z.string().min(1, A_PLAYER), z.custom<number | ExactNumber>(isSentNumber).meta({ type: 'number' })], A_PLAYER)
  .transform((id) => (id instanceof ExactNumber ? id.text : String(id)));

function isSentNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

export const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC' });
export const count = z.int().min(0);

/** Texts without controls, and without what changes the order or the lines of what is shown. */
export const ONE_LINE = /^[^\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/u;

/** The same for a line that says something, if short: it goes back and forth. Classes are written out for tools that make examples. */
const NOT_IN_LINE = '\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const FILLED_LINE = new RegExp(`^[^${NOT_IN_LINE}]*[^${NOT_IN_LINE}\\s][^${NOT_IN_LINE}]*$`, 'u');

/** A line of text that says something: without blanks around it, of 1 to `most` characters. */
export function lineOf(most: number) {
  const form = `one line of 1 to ${most} characters, without control characters`;
  return z.string(form).trim().min(1, form).max(most, { error: form, abort: true }).regex(FILLED_LINE, form);
}

/** Of the support desk: what asked for an act. */
const TICKET = { description: 'Of the support desk' } as const;
export const ticketAsked = lineOf(128).exactOptional().meta(TICKET);
/** The same, as answers tell it. */
export const ticketSaid = z.string().optional().meta(TICKET);

/** What players of an answer are called, by their ids. */
export const called = z.record(z.string(), z.string()).optional().meta({
  description: 'What players whom this names are called now, by id, as far as games report it; to whoever has `players` (`r`)',
});

/** The moment that an answer is of, where `at` asked for one. */
export const asOf = z
  .strictObject({
    revision: count.meta({ description: 'Of the log; `at` of a lasting link' }),
    time: instant.meta({ description: 'When that was stored' }),
  })
  .meta({ id: 'AsOf', description: 'The moment that the answer is of, where `at` asked for one' })
  .optional();

/** The type as read-only, at every depth. JSON itself stays as it is. */
type Shown<T> = [Json] extends [T]
  ? T
  : [JsonObject] extends [T]
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Shown<Item>[]
      : T extends object
        ? { readonly [Name in keyof T]: Exclude<Shown<T[Name]>, undefined> }
        : T;

/** The answers that a schema allows. */
export type ShownBy<Schema extends z.ZodType> = Shown<z.output<Schema>>;

declare const printed: unique symbol;

/** JSON text of a value of this type. It avoids printing the value again where its text exists. */
export type TextOf<Body> = string & { readonly [printed]: Body };

/** Parses a text, with exact numbers. */
export function parsedText<Body>(text: TextOf<Body>): Body {
  return parseJson(text) as Body;
}

/** Marks a text as JSON of this type. The caller guarantees that it is. */
export function asTextOf<Body>(text: string): TextOf<Body> {
  return text as TextOf<Body>;
}
