import type { EventData } from '@eventstore/db-client';
import type { NewEvent, RecordedEvent } from '../port.ts';
import type { WireEvent } from './wire.ts';
import type { PrintedEvent } from './wire-append.ts';

/**
 * An event as EventStoreDB stores it. The texts must come back to the byte, also from plain clients (docs/auditing.md). Those parse
 * whatever they take for JSON, and an auditor hashes what they print again. Where that gives the same text, as it does for nearly all of
 * ours, the event is JSON, which the server's console, filters and projections read. Otherwise
 * - data is stored under the content type of bytes, which clients do not parse;
 * - metadata, which has no content type and is always parsed, is stored as one JSON string that holds the text.
 */
export function toStored({ id, type, data, metadata }: NewEvent): PrintedEvent {
  const printed = survivesParsing(metadata) ? metadata : JSON.stringify(metadata);
  return { id, type, data, metadata: printed, contentType: survivesParsing(data) ? 'application/json' : 'application/octet-stream' };
}

/** What the server counts of an event against its limit for one append, or slightly more: old servers count the data alone. */
export function countedBytes({ type, metadata, data }: PrintedEvent): number {
  return Buffer.byteLength(data) + Buffer.byteLength(metadata) + 2 * type.length;
}

/** The event in the form that the client takes. */
export function toEventData({ id, type, data, metadata, contentType }: PrintedEvent): EventData {
  const about = { id, type, metadata: encoder.encode(metadata) };
  if (contentType === 'application/octet-stream') return { ...about, contentType, data: encoder.encode(data) };
  return { ...about, contentType, data: JSON.parse(data) };
}

const encoder = new TextEncoder();

/** Whether parsing and printing gives this very text again. False for all but objects: a parsed string is the text that it holds. */
function survivesParsing(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

const NO_OWN_EVENTS: Map<string, NewEvent> = new Map();

/** The event as the port gives it. If `own` holds it, it is removed from there and given with the texts as they were sent. */
export function fromStored({ id, type, stream, revision, position, data, metadata }: WireEvent, own = NO_OWN_EVENTS): RecordedEvent {
  const sent = own.get(id);
  if (sent === undefined) {
    const texts = { data: data.toString('utf8'), metadata: metadataText(metadata.toString('utf8')) };
    return { id, type, ...texts, stream, revision: revisionOf(revision), position };
  }
  own.delete(id);
  return { id, type, data: sent.data, metadata: sent.metadata, stream, revision: revisionOf(revision), position };
}

/** The revision as a number, as the port has it. No stream grows too long for that. */
export function revisionOf(revision: bigint): number {
  if (revision > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`revision ${revision} is beyond the safe integers`);
  return Number(revision);
}

/** The text of metadata that was stored as a JSON string. What another program wrote is given as it is. */
function metadataText(stored: string): string {
  if (!stored.startsWith('"')) return stored === '' ? 'null' : stored;
  try {
    return String(JSON.parse(stored));
  } catch {
    return stored;
  }
}
