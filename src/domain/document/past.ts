import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ProjectEvent } from '../events.ts';
import type { DocumentState } from '../states.ts';
import { documentChangedBy, type Subject } from '../subjects.ts';
import { type DocumentEvent, evolveDocument, isDocumentEvent } from './evolve.ts';

/** A document as it was. Ledger balances and the time of its creation are not part of it: they would need all events of its past. */
export interface PastDocument {
  /** `null`: deleted. */
  readonly document: JsonObject | null;
  readonly version: number;
  /** Revision and time (unix ms) of its last change. */
  readonly changedAt: number;
  readonly updatedAt: number;
}

/** A document's change, and what it was after it. */
export interface PastChange extends PastDocument {
  readonly event: ProjectEvent & DocumentEvent;
}

/** Whether the document after this event needs no earlier event: it carries the whole, or the live state that it forked from. */
function isWhole({ type, data }: DocumentEvent): boolean {
  return type !== 'document.written' || data.document !== undefined || data.fork !== undefined;
}

/**
 * Takes the events of one document, newest first, until what it was after the last `count` of them is known. One of 129 events of a document is
 * whole, so that is after a bounded number.
 */
export class DocumentSearch {
  readonly #subject: Subject<'document'>;
  readonly #count: number;
  /** Newest first. */
  readonly #events: (ProjectEvent & DocumentEvent)[] = [];
  #redacted: number | null = null;
  #isComplete = false;

  constructor(subject: Subject<'document'>, count = 1) {
    this.#subject = subject;
    this.#count = count;
  }

  /** Returns whether the search is complete. Events of other subjects are passed over: the index may name some. */
  take(event: ProjectEvent): boolean {
    if (event.type === 'log.redacted') this.#redacted = event.revision;
    if (this.#redacted !== null) return true;
    if (!isDocumentEvent(event) || documentChangedBy(event) !== this.#subject) return false;
    const later = this.#events.at(-1);
    if (later !== undefined && !follows(later, event)) this.#redacted = later.revision - 1;
    this.#events.push(event);
    this.#isComplete = this.#redacted !== null || (this.#events.length >= this.#count && isWhole(event));
    return this.#isComplete;
  }

  /**
   * The last changes, newest first: `count` of them, or as many as there are. 410 REDACTED: an event that one of them needs says no more what it
   * said.
   */
  result(): readonly PastChange[] | Refusal {
    if (this.#redacted !== null)
      return refusal('REDACTED', `Its data at revision ${this.#redacted} were redacted, and what follows needs them`);
    const changes: PastChange[] = [];
    let state: DocumentState | null = null;
    for (const event of this.#events.toReversed()) {
      const { revision, metadata } = event;
      state = evolveDocument(state, event, metadata.recordedAt);
      changes.push({ event, document: state.document, version: state.version, changedAt: revision, updatedAt: state.updatedAt });
    }
    return changes.toReversed().slice(0, this.#count);
  }
}

/** Whether no event lies between two changes of a document. One that was redacted may no longer be in the index, but it had a version. */
function follows({ data }: DocumentEvent, earlier: DocumentEvent): boolean {
  return !('version' in data) || data.version === versionOf(earlier) + 1;
}

function versionOf({ data }: DocumentEvent): number {
  return 'version' in data ? data.version : 1;
}
