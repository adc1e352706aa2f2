import type { Ledger } from '../../contract/answers.ts';
import { asTextOf, type TextOf } from '../../contract/values.ts';
import type { SharedAccess } from '../../domain/access/context.ts';
import { hiddenActors } from '../../domain/access/data.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { collectionSubject, documentSubject } from '../../domain/subjects.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { notFound, refusal } from '../../kernel/errors.ts';
import { queryTimeOf } from '../../kernel/instant.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { invalidCursor } from '../../kernel/page-cursor.ts';
import { pageLimit } from '../../kernel/page-limit.ts';
import type { Address, ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, viewsReached } from '../context.ts';
import type { LedgerFilter, LedgerOrder, LedgerPage, LedgerRow } from '../ports/ledger.ts';
import type { Project } from '../project/project.ts';
import { type Admitted, admitRead } from './admission.ts';

export interface LedgerQuery {
  readonly field: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly limit: string | null;
  readonly cursor: string | null;
  readonly order: string | null;
  /** Whether each entry says who changed it. `null`: no. */
  readonly who: string | null;
}

const PAGE_WITHOUT_LIMIT = 1000;
const MAX_PAGE = 500;
/** The form of the cursors that ledgers answer: revision and ordinal of an entry. */
const CURSOR = /^\d{1,15}\.\d{1,9}$/;
/** The name for all fields. Answers use it, so requests may too. */
const ALL_FIELDS = 'all';
/** How long a ledger waits for a lagging view before it may say that a player is unknown, ms. */
const UNKNOWN_WAIT_MS = 5_000;

/** What a ledger is read with, whoever may read it. */
export interface SharedLedger {
  readonly project: Project;
  readonly access: SharedAccess;
  readonly collection: CollectionModel;
}

/** `revision`: what it shows exactly. Where nothing has changed the ledger between the view and the head, that is the head's. */
export interface LedgerAnswer extends ReadAnswer<Ledger> {
  readonly revision: number;
}

export async function readLedger(context: AppContext, caller: Caller, at: Address, query: LedgerQuery): Promise<ReadAnswer<Ledger>> {
  const ledger = await readableLedger(context, caller, at);
  refuseWho(query, caller);
  return ledgerAnswer(context, ledger, ledger.caller, at, query);
}

/** Throws 403 if the query asks who made the entries, and the caller may not know. */
export function refuseWho({ who }: LedgerQuery, caller: Pick<Caller, 'isSecret'>): void {
  const refused = isAsked(who) ? hiddenActors(caller) : null;
  if (refused !== null) throw refused;
}

/** The ledger, if the caller may read it; proves the player if that is needed. */
export function readableLedger(context: AppContext, caller: Caller, at: Address): Awaitable<Admitted<Address>> {
  return admitRead(context, caller, 'ledger.read', at);
}

/**
 * The ledger. 404 only for a player who is unknown to collection and telemetry. Only a view that shows everything can tell that: otherwise
 * 503 `BEHIND`, after {@link UNKNOWN_WAIT_MS}.
 */
export async function ledgerAnswer(
  context: AppContext,
  { project, access, collection }: SharedLedger,
  caller: Pick<Caller, 'position'>,
  at: Address,
  query: LedgerQuery,
): Promise<LedgerAnswer> {
  const { head } = project.set;
  const selection = filterAndPageOf(access, collection, at, query);
  const lastChange = () =>
    Math.max(
      project.set.collectionChangedAt(collectionSubject('live', collection.id)),
      project.set.collectionChangedAt(collectionSubject(access.space, collection.id)),
    );
  const changedAt = lastChange();
  const reach = (timeoutMs?: number) => viewsReached(context, project, 'ledger', changedAt, timeoutMs);
  let reached = await reach();
  const read = () => context.views.ledger(project.id, selection.filter, selection.page);
  let page = await read();
  let isAhead = false;
  if (!isKnown(page)) {
    const hasDocument = (await project.read(documentSubject(access.space, collection.id, at.key))).state !== null;
    // The document makes the player known, but the page has no entries yet. If it was written while the page was read, the page's revision
    // is unknown.
    isAhead = hasDocument && lastChange() > changedAt;
    if (!hasDocument && !(await isPlaying(context, project, at.key))) {
      if (!reached) {
        reached = await reach(UNKNOWN_WAIT_MS);
        page = await read();
      }
      if (!isKnown(page)) throw reached ? notFound('player', 'Nothing is known of this player here') : refusal('BEHIND');
    }
  }
  // Printing a page of many entries takes a while.
  const result = await context.roundRobin.run(project.id, () =>
    printedLedger({ ...query, field: selection.field }, page, collection.id, at.key),
  );
  return {
    ...positioned(context, project, caller, reached && !isAhead),
    result,
    revision: reached ? Math.max(page.revision, head) : page.revision,
  };
}

