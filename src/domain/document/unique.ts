import { createHash } from 'node:crypto';
import { isNumber, type Json, type JsonObject, numberForm } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import type { SchemaModel, UniqueField } from '../definition/model.ts';
import type { UniqueChange } from '../events.ts';

/** What a document holds of a unique field (decision 29). */
export interface Held {
  readonly field: string;
  /** Names the value among all of its collection: the same for the same value. */
  readonly hash: string;
}

/** 132 bits: no two values of a collection share one. */
const HASH_LENGTH = 22;

/** What a document holds as it reads; nothing where it lacks the field, or has neither text nor number there. */
export function heldValues({ unique }: SchemaModel, read: JsonObject | null): readonly Held[] {
  if (read === null) return [];
  return unique.flatMap((field) => {
    const text = comparable(field, getPath(read, field.path));
    if (text === null) return [];
    const hash = createHash('sha256').update(`${field.path}\0${text}`).digest('base64url').slice(0, HASH_LENGTH);
    return [{ field: field.path, hash }];
  });
}

/** Texts compare after Unicode NFC, numbers by their decimal value; never one with the other. */
function comparable({ caseless }: UniqueField, value: Json | undefined): string | null {
  if (isNumber(value)) return `n${numberForm(value)}`;
  if (typeof value !== 'string') return null;
  const text = value.normalize('NFC');
  return `t${caseless ? withoutCase(text) : text}`;
}

/** Whom a value belongs to after an event of the document `key`, by its hash; `undefined`: as before. */
export function holderAfter(change: UniqueChange | undefined, key: string, hash: string): string | null | undefined {
  if (change?.taken.includes(hash)) return key;
  return change?.freed.includes(hash) ? null : undefined;
}

/** By way of the large letters, so that what they alone tell apart (`ß` and `SS`, `ς` and `σ`) is one, and first of the small ones, for `ẞ`. */
function withoutCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
