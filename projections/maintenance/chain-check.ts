import { decodeEvent } from '../../src/kernel/json.ts';
import { listOf, objectOf } from '../../src/kernel/json-read.ts';
import { hashOf, NO_HASH, verifyLink } from '../../src/log/chain.ts';
import { isRedacted } from '../../src/log/commitment.ts';
import { isForeign } from '../../src/log/foreign.ts';
import type { RecordedEvent } from '../../src/log/port.ts';

export const BROKEN_LINK = 'the event does not match its hash, or its hash the one before';

/** Follows the chain of a stream from its first event on: each links to the one before, and data are gone only where an event allows it. */
export class ChainCheck {
  /** Of the last event that was checked. */
  revision = -1;
  #hash = NO_HASH;
  /** The type of the events that allow to remove data. */
  readonly #allowing: string;
  readonly #redacted = new Set<number>();
  readonly #allowed = new Set<number>();

  constructor(allowing: 'data.redacted' | 'person.forgotten') {
    this.#allowing = allowing;
  }

  /** Answers what is wrong with the next event; `null`: nothing. */
  take(event: RecordedEvent): string | null {
    const before = this.revision;
    const isWhole = event.revision === before + 1;
    const isLinked = isForeign(event) || verifyLink(this.#hash, event);
    this.#noteRedaction(event);
    this.revision = event.revision;
    this.#hash = hashOf(event.metadata) ?? this.#hash;
    if (!isWhole) return `follows revision ${before}`;
    return isLinked ? null : BROKEN_LINK;
  }

  /** What was redacted and no event allows. Any later event may, so it is asked for when the whole stream was read. */
  unallowed(): readonly { readonly revision: number; readonly detail: string }[] {
    const detail = `the data were redacted, and no ${this.#allowing} of this stream allows it`;
    return [...this.#redacted].filter((revision) => !this.#allowed.has(revision)).map((revision) => ({ revision, detail }));
  }

  #noteRedaction(event: RecordedEvent): void {
    if (isRedacted(event.data)) this.#redacted.add(event.revision);
    else if (event.type === this.#allowing && !isForeign(event))
      for (const revision of revisionsIn(event.data)) this.#allowed.add(revision);
  }
}

function revisionsIn(data: string): readonly number[] {
  return listOf(objectOf(decodeEvent(data))['revisions']).filter((revision) => typeof revision === 'number');
}
