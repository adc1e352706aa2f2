import { z } from 'zod';
import { ExactNumber, isObject, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';

/** Building blocks of resource schemas. A schema accepts what an author should write; its output is the normalised form. */

/** Any JSON value: a document, or a value whose texts are templates. */
export const json: z.ZodType<Json, Json> = z.any();

/** A text that is not blank. */
export const text = z.string().regex(/\S/);

/** Any text, for example one for people to read. */
export const anyText = z.string();

/** A flag. Tools may write it as text. */
export const flag = z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean());

/** A number. An exact number that a double cannot hold is accepted, too. */
export function numberThat<S extends z.ZodNumber>(schema: S) {
  return z.preprocess((value) => (value instanceof ExactNumber ? toDouble(value) : value), schema);
}

export const number = numberThat(z.number());

/** Any object, unchanged. */
export const map = z.custom<JsonObject>((value) => isObject(value as Json)).meta({ type: 'object' });

export function wholeNumber(min: number, max: number) {
  return z.int().min(min).max(max);
}

/** A status that an answer may have. Tools may write it as text. */
export const httpStatus = z.union([wholeNumber(200, 599), z.string().regex(/^\s*[2-5]\d\d\s*$/)]);

/** One of these words, in any letter case. */
export function word<const W extends readonly [string, ...string[]]>(words: W) {
  return z.preprocess((value) => (typeof value === 'string' ? value.trim().toLowerCase() : value), z.enum(words));
}

/** A text that is a template, or a value of this kind. */
export function templateOr<S extends z.ZodType>(schema: S) {
  return z.union([schema, z.string().regex(/\{\{/)]);
}

/** The finding for a member that does not fit its schema: `'name' must be {expected}.` */
export interface Complaint {
  readonly code: string;
  readonly expected: string;
}

interface About extends Partial<Complaint> {
  /** Its value when absent. */
  readonly default?: Json;
  /** The schema that the finding is about, if the parts of the member have findings of their own. */
  readonly outer?: z.ZodType;
}

const complaints = new WeakMap<object, Complaint & { readonly outer: z.ZodType }>();

/** Any list, with any content. */
export const list = z.array(json);

/** An optional member. */
export function optional<S extends z.ZodType>(schema: S, description: string, about: About = {}): z.ZodOptional<S> {
  return described(schema.optional(), description, about);
}

/** A required member. */
export function needed<S extends z.ZodType>(schema: S, description: string): S {
  return described(schema, description, {});
}

function described<S extends z.ZodType>(schema: S, description: string, { default: initial, code, expected, outer }: About): S {
  const made: S = schema.meta({ description, ...(initial === undefined ? {} : { default: initial }) });
  if (code !== undefined && expected !== undefined) complaints.set(made, { code, expected, outer: outer ?? made });
  return made;
}

/** The finding for a member's value, or `null`. A missing or null member has none. */
export function complaintOf(schema: z.ZodType | undefined, value: Json | undefined): Complaint | null {
  const complaint = schema === undefined ? undefined : complaints.get(schema);
  if (complaint === undefined || value === undefined || value === null) return null;
  return complaint.outer.safeParse(value).success ? null : complaint;
}

/** The complaint of a member of its own, if it has one. */
export function complaintIn(schema: object): Complaint | undefined {
  const complaint = complaints.get(schema);
  return complaint === undefined ? undefined : { code: complaint.code, expected: complaint.expected };
}

/** What a member must be, in words. */
export function expectedOf(schema: z.ZodType): string {
  return complaints.get(schema)?.expected ?? '';
}

/** A member's value when absent. */
export function initialOf(schema: z.ZodType): Json | undefined {
  return z.globalRegistry.get(schema)?.['default'] as Json | undefined;
}

/** Other names that a schema accepts, as a regular expression: notes of editors and compilers. */
export const alsoNamed = z.registry<{ readonly pattern: string }, z.core.$ZodType>();

/** Members that an editor need not suggest. */
export const unsuggested = z.registry<object, z.core.$ZodType>();

/** Names under which editors store notes. */
export const NOTES = '^(_|x-)|^comment$';

export type Shape = Readonly<Record<string, z.ZodType>>;

/** The names of a schema's members, in order. */
export function namesIn(schema: { readonly shape: Shape }): readonly string[] {
  return Object.keys(schema.shape);
}

/**
 * The members of an object by name, as somebody wrote it and with any values. Nothing is checked, so each reader of a member decides what
 * to do with a bad value.
 */
export type Written<S extends { readonly shape: Shape }> = { readonly [Name in keyof S['shape']]?: Json };

/** The members of a stored object that still fit their schemas. Earlier releases accepted some that do not. */
export function fitting(shape: Readonly<Record<string, z.ZodType>>, stored: Json | undefined): JsonObject {
  if (!isObject(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).filter(([name, value]) => Object.hasOwn(shape, name) && shape[name]?.safeParse(value).success === true),
  );
}
