import type { JsonObject } from '../../kernel/json.ts';
import type { DocumentDeleted, DocumentWritten, DomainEvent, RecordAppended } from '../events.ts';
import type { DocumentState } from '../states.ts';
import { balancesOf, balancesText, NO_BALANCES, NO_BALANCES_TEXT, withEntries } from './balances.ts';
import { applyChanges } from './draft.ts';
import { isThere } from './packed.ts';

export type DocumentEvent = Extract<DomainEvent, { readonly type: 'document.written' | 'document.deleted' | 'record.appended' }>;

export function isDocumentEvent<E extends DomainEvent>(event: E): event is E & DocumentEvent {
  return event.type === 'document.written' || event.type === 'document.deleted' || event.type === 'record.appended';
}

type Written = Extract<DocumentEvent, { readonly type: 'document.written' }>;

/**
 * A document after one of its events. `recordedAt`: the event's time in unix ms. The first event of a subject in a `next` space carries the live
 * state that it started from, which then replaces `state`.
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
        balances: balancesAfter(null, event),
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
  return { document: fork.document, version: fork.version, createdAt: recordedAt, updatedAt: recordedAt };
}

function evolveWritten(base: DocumentState | null, event: Written, recordedAt: number): DocumentState {
  const { data, after } = event;
  const createdAt = isThere(base) ? base.createdAt : recordedAt;
  const balances = balancesAfter(base, event);
  const document = after?.value ?? data.document ?? applyChanges(base?.document ?? {}, data.changes ?? []);
  return { document, version: data.version, createdAt, updatedAt: recordedAt, text: after?.text, balances };
}

type Deleted = Extract<DocumentEvent, { readonly type: 'document.deleted' }>;

function evolveDeleted(base: DocumentState | null, event: Deleted, recordedAt: number): DocumentState {
  const { version } = event.data;
  return { document: null, version, createdAt: base?.createdAt ?? recordedAt, updatedAt: recordedAt, balances: balancesAfter(base, event) };
}

/**
 * The ledger balances after an event. `base`: the state that the event began from. An event with a fork states the balances of its base in
 * `told`.
 */
function balancesAfter(base: DocumentState | null, { data, balances: known }: DocumentEvent): DocumentState['balances'] {
  if (known !== undefined) return known === NO_BALANCES_TEXT ? undefined : known;
  if (data.told === null) return null;
  const { told: before, ledger = [] } = data;
  if (before === undefined && (ledger.length === 0 || base?.balances === null)) return base?.balances;
  return balancesText(withEntries(before ?? balancesOf(base) ?? NO_BALANCES, ledger));
}

/** Whether the balances after this event are known without those before it. */
export function statesBalances({ type, data, balances }: DocumentEvent): boolean {
  return balances !== undefined || data.told !== undefined || type === 'record.appended' || data.fork !== undefined;
}
