import { type Refusal, refusal } from '../../kernel/errors.ts';
import {
  doubleDifference,
  type ExactNumber,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  NumberTooLong,
  numbersEqual,
  subtractNumbers,
} from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { LedgerEntry } from '../events.ts';
import type { FieldModel, SchemaModel } from '../model.ts';
import { balanceAt, balancesIn, type LedgerBalances, NO_BALANCES, withEntries } from './balances.ts';
import { OWN_MEMBERS } from './evolve.ts';
import { type Move, movesFinder, NO_MOVES, type NumberMove, numberMoves } from './moves.ts';
import type { ReadDocument } from './read-document.ts';
import { UNASKED_SOURCE } from './sources.ts';
import { isFollowedName } from './unfollowed.ts';

type NumberValue = number | ExactNumber;

/**
 * Most entries of one write. This many fit into a commit, however long their paths are; a document with undeclared members could have nine
 * times as many.
 */
export const MAX_ENTRIES = 1000;

/** What one write did to a document, and the balances before it. */
export interface LedgerWrite {
  /** The schema with the ledger fields. */
  readonly schema: SchemaModel;
  readonly balances: LedgerBalances;
  /** The document before the write as it read, with defaults; for operations on a missing document, the defaults alone. `null`: nothing. */
  readonly from: JsonObject | null;
  /** Whether there was no document before. */
  readonly isNew: boolean;
  /** The document after the write; `null`: deleted. */
  readonly after: ReadDocument | null;
  /** What the operations of the write changed; left out for a write of a whole document. */
  readonly moves?: readonly Move[];
  /** Source of changes for which no operation names one. */
  readonly source: string;
  /** Why they are made; left out: nobody says. */
  readonly reason?: string | undefined;
}

export interface Entries {
  /** At most {@link MAX_ENTRIES}; the next write records the rest. */
  readonly entries: readonly LedgerEntry[];
  /** Entries that the writer's own changes need. A write that needs more than {@link MAX_ENTRIES} is refused. */
  readonly required: number;
}

/** An entry, and the place of its operation in the write; -1 for one that no writer asked for. */
interface PlacedEntry {
  readonly at: number;
  readonly entry: LedgerEntry;
}

/** The entries of one field. */
interface FieldEntries {
  readonly entries: readonly PlacedEntry[];
  /** Whether the writer changed the field. If not, a definition changed it, or a default took effect. */
  readonly required: boolean;
}

/** Sources of entries that no writer asked for. */
const DEFAULT = { source: UNASKED_SOURCE.default };
const DEFINITION = { source: UNASKED_SOURCE.definition };

/**
 * The entries of one write, in the order of its operations, and else of the schema. Every ledger field that now reads as another number,
 * defaults included, has one; of operations each that moved it has one, in their order, also if they cancel out. A missing document, member
 * or number counts as 0. A default that takes effect has an entry of its own, and so has a change that a definition made since the last
 * write; both come before the writer's entry. `before` is always the `after` of the field's last entry, so the sum of all deltas is the
 * value as it reads. Only fields in objects have entries, whether named or described by `additionalProperties`: a list's item has no path
 * that stays the same from write to write.
 */
export function ledgerEntries(write: LedgerWrite): Entries {
  const { schema, balances } = write;
  return schema.hasLedger || balances !== NO_BALANCES ? bounded(fieldsOf(write)) : NO_ENTRIES;
}

const NO_ENTRIES: Entries = { entries: [], required: 0 };

