import { type Refusal, refusal } from '../../kernel/errors.ts';
import { isNumber, isObject, type Json, type JsonObject, numbersEqual } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { FieldModel, SchemaModel } from '../model.ts';
import type { ReadDocument } from './read-document.ts';
import { isPathPart } from './schema.ts';
import { truncateText } from './truncate-text.ts';

/** Numbers that a ledger should follow, under names that it cannot: no path names them, or too long a one. */

/** Longest name of a member under `additionalProperties` with a ledger. Names in a schema have the same bound. */
const MAX_NAME = 64;
/** Longest path with a ledger. Every entry holds its path, and a thousand entries with longer ones would exceed an append. */
const MAX_PATH = 256;

/** Whether the ledger follows a member of this name that only `additionalProperties` describes. */
export function isFollowedName(prefix: string, name: string): boolean {
  return name.length <= MAX_NAME && prefix.length + name.length <= MAX_PATH && isPathPart(name);
}

/**
 * The refusal of a write that brings or changes a number which the ledger should follow and cannot: the sum of the ledger would not be what
 * is read. What was stored before this was refused may stay as it is, and may be taken away. `from` and `read`: before and after, as they
 * read.
 */
export function refuseUnfollowed(schema: SchemaModel, from: () => JsonObject | null, read: ReadDocument): Refusal | null {
  if (!schema.root?.opensLedger) return null;
  const fault = faultIn(schema.root, '', from() ?? NOTHING, read.asRead);
  return fault === null ? null : refusal('SCHEMA_VALIDATION_FAILED', fault);
}

/** The first such number in a stored document; `null`: there is none. */
export function unfollowedFault({ root }: SchemaModel, document: JsonObject): string | null {
  return root?.opensLedger ? faultIn(root, '', NOTHING, document) : null;
}

const NOTHING: JsonObject = {};

function faultIn(field: FieldModel, prefix: string, from: JsonObject, read: JsonObject): string | null {
  for (const name in read) {
    const [child, old, now] = [childOf(field, name), member(from, name), member(read, name)];
    if (child === null || now === old) continue;
    const fault = hasPath(field, prefix, name) ? faultBelow(child, `${prefix}${name}.`, old, now) : faultAt(child, prefix, name, old, now);
    if (fault !== null) return fault;
  }
  return null;
}

function faultBelow(field: FieldModel, prefix: string, from: Json | undefined, read: Json | undefined): string | null {
  return field.opensLedger && isObject(read) ? faultIn(field, prefix, membersOf(from), read) : null;
}

function faultAt(field: FieldModel, prefix: string, name: string, from: Json | undefined, read: Json | undefined): string | null {
  if (!bringsNumber(field, from, read)) return null;
  const where = prefix === '' ? '' : `${truncateText(prefix.slice(0, -1), MAX_NAME)}: `;
  const what = `the ledger cannot follow a number under the name ${JSON.stringify(truncateText(name, MAX_NAME))}`;
  return `${where}${what}; such a name has 1 to ${MAX_NAME} characters and no dot, and its path at most ${MAX_PATH}`;
}

function hasPath({ properties }: FieldModel, prefix: string, name: string): boolean {
  return properties?.has(name) ? isPathPart(name) : isFollowedName(prefix, name);
}

/** Whether a value brings or changes a number with a ledger, at any depth of objects. */
function bringsNumber(field: FieldModel, from: Json | undefined, read: Json | undefined): boolean {
  if (field.ledger && isNumber(read)) return !numbersEqual(read, isNumber(from) ? from : 0);
  if (!field.ledgerBelow || !isObject(read)) return false;
  const old = membersOf(from);
  return Object.keys(read).some((name) => {
    const child = childOf(field, name);
    return child !== null && bringsNumber(child, member(old, name), member(read, name));
  });
}

/** What describes a member that has a ledger, or one below it; `null`: nothing does. */
function childOf({ properties, additional }: FieldModel, name: string): FieldModel | null {
  const child = properties?.get(name) ?? additional;
  return typeof child === 'object' && (child.ledger || child.ledgerBelow) ? child : null;
}

function membersOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : NOTHING;
}
