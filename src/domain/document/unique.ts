import { createHash } from 'node:crypto';
import { isNumber, type Json, type JsonObject, numberForm } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import type { UniqueChange } from '../events.ts';
import type { SchemaModel, UniqueField } from '../model.ts';

/** A document's value in a unique field. */
export interface UniqueValue {
  readonly field: string;
  /** Names the value within its collection: equal values have equal hashes. */
  readonly hash: string;
}

/** 132 bits, so no two values of a collection share a hash. */
const HASH_LENGTH = 22;

/** Unique values of a document as it reads. A field that is missing, or is neither text nor number, has none. */
export function uniqueValues({ unique }: SchemaModel, read: JsonObject | null): readonly UniqueValue[] {
  if (read === null) return [];
  return unique.flatMap((field) => {
    const text = comparable(field, getPath(read, field.path));
    if (text === null) return [];
    const hash = createHash('sha256').update(`${field.path}\0${text}`).digest('base64url').slice(0, HASH_LENGTH);
    return [{ field: field.path, hash }];
  });
}

/** Texts compare after Unicode NFC, numbers by decimal value. A text never equals a number. */
function comparable({ caseless }: UniqueField, value: Json | undefined): string | null {
  if (isNumber(value)) return `n${numberForm(value)}`;
  if (typeof value !== 'string') return null;
  const text = value.normalize('NFC');
  return `t${caseless ? withoutCase(text) : text}`;
}

/** Holder of a value, by its hash, after an event of the document `key`; `undefined`: unchanged. */
export function holderAfter(change: UniqueChange | undefined, key: string, hash: string): string | null | undefined {
  if (change?.taken.includes(hash)) return key;
  return change?.freed.includes(hash) ? null : undefined;
}

/**
 * Folds case through capital letters, so that `ß` equals `SS`, and `ς` equals `σ`. It lowers first because `ẞ` is a capital letter itself,
 * and would stay as it is.
 */
function withoutCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
