import type { AllStreamResolvedEvent, EventData, RecordedEvent as ReadEvent, ResolvedEvent } from '@eventstore/db-client';
import type { NewEvent, RecordedEvent } from '../port.ts';

/** An event as it is stored. */
export interface Stored {
  readonly event: EventData;
  /** What the server counts against its limit for one append, or a little more: old servers count the data alone. */
  readonly bytes: number;
}

const encoder = new TextEncoder();

/**
 * The texts must come back to the byte, and the client parses whatever it takes for JSON, with numbers beyond doubles changed.
 *  - Data is stored under the content type of bytes, which the client hands through. The server's console shows it when asked to try
 *    harder, and its projections parse it themselves (docs/auditing.md).
 *  - Metadata has no content type: the client tries to parse it, always. It is stored as the object that it is where printing what was
 *    parsed gives the very text, as all of ours does; any other as one JSON string that holds the text, as earlier releases stored all.
 *    (Bytes that are no JSON would come back too, at twelve times the cost: each is a failed parse.)
 */
export function toStored({ id, type, data, metadata }: NewEvent): Stored {
  const event = { data: encoder.encode(data), metadata: encoder.encode(comesBack(metadata) ? metadata : JSON.stringify(metadata)) };
  return {
    event: { id, type, contentType: 'application/octet-stream', ...event },
    bytes: event.data.length + event.metadata.length + 2 * type.length,
  };
}

/** Whether parsing and printing gives this very text again. Of objects alone: a parsed string stands for the text that it holds. */
function comesBack(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

const NONE_OWN: Map<string, NewEvent> = new Map();

/** The event as the port gives it; `null` for a link whose event is gone. One of `own` is taken out of it, with the texts as they were sent. */
export function fromStored(resolved: ResolvedEvent | AllStreamResolvedEvent, own = NONE_OWN): RecordedEvent | null {
  const event: ReadEvent | undefined = resolved.event ?? resolved.link;
  if (event?.position === undefined) return null;
  const { id, type, streamId: stream } = event;
  const sent = own.get(id);
  if (sent !== undefined) own.delete(id);
  const data = sent?.data ?? textOf(event.data);
  const metadata = sent?.metadata ?? (typeof event.metadata === 'string' ? event.metadata : textOf(event.metadata));
  return { id, type, data, metadata, stream, revision: revisionOf(event.revision), position: event.position.commit };
}

/** The port's revisions are numbers; no stream gets that long. */
export function revisionOf(revision: bigint): number {
  if (revision > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`revision ${revision} is beyond the safe integers`);
  return Number(revision);
}

/** What the client has parsed is printed again: metadata that comes back so, and what something else wrote, as well as the client lets it. */
function textOf(stored: unknown): string {
  if (stored instanceof Uint8Array) return Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString('utf8');
  return JSON.stringify(stored ?? null);
}
