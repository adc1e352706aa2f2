import { Buffer } from 'node:buffer';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject, type PrintedObject, printObject } from '../../kernel/json.ts';
import type { DomainEvent, Fork, Operation, Space } from '../events.ts';
import { applyRules, type Flag, type LimitResult } from '../limit/apply.ts';
import type { CollectionModel, RuleModel } from '../model.ts';
import type { DocumentState, WindowState } from '../states.ts';
import { refuseTakenKey } from './address.ts';
import { checkChange, checkDocument } from './check.ts';
import { DocumentDraft } from './document-draft.ts';
import { MAX_ENTRIES, tooManyEntries } from './ledger.ts';
import { updateLedger } from './ledger-update.ts';
import { NO_MOVES } from './moves.ts';
import { type AppliedOperations, applyOperations, OperationError, parseOperations } from './operations.ts';
import { isThere } from './packed.ts';
import { needsWhole, partsAfter } from './parts.ts';
import { reachedBy } from './reached.ts';
import { ReadDocument } from './read-document.ts';
import { WITHOUT_DEFAULTS } from './schema.ts';
import { operate, SAVE_VERSION, withoutSaveVersion } from './store.ts';
import { refuseUnfollowed } from './unfollowed.ts';

/** What the body of a write asks for. */
export type WriteBody =
  | { readonly kind: 'replace'; readonly document: JsonObject }
  | { readonly kind: 'operations'; readonly ops: readonly Operation[]; readonly applied?: AppliedOperations | null };

/** Where a document is, its state, and the time of the decision. */
export interface DocumentCommand {
  readonly collection: CollectionModel;
  readonly space: Space;
  readonly key: string;
  /** `null`: never written. In a `next` space without a document of its own: the live state. */
  readonly current: DocumentState | null;
  /** Set for the first write of a subject in a `next` space. */
  readonly fork?: Fork | undefined;
  /** Unix ms. */
  readonly now: number;
  /** Source of ledger entries for which no operation names one: an endpoint's slug, or `direct`. */
  readonly source: string;
  /** Why, for entries for which no operation says it. */
  readonly reason?: string | undefined;
  /** Whether readers see the defaults of what a document lacks. If so, operations, limits and the ledger start from them too. */
  readonly fillDefaults: boolean;
  /** `current` as it reads, if that is known already. */
  readonly read?: ReadDocument | undefined;
}

export interface WriteCommand extends DocumentCommand {
  readonly body: WriteBody;
  /** The caller, who counts in global collections. */
  readonly player: string;
  /** Version that the writer has seen; 0: no document may exist; `null`: not named. */
  readonly saveVersion: number | null;
  /** Whether a collection with `requireSaveVersion` refuses writers that name no version. */
  readonly strictSaveVersion: boolean;
  readonly rules: readonly RuleModel[];
  /** Whether it meets no rate-limit rule and counts in no window. */
  readonly isCorrection: boolean;
  windowOf(counter: string): WindowState | null;
  /** Most UTF-8 bytes of the stored document's JSON. */
  readonly maxBytes: number;
  readonly checkSchema: boolean;
  /** Paths of the numbers that queries sort this collection by. */
  readonly sortedFields: readonly string[];
}

export interface Decided {
  readonly events: readonly DomainEvent[];
  /** The document after the write: exactly what folding `events` gives. */
  readonly state: DocumentState;
  /** JSON text of the stored document. */
  readonly text: string;
  /** What was written: the draft after the limits. */
  readonly draft: DocumentDraft;
}

const NO_INCREASES: ReadonlyMap<string, number> = new Map();

/** Reads a parsed body: operations if `ops` is a list, else a plain document. 400 `INVALID_BODY` or `INVALID_OPERATION`. */
export function readWriteBody(body: Json): { readonly body: WriteBody; readonly saveVersion: number | null } | Refusal {
  if (!isObject(body)) return refusal('INVALID_BODY');
  const saveVersion = readSaveVersion(body[SAVE_VERSION]);
  if (saveVersion === undefined) return refusal('INVALID_BODY', `${SAVE_VERSION} must be a whole number`);
  const ops = body['ops'];
  if (!isArray(ops)) return { body: { kind: 'replace', document: withoutSaveVersion(body) }, saveVersion };
  return refusingOperations(() => ({ body: { kind: 'operations', ops: parseOperations(ops) }, saveVersion }));
}

