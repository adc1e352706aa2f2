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
 *  - Data is stored under the content type of bytes, which the client hands through.
 *  - Metadata has no content type: the client tries to parse it, always. So it is stored as one JSON string that holds the text, and
 *    parsing gives the text. (Bytes that are no JSON would come back too, at twelve times the cost: each is a failed parse.)
 * The price: the server's own console and projections see bytes where they could show JSON.
 */
export function toStored({ id, type, data, metadata }: NewEvent): Stored {
  const event = { data: encoder.encode(data), metadata: encoder.encode(JSON.stringify(metadata)) };
  return {
    event: { id, type, contentType: 'application/octet-stream', ...event },
    bytes: event.data.length + event.metadata.length + 2 * type.length,
  };
}

/** The event as the port gives it; `null` for a link whose event is gone. */
export function fromStored(resolved: ResolvedEvent | AllStreamResolvedEvent): RecordedEvent | null {
  const event: ReadEvent | undefined = resolved.event ?? resolved.link;
  if (event?.position === undefined) return null;
  return {
    id: event.id,
    type: event.type,
    data: textOf(event.data),
    metadata: typeof event.metadata === 'string' ? event.metadata : textOf(event.metadata),
    stream: event.streamId,
    revision: revisionOf(event.revision),
    position: event.position.commit,
  };
}

/** The port's revisions are numbers; no stream gets that long. */
export function revisionOf(revision: bigint): number {
  if (revision > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`revision ${revision} is beyond the safe integers`);
  return Number(revision);
}

/** What something else wrote into the log comes back as well as the client lets it: parsed, and printed again here. */
function textOf(stored: unknown): string {
  if (stored instanceof Uint8Array) return Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString('utf8');
  return JSON.stringify(stored ?? null);
}
