import { hash as digest } from 'node:crypto';
import { commitmentOf } from './commitment.ts';
import type { NewEvent } from './port.ts';

/**
 * The hash chain of a stream. Each event's hash covers the hash before it, so removing, reordering or altering any event breaks every link
 * after it.
 *
 * The hash covers a commitment to the data (commitment.ts), so that data can be forgotten and the chain stays whole.
 *
 * The hash covers the bytes as they are stored, never parsed values. Parsing and printing again may change a number or the order of keys,
 * and a proof must be over what lies in the log.
 *
 * The hash is the last member of the metadata, the seal. So sealing, reading and removing it cut the text at a known distance from its end.
 * Nothing is parsed, because this runs for every event that is written or replayed, thousands a second.
 */

/** An event before its seal; `metadata` is the text of a JSON object without a member `seal`. */
export type UnsealedEvent = NewEvent;

/** What the first event of a stream links to. */
export const NO_HASH = '';

const HEX_LENGTH = 64;
/** `,"seal":"` + 64 hexadecimal digits + `"}`; the first character is `{` when there is no other member. */
const SUFFIX_LENGTH = 9 + HEX_LENGTH + 2;
const SUFFIX = /^[,{]"seal":"([0-9a-f]{64})"\}$/;
/** How the first format of the log ended its metadata. Nothing reads it any more. */
const FIRST_FORMAT = /[,{]"hash":"[0-9a-f]{64}"\}$/;

/**
 * Links an event to the one before it. Throws when the text of one part could be mistaken for another part (a raw line break;
 * JSON.stringify writes none).
 */
export function seal(previousHash: string, event: UnsealedEvent): { readonly event: NewEvent; readonly hash: string } {
  const linked = link(previousHash, event);
  if (linked === null) throw new Error(`event ${event.id} cannot be sealed: a line break in its type or metadata`);
  const open = event.metadata === '{}' ? '{' : `${event.metadata.slice(0, -1)},`;
  const { id, type, data } = event;
  return { event: { id, type, metadata: `${open}"seal":"${linked}"}`, data }, hash: linked };
}

/** The hash that sealed metadata ends with, or `null` when it is not sealed. */
export function hashOf(metadata: string): string | null {
  return SUFFIX.exec(metadata.slice(-SUFFIX_LENGTH))?.[1] ?? null;
}

/** Whether this event was sealed in the first format of the log. */
export function isFirstFormat({ metadata }: Pick<NewEvent, 'metadata'>): boolean {
  return FIRST_FORMAT.test(metadata.slice(-SUFFIX_LENGTH));
}

/** Whether this event is what was sealed after the event with `previousHash`. */
export function verifyLink(previousHash: string, event: NewEvent): boolean {
  const stored = hashOf(event.metadata);
  if (stored === null) return false;
  const rest = event.metadata.slice(0, -SUFFIX_LENGTH);
  return link(previousHash, { ...event, metadata: rest === '' ? '{}' : `${rest}}` }) === stored;
}

/**
 * SHA-256 over the parts, one on each line, so that an auditor can compute the same with any tool. No part may hold a line break, or two
 * different events could have the same text; `null` when one does.
 */
function link(previousHash: string, { id, type, metadata, data }: NewEvent): string | null {
  if (metadata.includes('\n') || type.includes('\n') || id.includes('\n')) return null;
  return digest('sha256', `${previousHash}\n${id}\n${type}\n${metadata}\n${commitmentOf(data)}`);
}