/** Operations that fit any document, as far as that can be said without one. 400 `INVALID_OPERATION`. */
export function readOperations(ops: Json): readonly Operation[] | Refusal {
  return refusingOperations(() => {
    const parsed = parseOperations(ops);
    applyOperations(null, parsed);
    return parsed;
  });
}

/** `undefined`: named, but not a valid version. Ignoring it would drop a check that the writer relies on. */
function readSaveVersion(value: Json | undefined): number | null | undefined {
  if (value === undefined || value === null) return null;
  const version = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof version === 'number' && Number.isSafeInteger(version) && version >= 0 ? version : undefined;
}

/**
 * Decides one write. Refusals, in order: address of a new document 400 `ADDRESS_TAKEN`, operations 400 `INVALID_OPERATION`, schema 400
 * `SCHEMA_VALIDATION_FAILED`, size 413 `PAYLOAD_TOO_LARGE` (before the schema if the body is the document), save version 409 `STALE_SAVE`
 * or `SAVE_VERSION_REQUIRED`, limits 429 `RATE_LIMIT` or `RATE_LIMIT_DAILY`, ledger 413 `APPEND_TOO_LARGE`.
 */
export function decideWrite(command: WriteCommand): Decided | Refusal {
  const taken = isThere(command.current) ? null : refuseTakenKey(command.collection, command.key);
  if (taken !== null) return taken;
  const draft = refusingOperations(() => draftOf(command));
  if (draft instanceof Refusal) return draft;
  const printed = printObject(draft.stored);
  const refused = checkForm(command, draft, printed) ?? checkVersion(command);
  if (refused !== null) return refused;
  const limited = limitedBy(command, draft);
  if (limited instanceof Refusal) return limited;
  return decided(command, limited, limited.draft.stored === draft.stored ? printed : printObject(limited.draft.stored));
}

function limitedBy(command: WriteCommand, draft: DocumentDraft): LimitResult | Refusal {
  if (command.isCorrection) return { draft, clamps: [], windows: [], flags: [] };
  const { rules, collection, key, player, now, current } = command;
  const windowOf = (counter: string) => command.windowOf(counter);
  const isRecreated = current !== null && !isThere(current);
  return applyRules({ rules, collection, key, player, now, windowOf, isRecreated, draft });
}

/** The result of a delete. */
export interface Deleted {
  readonly events: readonly DomainEvent[];
  readonly state: DocumentState | null;
  /** The document before; `null`: there was none. It is read when asked for. */
  before(): ReadDocument | null;
}

/**
 * Decides a delete. Deleting a missing document succeeds without events. The version stays, because it counts writes. `saveVersion` is the
 * one that the caller has seen: 409 `STALE_SAVE` if it is not the present one.
 */
export function decideDelete(command: DocumentCommand, saveVersion: number | null = null): Deleted | Refusal {
  const { collection, space, key, current, fork, now } = command;
  const stale = saveVersion === null ? null : checkExpectedVersion(current, saveVersion);
  if (stale !== null) return stale;
  if (!isThere(current)) return { events: [], state: current, before: () => null };
  const { version, createdAt } = current;
  const begin = present(command);
  // A delete must always be possible. If the document has more ledger fields than one write may change, the delete reverses the first ones,
  // and the next write of the document reverses the rest.
  const from = () => begin()?.asRead ?? null;
  const ledger = updateLedger(command, from, null);
  const event: DomainEvent = {
    type: 'document.deleted',
    data: {
      space,
      collection: collection.id,
      key,
      version,
      definition: collection.hash,
      ...(fork === undefined ? {} : { fork }),
    },
    ledger,
  };
  const state = { document: null, version, createdAt: fork === undefined ? createdAt : now, updatedAt: now, balances: ledger.balances };
  return { events: [event], state, before: begin };
}

/** A document as readers of this project see it. */
function readBy({ fillDefaults: fills, collection }: DocumentCommand, stored: JsonObject): ReadDocument {
  return new ReadDocument(fills ? collection.schema : WITHOUT_DEFAULTS, stored);
}

/** The document before; `null`: there was none. It is read when asked for, and only once. */
function present(command: DocumentCommand): () => ReadDocument | null {
  let known = command.read ?? null;
  return () => {
    const stored = known === null ? (command.current?.document ?? null) : null;
    if (stored !== null) known = readBy(command, stored);
    return known;
  };
}

const NOTHING: JsonObject = {};

