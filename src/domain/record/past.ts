import type { ProjectEvent } from '../events.ts';
import { isRecordListEvent, type RecordListEvent } from './evolve.ts';

/** The past of a player's save records. */

/** A change of the list, and the record's name before and after; `null`: there was no such record, `undefined`: a redaction hides it. */
export interface RecordListStep {
  readonly event: ProjectEvent & RecordListEvent;
  readonly before: string | null | undefined;
  readonly after: string | null;
}

export interface RecordListSteps {
  readonly steps: readonly RecordListStep[];
  /** A redaction ends the list at this revision. */
  readonly redacted: number | null;
}

/** Takes the events of one list, newest first, until the last `limit` changes are known, with the name that each record had before. */
export class RecordListSearch {
  readonly #limit: number;
  /** Newest first. */
  readonly #events: (ProjectEvent & RecordListEvent)[] = [];
  /** Records that a listed change met, and whose name before it is not known yet. */
  readonly #waiting = new Set<string>();
  #redacted: number | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns whether the search is complete. */
  take(event: ProjectEvent): boolean {
    if (event.type === 'log.redacted') this.#redacted = event.revision;
    if (this.#redacted !== null) return true;
    if (!isRecordListEvent(event)) return false;
    const { recordId, fork } = event.data;
    const isListed = this.#events.length < this.#limit;
    this.#events.push(event);
    this.#waiting.delete(recordId);
    if (isListed && event.type !== 'record.created') this.#waiting.add(recordId);
    return fork !== undefined || (this.#events.length >= this.#limit && this.#waiting.size === 0);
  }

  result(): RecordListSteps {
    const names = new Map<string, string | null>();
    const steps: RecordListStep[] = [];
    for (const event of this.#events.toReversed()) {
      const { recordId, fork = [] } = event.data;
      for (const record of fork) names.set(record.recordId, record.recordName);
      const after = event.type === 'record.deleted' ? null : event.data.recordName;
      steps.push({ event, before: event.type === 'record.created' ? null : names.get(recordId), after });
      names.set(recordId, after);
    }
    const listed = steps.toReversed().slice(0, this.#limit);
    // What lies beyond the page is no matter of this page.
    return { steps: listed, redacted: listed.length < this.#limit ? this.#redacted : null };
  }
}
