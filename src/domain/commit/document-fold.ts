import type { JsonObject } from '../../kernel/json.ts';
import { type DocumentEvent, evolveDocument } from '../document/evolve.ts';
import { continues, isWhole, type PastDocument } from '../document/past.ts';
import type { ProjectEvent } from '../events.ts';
import type { DocumentState } from '../states.ts';

/** One document along the commits that changed it: what it was around each of them. */

export type StoredDocumentEvent = ProjectEvent & DocumentEvent;

/** `undefined`: not known. `null`: there is none. */
export type KnownDocument = DocumentState | null | undefined;

/** A document as it was, for a fold that goes on from there. */
export function knownFrom(past: PastDocument | null): KnownDocument {
  return past === null ? null : { ...past, createdAt: past.updatedAt };
}

/** Whether a fold can go on with this event without what lies before it. */
export function goesOn(before: KnownDocument, event: DocumentEvent): boolean {
  if (forkOf(event) !== undefined) return true;
  return before !== undefined && continues(event, before?.version ?? 0);
}

interface Folded {
  readonly after: KnownDocument;
  /** `{}`: there was none, or is none. */
  readonly documents: { readonly before: JsonObject; readonly after: JsonObject } | null;
}

/** A document around the events of one commit; `documents` `null`: they are not known. */
export function foldCommit(before: KnownDocument, events: readonly StoredDocumentEvent[]): Folded {
  const [first] = events;
  if (first === undefined) return { after: before, documents: null };
  let after: KnownDocument = goesOn(before, first) ? before : undefined;
  const known = forkOf(first) ?? after;
  for (const event of events) {
    const isKnown = goesOn(after, event) || isWhole(event);
    after = isKnown ? evolveDocument(after ?? null, event, event.metadata.recordedAt) : undefined;
  }
  if (known === undefined || after === undefined) return { after, documents: null };
  return { after, documents: { before: known?.document ?? {}, after: after?.document ?? {} } };
}

function forkOf({ data }: DocumentEvent) {
  return 'fork' in data ? data.fork : undefined;
}