function draftOf(command: WriteCommand): DocumentDraft {
  const { body, current } = command;
  const isNew = !isThere(current);
  const before = present(command);
  if (body.kind === 'replace') {
    const after = readBy(command, withoutSaveVersion(body.document));
    return new DocumentDraft({ after, changes: null, increases: NO_INCREASES, moves: NO_MOVES }, isNew, before);
  }
  const from = before() ?? readBy(command, NOTHING);
  const operated = operate(from, body.ops, body.applied ?? null);
  return new DocumentDraft(isNew ? { ...operated, changes: null } : operated, isNew, () => from);
}

function refusingOperations<Result>(run: () => Result): Result | Refusal {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return refusal('INVALID_OPERATION', error.index < 0 ? error.message : `ops[${error.index}]: ${error.message}`);
  }
}

/** Operations on a document that is there are judged by what they change; a whole document, and a new one, as a whole. */
function checkForm(
  { body, checkSchema, collection, maxBytes }: WriteCommand,
  draft: DocumentDraft,
  printed: PrintedObject,
): Refusal | null {
  const { value: document, text } = printed;
  const tooLarge = text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
  const large = tooLarge ? refusal('PAYLOAD_TOO_LARGE', `A document may have at most ${maxBytes} bytes`) : null;
  // A plain document is the body itself, so its size is checked before its form.
  if (large !== null && body.kind === 'replace') return large;
  const { schema } = collection;
  const before = checkSchema && body.kind === 'operations' ? draft.before : null;
  const fault = !checkSchema ? null : before === null ? checkDocument(schema, document) : checkChange(schema, before.stored, document);
  return fault === null ? large : refusal('SCHEMA_VALIDATION_FAILED', fault);
}

function checkVersion({ collection, current, saveVersion, strictSaveVersion }: WriteCommand): Refusal | null {
  if (saveVersion === null) return strictSaveVersion && collection.requireSaveVersion ? refusal('SAVE_VERSION_REQUIRED') : null;
  return checkExpectedVersion(current, saveVersion);
}

function checkExpectedVersion(current: DocumentState | null, saveVersion: number): Refusal | null {
  const actual = isThere(current) ? current.version : 0;
  return saveVersion === actual ? null : refusal('STALE_SAVE', undefined, { error: { expected: saveVersion, actual } });
}

function decided(command: WriteCommand, limited: LimitResult, after: PrintedObject): Decided | Refusal {
  const { space, collection, key, current, fork, now, body, sortedFields } = command;
  const { draft, windows, clamps, flags } = limited;
  const unfollowed = refuseUnfollowed(collection.schema, () => draft.from, draft.after);
  if (unfollowed !== null) return unfollowed;
  const version = (current?.version ?? 0) + 1;
  const ledger = updateLedger(command, () => draft.from, draft.after, draft.moves);
  if (ledger.required > MAX_ENTRIES) return tooManyEntries(ledger.required);
  const { stored: document } = draft;
  const parts = draft.changes === null ? undefined : partsAfter(fork === undefined ? current?.parts : undefined, draft.changes);
  const changes = parts === undefined || needsWhole(parts, after.text.length) ? null : draft.changes;
  // Every event has every member, `undefined` where it has no value. All writes pass here, and objects of one shape are faster.
  const written: DomainEvent = {
    type: 'document.written',
    data: {
      space,
      collection: collection.id,
      key,
      version,
      changes: changes ?? undefined,
      ops: body.kind === 'operations' ? body.ops : undefined,
      windows: windows.length === 0 ? undefined : windows,
      clamps: clamps.length === 0 ? undefined : clamps,
      definition: collection.hash,
      fork,
      document: changes === null ? document : undefined,
      reached: sortedFields.length === 0 ? undefined : reachedBy(sortedFields, draft.before, draft.after),
    },
    after,
    parts: changes === null ? undefined : parts,
    ledger,
  };
  const createdAt = isThere(current) && fork === undefined ? current.createdAt : now;
  const { text } = after;
  const state = { document, version, createdAt, updatedAt: now, text, balances: ledger.balances, parts: written.parts };
  return { events: [written, ...flags.map((flag) => flagged(command, flag))], state, text, draft };
}

function flagged({ space, collection, key }: WriteCommand, flag: Flag): DomainEvent {
  return { type: 'write.flagged', data: { space, collection: collection.id, key, ...flag } };
}
