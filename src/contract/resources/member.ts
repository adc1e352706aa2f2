import { z } from 'zod';
import { ExactNumber, isObject, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';

/** What the resources are described with. A schema takes what an author should write; what it makes of it is the form that is meant. */

/** Any JSON value: a document, or a value in which texts are templates. */
export const json: z.ZodType<Json, Json> = z.any();

/** A text with something in it. */
export const text = z.string().regex(/\S/);

/** A text of any kind, such as one for people. */
export const anyText = z.string();

/** Tools write flags as texts, too. */
export const flag = z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean());

/** An exact number that no double holds counts as a number. */
export function numberThat<S extends z.ZodNumber>(schema: S) {
  return z.preprocess((value) => (value instanceof ExactNumber ? toDouble(value) : value), schema);
}

export const number = numberThat(z.number());

/** Any object, as it is. */
export const map = z.custom<JsonObject>((value) => isObject(value as Json)).meta({ type: 'object' });

export function whole(min: number, max: number) {
  return z.int().min(min).max(max);
}

/** One of these words, in any letter case. */
export function word<const W extends readonly [string, ...string[]]>(words: W) {
  return z.preprocess((value) => (typeof value === 'string' ? value.trim().toLowerCase() : value), z.enum(words));
}

/** A text that is a template, or a value of this kind. */
export function templateOr<S extends z.ZodType>(schema: S) {
  return z.union([schema, z.string().regex(/\{\{/)]);
}

/** What the validator says of a member that does not fit its schema: `'name' must be {expected}.` */
export interface Complaint {
  readonly code: string;
  readonly expected: string;
}

interface About extends Partial<Complaint> {
  /** What it is when it is left out. */
  readonly default?: Json;
  /** What the complaint is about, where the parts of the member are told of on their own. */
  readonly outer?: z.ZodType;
}

const complaints = new WeakMap<object, Complaint & { readonly outer: z.ZodType }>();

/** Any list, whatever is in it. */
export const list = z.array(json);

/** A member that may be left out. */
export function optional<S extends z.ZodType>(schema: S, description: string, about: About = {}): z.ZodOptional<S> {
  return described(schema.optional(), description, about);
}

/** A member without which nothing can be done. */
export function needed<S extends z.ZodType>(schema: S, description: string): S {
  return described(schema, description, {});
}

function described<S extends z.ZodType>(schema: S, description: string, { default: initial, code, expected, outer }: About): S {
  const made: S = schema.meta({ description, ...(initial === undefined ? {} : { default: initial }) });
  if (code !== undefined && expected !== undefined) complaints.set(made, { code, expected, outer: outer ?? made });
  return made;
}

/** What is said of this value of a member; `null`: nothing. A member that is not there, or null, is left out. */
export function complaintOf(schema: z.ZodType | undefined, value: Json | undefined): Complaint | null {
  const complaint = schema === undefined ? undefined : complaints.get(schema);
  if (complaint === undefined || value === undefined || value === null) return null;
  return complaint.outer.safeParse(value).success ? null : complaint;
}

/** What a member has to be, in words. */
export function expectedOf(schema: z.ZodType): string {
  return complaints.get(schema)?.expected ?? '';
}

/** What a member is when it is left out. */
export function initialOf(schema: z.ZodType): Json | undefined {
  return z.globalRegistry.get(schema)?.['default'] as Json | undefined;
}

/** Names of members that a schema takes beside its own, as a regular expression: notes of editors and compilers. */
export const alsoNamed = z.registry<{ readonly pattern: string }, z.core.$ZodType>();

/** Editors keep notes of their own under such names. */
export const NOTES = '^(_|x-)|^comment$';

export type Shape = Readonly<Record<string, z.ZodType>>;

/** The members that a schema knows, in its order. */
export function namesIn(schema: { readonly shape: Shape }): readonly string[] {
  return Object.keys(schema.shape);
}

/**
 * What somebody wrote where a schema is meant: its members by name, whatever they hold. Nothing is looked at: whoever takes a member says
 * what it makes of one that does not fit.
 */
export type Written<S extends { readonly shape: Shape }> = { readonly [Name in keyof S['shape']]?: Json };
