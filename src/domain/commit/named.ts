import { isDocumentEvent, keyOf } from '../document/evolve.ts';
import { playerOfKey } from '../document/key.ts';
import type { ProjectEvent } from '../events.ts';
import { isGuestEvent } from '../guest/evolve.ts';
import { isPageEvent } from '../page/page.ts';
import { isRecordListEvent } from '../record/evolve.ts';
import {
  AUTHORITY,
  changesAuthority,
  DEFINITIONS,
  definitionSubject,
  documentSubject,
  idSubject,
  PROMOTIONS,
  pageSubject,
  playerSubject,
  recordListSubject,
  type SubjectKey,
  sourceSubject,
} from '../subjects.ts';

/**
 * What the index of subjects holds of an event: the document, save records, page, definitions or project that it changes, and of
 * definitions each one; the players whom it names; the ids that somebody may hold of it, and the ticket for which it was. Rate windows,
 * claims and sweeps are left out, because nobody asks for their history, and so are the keys that commits were made with: one key may
 * stand in all of them. What names a commit is of one of its events: the player who caused it and the command id of the last, the request
 * id of the first.
 */
export function indexedSubjects(event: ProjectEvent): ReadonlySet<SubjectKey> {
  const subjects = new Set<SubjectKey>();
  const own = changedSubject(event);
  if (own !== null) subjects.add(own);
  for (const definition of definitionsIn(event)) subjects.add(definition);
  for (const player of playersIn(event)) subjects.add(playerSubject(player));
  for (const id of idsIn(event)) subjects.add(idSubject(id));
  const ticket = ticketIn(event);
  if (ticket !== undefined) subjects.add(idSubject(ticket));
  const { commandId, requestId, actor, left } = event.metadata;
  if (requestId !== undefined) subjects.add(idSubject(requestId));
  if (left !== undefined) return subjects;
  if (commandId !== '') subjects.add(idSubject(commandId));
  if (actor.player !== undefined) subjects.add(playerSubject(actor.player));
  return subjects;
}

function changedSubject(event: ProjectEvent): SubjectKey | null {
  if (isDocumentEvent(event)) return documentSubject(event.data.space, event.data.collection, keyOf(event));
  if (isRecordListEvent(event)) return recordListSubject(event.data.space, event.data.collection, event.data.player);
  if (isPageEvent(event)) return pageSubject(event.data.slug);
  if (event.type === 'source.stored' || event.type.startsWith('definitions.')) return DEFINITIONS;
  return changesAuthority(event.type) ? AUTHORITY : null;
}

/** The single definitions that an event changes, or whose text it stores. */
function definitionsIn(event: ProjectEvent): readonly SubjectKey[] {
  switch (event.type) {
    case 'source.stored':
      return [sourceSubject(event.data.hash)];
    case 'definitions.published':
    case 'definitions.rolledBack':
      return event.data.changes.map(({ kind, id }) => definitionSubject(kind, id));
    case 'definitions.promoted':
      return [PROMOTIONS, ...event.data.changes.map(({ kind, id }) => definitionSubject(kind, id))];
    default:
      return [];
  }
}

/** The players whom an event names, besides who caused it. */
export function playersIn(event: ProjectEvent): readonly string[] {
  // A record of a global collection is nobody's.
  if (event.type === 'record.appended') return [];
  if (isDocumentEvent(event)) return [playerOfKey(keyOf(event))];
  if (isRecordListEvent(event)) return [event.data.player];
  if (isGuestEvent(event))
    return 'account' in event.data && event.data.account ? [event.data.guest, event.data.account] : [event.data.guest];
  switch (event.type) {
    case 'session.created':
      return [event.data.player];
    case 'grant.served':
      return [playerOfKey(event.data.player)];
    case 'answer.kept':
      return event.data.caller === '' ? [] : [event.data.caller];
    case 'request.consumed':
      return event.data.identityType === 'platform' ? [event.data.identity] : [];
    default:
      return [];
  }
}

/** What an id may be that a commit names. */
export type IdKind = 'ticket' | 'event' | 'request' | 'session' | 'saveRecord' | 'record' | 'sealedRequest' | 'idempotencyKey' | 'grant';

/** As what an id stands in the events of a commit. */
export function idKindsIn(events: readonly ProjectEvent[], id: string): ReadonlySet<IdKind> {
  const kinds = new Set<IdKind>();
  for (const event of events) {
    if (event.metadata.commandId === id || event.metadata.requestId === id) kinds.add('request');
    if (ticketIn(event) === id) kinds.add('ticket');
    if (event.id === id) kinds.add('event');
    else if (idsIn(event).includes(id)) kinds.add(kindOfIds(event));
  }
  return kinds;
}

/** The ticket of the support desk for which somebody did it, as far as one was named. */
export function ticketIn({ data }: ProjectEvent): string | undefined {
  return 'ticket' in data ? data.ticket : undefined;
}

function kindOfIds({ type }: ProjectEvent): IdKind {
  if (type.startsWith('session.')) return 'session';
  if (type.startsWith('grant.')) return 'grant';
  if (type === 'record.appended') return 'record';
  if (type === 'request.consumed') return 'sealedRequest';
  return type === 'answer.kept' ? 'idempotencyKey' : 'saveRecord';
}

function idsIn(event: ProjectEvent): readonly string[] {
  switch (event.type) {
    // Their ids are those that ledgers and flags name.
    case 'ledger.posted':
    case 'write.flagged':
      return [event.id];
    case 'record.appended':
    case 'record.created':
    case 'record.renamed':
    case 'record.deleted':
      return [event.data.recordId];
    case 'session.created':
      return [event.data.sessionId];
    case 'session.refreshed':
      return [event.data.sessionId, event.data.family];
    case 'session.revoked':
      return [...new Set([event.data.family, ...event.data.sessionIds])];
    case 'request.consumed':
      return [event.data.requestId];
    case 'grant.begun':
    case 'grant.moved':
      return [event.data.grant];
    case 'answer.kept':
      return [event.data.key];
    default:
      return [];
  }
}
