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

/** A change with what the document was before and after it; `undefined`: a redaction hides it, `null`: there was none. */
export interface DocumentStep {
  readonly event: ProjectEvent & DocumentEvent;
  readonly before: JsonObject | null | undefined;
  readonly after: JsonObject | null | undefined;
}

/** Whether the document after this event needs no earlier event: it carries the whole, or the live state that it forked from. */
export function isWhole({ type, data }: DocumentEvent): boolean {
  return type !== 'document.written' || data.document !== undefined || data.fork !== undefined;
}

/** Characters of events after which a search that is told of them ends with fewer changes: a document may be large in each of them. */
const MOST = 2 * 1024 * 1024;

/**
 * Takes the events of one document, newest first, until what it was after the last `count` of them is known. One of 129 events of a
 * document is whole, so that is after a bounded number.
 */
export class DocumentSearch {
  readonly #subject: Subject<'document'>;
  readonly #count: number;
  /** Newest first. */
  readonly #events: (ProjectEvent & DocumentEvent)[] = [];
  #redacted: number | null = null;
  #size = 0;

  constructor(subject: Subject<'document'>, count = 1) {
    this.#subject = subject;
    this.#count = count;
  }

  /**
   * Returns whether the search is complete. Events of other subjects are passed over: the index may name some. `size`: characters of its
   * data; where these come to much, the search is complete with two.
   */
  take(event: ProjectEvent, size = 0): boolean {
    if (event.type === 'log.redacted') this.#redacted = event.revision;
    if (this.#redacted !== null) return true;
    if (!isDocumentEvent(event) || documentChangedBy(event) !== this.#subject) return false;
    const later = this.#events.at(-1);
    if (later !== undefined && !follows(later, event)) {
      this.#redacted = later.revision - 1;
      return true;
    }
    this.#events.push(event);
    this.#size += size;
    const count = this.#size < MOST ? this.#count : Math.min(this.#count, 2);
    return this.#events.length >= count && isWhole(event);
  }

  /** The events that were taken, newest first, and whether a redaction ended the search. */
  get taken(): { readonly events: readonly (ProjectEvent & DocumentEvent)[]; readonly redacted: number | null } {
    return { events: this.#events, redacted: this.#redacted };
  }

  /**
   * The last changes, newest first: `count` of them, or as many as there are. 410 REDACTED: an event that one of them needs says no more
   * what it said.
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

/**
 * The last `limit` of a document's events, with what it was around each. `events`: newest first, one more than the limit, or all that there
 * are (`isAll`).
 */
export function stepsOf(events: readonly (ProjectEvent & DocumentEvent)[], limit: number, isAll: boolean): readonly DocumentStep[] {
  const steps: DocumentStep[] = [];
  let state: DocumentState | null | undefined = isAll ? null : undefined;
  for (const event of events.toReversed()) {
    const { fork } = event.type === 'record.appended' ? {} : event.data;
    const before = fork === undefined ? (state === undefined ? undefined : (state?.document ?? null)) : fork.document;
    if (state !== undefined || isWhole(event)) state = evolveDocument(state ?? null, event, event.metadata.recordedAt);
    steps.push({ event, before, after: state === undefined ? undefined : state.document });
  }
  return steps.toReversed().slice(0, limit);
}

/** Whether no event lies between two changes of a document. One that was redacted may no longer be in the index, but it had a version. */
function follows(event: DocumentEvent, earlier: DocumentEvent): boolean {
  return continues(event, versionOf(earlier));
}

/** Whether this is the next event of a document that has this version. */
export function continues({ type, data }: DocumentEvent, version: number): boolean {
  // A delete is no write: it keeps the version.
  return !('version' in data) || data.version === version + (type === 'document.deleted' ? 0 : 1);
}

function versionOf({ data }: DocumentEvent): number {
  return 'version' in data ? data.version : 1;
}