interface FilterAndPage {
  readonly field: string;
  readonly filter: LedgerFilter;
  readonly page: { readonly limit: number; readonly after: string | null; readonly order: LedgerOrder };
}

/** What the texts of the URL ask for. Throws 400 for one that cannot be read. */
export function filterAndPageOf({ space }: SharedAccess, collection: CollectionModel, { key }: Address, query: LedgerQuery): FilterAndPage {
  const field = query.field ?? ALL_FIELDS;
  if (field.includes('\0')) throw refusal('INVALID_BODY', 'field must be a path without U+0000');
  const from = timeOf(query.from, 'from');
  const to = timeOf(query.to, 'to');
  const order = orderOf(query.order);
  if (query.cursor !== null && !CURSOR.test(query.cursor)) throw invalidCursor('cursor');
  const filter = {
    space,
    collection: collection.id,
    ...selectionOf(collection, key),
    ...(field === ALL_FIELDS ? {} : { field }),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
  };
  return { field, filter, page: { limit: pageLimit(query.limit, PAGE_WITHOUT_LIMIT, MAX_PAGE), after: query.cursor, order } };
}

/** The text of an answer. */
export function printedLedger(
  { field, from, to, at, who }: Pick<Ledger, 'field' | 'from' | 'to' | 'at'> & Pick<LedgerQuery, 'who'>,
  { entries, summary, cursor }: LedgerPage,
  collectionId: string,
  platformId: string,
): TextOf<Ledger> {
  const isWho = isAsked(who);
  const body: Ledger = {
    ok: true,
    platformId,
    field,
    from,
    to,
    entries: entries.map((entry) => ({ ...entryOf(entry, collectionId, platformId), ...(isWho ? { actor: actorOf(entry) } : {}) })),
    summary: {
      totalIncrease: summary.totalIncrease,
      totalDecrease: summary.totalDecrease,
      netChange: summary.netChange,
      entryCount: summary.entryCount,
      ...(summary.truncated ? { truncated: true as const } : {}),
      sources: Object.fromEntries(summary.sources.map(({ source, count, total }) => [source, { count, total }])),
    },
    cursor,
    ...(at === undefined ? {} : { at }),
  };
  return asTextOf(stringifyJson(body));
}

/**
 * Which entries to read: all documents of a player. The key selects one document if it is a record of a global collection, which belongs to
 * nobody, or one of a player's slots.
 */
function selectionOf({ type }: CollectionModel, key: string): Pick<LedgerFilter, 'platformId' | 'key'> {
  const platformId = playerOfKey(key);
  return type === 'global' || platformId !== key ? { platformId, key } : { platformId };
}

function isKnown({ known, entries }: LedgerPage): boolean {
  return known || entries.length > 0;
}

/** Whether the player is known by telemetry. */
async function isPlaying(context: AppContext, project: Project, platformId: string): Promise<boolean> {
  return (await context.telemetry.reader.player(project.id, platformId)).profile !== null;
}

/** An entry. Its ids have both spellings, because clients read either one. */
function entryOf(row: LedgerRow, collectionId: string, platformId: string): Ledger['entries'][number] {
  return {
    field: row.field,
    collectionId,
    collection_id: collectionId,
    before: row.before,
    after: row.after,
    delta: row.delta,
    source: row.source,
    ...(row.reason === null ? {} : { reason: row.reason }),
    platformId,
    platform_id: platformId,
    ts: new Date(row.at).toISOString(),
    eventId: row.eventId,
    event_id: row.eventId,
  };
}

function actorOf({ actor, label }: LedgerRow): NonNullable<Ledger['entries'][number]['actor']> {
  return { ...actor, ...(label === null ? {} : { label }) };
}

function isAsked(text: string | null): boolean {
  if (text === null || text === 'true' || text === 'false') return text === 'true';
  throw refusal('INVALID_BODY', 'who must be true or false');
}

function orderOf(text: string | null): LedgerOrder {
  if (text === null) return 'asc';
  if (text === 'asc' || text === 'desc') return text;
  throw refusal('INVALID_BODY', 'order must be asc (oldest first) or desc (newest first)');
}

/** Unix ms of an ISO time with a zone, of a date, which begins in UTC, or of milliseconds as text. */
function timeOf(text: string | null, name: string): number | null {
  if (text === null) return null;
  const time = queryTimeOf(text);
  if (time === null)
    throw refusal('INVALID_BODY', `${name} must be an ISO time with a zone, such as 2026-03-29T10:00:00Z, a date, or unix milliseconds`);
  return time;
}
