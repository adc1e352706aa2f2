import { z } from 'zod';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';

/** Building blocks of event schemas. An event's schema is its published form: an auditor may check every event of a log against it. */

/**
 * Whose a text in an event is, for those who forget a person: it names a player; it is a person's own or tells of one; or neither. Every
 * text of every event says it, and so does every value of any form, which may hold texts.
 */
export type Privacy = 'player' | 'personal' | 'neither';

const textOf = (privacy: Privacy) => z.string().meta({ privacy });

/** A text that names a player, or holds a name. */
export const playerText = textOf('player');
export const personalText = textOf('personal');
/** A text of the game, of who runs it, or of the product. */
export const plainText = textOf('neither');

export const json: z.ZodType<Json, Json> = z.any().meta({ privacy: 'personal' satisfies Privacy });
export const object = z
  .custom<JsonObject>((value) => isObject(value as Json))
  .meta({ type: 'object', privacy: 'personal' satisfies Privacy });
export const plainObject = object.meta({ privacy: 'neither' satisfies Privacy });

/** Unix milliseconds. */
export const time = z.number();
export const count = z.int().min(0);
/** SHA-256 of something of the game, in hexadecimal. */
export const hash = plainText.regex(/^[0-9a-f]{64}$/);
/** SHA-256 of something that only a person has, in hexadecimal. */
export const personalHash = personalText.regex(/^[0-9a-f]{64}$/);

export function list<S extends z.ZodType>(schema: S) {
  return z.array(schema).readonly();
}

type Shape = Readonly<Record<string, z.ZodType>>;

/** An object with these members and no others. */
export function members<S extends Shape>(shape: S) {
  return z.strictObject(shape).readonly();
}

/** A member that may be missing, or undefined in memory. */
export function perhaps<S extends z.ZodType>(schema: S, description: string) {
  return schema.optional().meta({ description });
}

/** A member that may be missing. */
export function absent<S extends z.ZodType>(schema: S, description: string) {
  return z.exactOptional(schema).meta({ description });
}

/** One type of event, with the form of every version that a log may hold. The last one is written. */
export interface EventContract<S extends z.ZodType = z.ZodType> {
  readonly version: number;
  readonly data: S;
  /** Forms of earlier versions. */
  readonly earlier: Readonly<Record<number, z.ZodType>>;
  readonly description: string;
}

export function event<S extends z.ZodType>(description: string, data: S, earlier: readonly z.ZodType[] = []): EventContract<S> {
  return {
    version: earlier.length + 1,
    data,
    earlier: Object.fromEntries(earlier.map((schema, index) => [index + 1, schema])),
    description,
  };
}