function fieldsOf(write: LedgerWrite): readonly FieldEntries[] {
  const { schema, balances, from, isNew, after, moves = NO_MOVES, source, reason } = write;
  const own = reason === undefined ? { source } : { source, reason };
  const fields: FieldEntries[] = [];
  const movesOf = movesFinder(moves);
  const [read, stored] = after === null ? [NOTHING, NOTHING] : [after.asRead, after.stored];

  const visit = (
    field: FieldModel,
    path: string,
    balances: Json | undefined,
    from: Json | undefined,
    read: Json | undefined,
    stored: Json | undefined,
  ) => {
    if (field.ledger && !OWN_MEMBERS.has(path)) compare({ field: path, currency: field.currency }, balanceAt(balances), from, read, stored);
    if (field.ledgerBelow) visitMembers(field, `${path}.`, membersOf(balances), membersOf(from), membersOf(read), membersOf(stored));
  };
  const visitMembers = (
    field: FieldModel,
    prefix: string,
    balances: JsonObject,
    from: JsonObject,
    read: JsonObject,
    stored: JsonObject,
  ) => {
    const { tracked, properties, additional } = field;
    for (const [name, child] of tracked) {
      visit(child, prefix + name, member(balances, name), member(from, name), member(read, name), member(stored, name));
    }
    if (typeof additional !== 'object' || !(additional.ledger || additional.ledgerBelow)) return;
    for (const name of namesIn(from, read, balances)) {
      if (properties?.has(name) || !isFollowedName(prefix, name)) continue;
      visit(additional, prefix + name, member(balances, name), member(from, name), member(read, name), member(stored, name));
    }
  };
  const compare = (place: LedgerField, balances: NumberValue, from: Json | undefined, read: Json | undefined, stored: Json | undefined) => {
    const [old, now] = [numberOf(from), numberOf(read)];
    const isDefault = from === undefined && stored === undefined;
    const end = isDefault ? old : now;
    const entries: PlacedEntry[] = [];
    if (!numbersEqual(balances, old))
      entries.push(unasked(place, balances, old, isNew && numbersEqual(balances, 0) ? DEFAULT : DEFINITION));
    const moved = moves.length < 2 && numbersEqual(old, end) ? NOT_MOVED : numberMoves(place.field, old, end, movesOf(place.field));
    for (const { at, before, after, origin } of moved) entries.push({ at, entry: entry(place, before, after, { ...own, ...origin }) });
    if (!numbersEqual(end, now)) entries.push({ ...unasked(place, end, now, DEFAULT), at: moved.at(-1)?.at ?? UNASKED });
    if (entries.length > 0) fields.push({ entries, required: moved.length > 0 });
  };

  if (schema.root !== null) visitMembers(schema.root, '', balances, from ?? NOTHING, read, stored);
  if (after === null) fields.push(...reversals(balances, fields, own));
  return fields;
}

const NOTHING: JsonObject = {};
const NOT_MOVED: readonly NumberMove[] = [];
const UNASKED = -1;

/** An entry that no writer asked for. Such entries stand before those of operations. */
function unasked(field: LedgerField, before: NumberValue, after: NumberValue, origin: LedgerOrigin): PlacedEntry {
  return { at: UNASKED, entry: entry(field, before, after, origin) };
}

/** Entries for fields that no longer have a ledger, when their document is deleted. */
function reversals(balances: LedgerBalances, fields: readonly FieldEntries[], origin: LedgerOrigin): FieldEntries[] {
  const left = withEntries(balances, entriesOf(fields));
  return [...balancesIn(left)].map(([path, value]) => ({
    entries: [unasked({ field: path, currency: null }, value, 0, origin)],
    required: true,
  }));
}

function entriesOf(fields: readonly FieldEntries[]): LedgerEntry[] {
  return fields.flatMap(({ entries }) => entries.map((placed) => placed.entry));
}

/** Keeps all of the writer's entries, and the others as far as there is room. */
function bounded(fields: readonly FieldEntries[]): Entries {
  const count = (required: boolean) => fields.reduce((sum, field) => sum + (field.required === required ? field.entries.length : 0), 0);
  const required = count(true);
  let room = Math.max(MAX_ENTRIES - required, 0);
  const entries = fields.flatMap((field) => {
    if (field.required) return field.entries;
    room -= field.entries.length;
    return room < 0 ? [] : field.entries;
  });
  const kept = entries.slice(0, MAX_ENTRIES).sort((a, b) => a.at - b.at);
  return { entries: kept.map((placed) => placed.entry), required };
}

function* namesIn(...objects: readonly JsonObject[]): Generator<string> {
  for (const [at, object] of objects.entries()) {
    for (const name in object) if (!objects.slice(0, at).some((earlier) => Object.hasOwn(earlier, name))) yield name;
  }
}

function entry({ field, currency }: LedgerField, before: NumberValue, after: NumberValue, { source, reason }: LedgerOrigin): LedgerEntry {
  const delta = difference(before, after);
  return { field, before, after, delta, source, ...(reason === undefined ? {} : { reason }), ...(currency === null ? {} : { currency }) };
}

interface LedgerField {
  readonly field: string;
  readonly currency: string | null;
}

interface LedgerOrigin {
  readonly source: string;
  readonly reason?: string;
}

function membersOf(value: Json | undefined): JsonObject {
  return isObject(value ?? null) ? (value as JsonObject) : NOTHING;
}

/** The refusal of a write that would make more than {@link MAX_ENTRIES}. */
export function tooManyEntries(count: number): Refusal {
  const message = `This write makes ${count} entries in the ledger, one for each number and operation; a write may make ${MAX_ENTRIES}`;
  return refusal('APPEND_TOO_LARGE', message);
}

function numberOf(value: Json | undefined): NumberValue {
  return isNumber(value) ? value : 0;
}

/** The difference of two numbers; the nearest double if it is too long to write out. */
function difference(old: NumberValue, now: NumberValue): NumberValue {
  try {
    return subtractNumbers(now, old);
  } catch (error) {
    if (error instanceof NumberTooLong) return doubleDifference(now, old);
    throw error;
  }
}
