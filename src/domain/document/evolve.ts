import type { JsonObject } from '../../kernel/json.ts';
import type { DocumentDeleted, DocumentWritten, DomainEvent, Posting, RecordAppended } from '../events.ts';
import type { DocumentState } from '../states.ts';
import { balancesOf, balancesText, withEntries } from './balances.ts';
import { applyChanges } from './draft.ts';
import { isThere, withBalances } from './packed.ts';
import { partsAfter } from './parts.ts';

export type DocumentEvent = Extract<DomainEvent, { readonly type: 'document.written' | 'document.deleted' | 'record.appended' }>;

export function isDocumentEvent<E extends DomainEvent>(event: E): event is E & DocumentEvent {
  return event.type === 'document.written' || event.type === 'document.deleted' || event.type === 'record.appended';
}

/** The key of the event's document. */
export function keyOf({ data }: DocumentEvent): string {
  return 'recordId' in data ? data.recordId : data.key;
}

type Written = Extract<DocumentEvent, { readonly type: 'document.written' }>;

/**
 * A document after one of its events. `recordedAt`: the event's time in unix ms. The first event of a subject in a `next` space carries the
 * live state that it started from, which then replaces `state`.
 */
export function evolveDocument(state: DocumentState | null, event: DocumentEvent, recordedAt: number): DocumentState {
  switch (event.type) {
    case 'document.written':
      return evolveWritten(baseOf(state, event.data, recordedAt), event, recordedAt);
    case 'document.deleted':
      return evolveDeleted(baseOf(state, event.data, recordedAt), event, recordedAt);
    case 'record.appended':
      return {
        document: recordDocument(event.data),
        version: 1,
        createdAt: recordedAt,
        updatedAt: recordedAt,
      };
  }
}

/** Members of a record that the server sets. They are dropped from what is sent, and never count as ledger fields. */
export const OWN_MEMBERS: ReadonlySet<string> = new Set(['_id', '_timestamp', '_writerId', '_txId']);

/** The document that an appended record is stored and served as. */
export function recordDocument(data: Pick<RecordAppended, 'recordId' | 'timestamp' | 'writerId' | 'document'>): JsonObject {
  const { recordId, timestamp, writerId, document } = data;
  return { _id: recordId, _timestamp: timestamp, _writerId: writerId, ...document };
}

function baseOf(state: DocumentState | null, { fork }: DocumentWritten | DocumentDeleted, recordedAt: number): DocumentState | null {
  if (fork === undefined) return state;
  const { document, version, balances } = fork;
  return { document, version, createdAt: recordedAt, updatedAt: recordedAt, balances: balances && balancesText(balances) };
}

function evolveWritten(base: DocumentState | null, event: Written, recordedAt: number): DocumentState {
  const { data, after } = event;
  const createdAt = isThere(base) ? base.createdAt : recordedAt;
  const { version, changes } = data;
  const document = after?.value ?? data.document ?? applyChanges(base?.document ?? {}, changes ?? []);
  const parts = changes === undefined ? undefined : (event.parts ?? partsAfter(base?.parts, changes));
  return { document, version, createdAt, updatedAt: recordedAt, text: after?.text, balances: base?.balances, parts };
}

type Deleted = Extract<DocumentEvent, { readonly type: 'document.deleted' }>;

function evolveDeleted(base: DocumentState | null, event: Deleted, recordedAt: number): DocumentState {
  const { version } = event.data;
  return { document: null, version, createdAt: base?.createdAt ?? recordedAt, updatedAt: recordedAt, balances: base?.balances };
}

/** A document after entries were posted to its ledger. `balances`: those after them, if they are known. */
export function evolvePosted(state: DocumentState, { entries }: Posting, balances?: { readonly text: string | undefined }): DocumentState {
  return withBalances(state, balances === undefined ? balancesText(withEntries(balancesOf(state), entries)) : balances.text);
}
