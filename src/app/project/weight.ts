import { isThere, PackedDocument, storedText } from '../../domain/document/packed.ts';
import type { SubjectState } from '../../domain/states.ts';

/** Memory that states take. These are estimates: exact measuring would cost more than it saves. */

/** Approximate bytes of an entry besides its state: key, maps, version object. */
const OVERHEAD = 200;
/** A parsed document with its text takes about this many bytes of memory per byte of text. */
const HEAP_PER_BYTE = 3;
/**
 * Bytes of a packed document besides its text. Many are small, so their objects count; and all of it counts twice, because a heap grows to twice
 * its live size.
 */
const PACKED_OVERHEAD = 1_000;

/** Memory of a state whose text has `size` bytes. */
export function weigh(size: number): number {
  return size * HEAP_PER_BYTE + OVERHEAD;
}

/** Memory of a state in the cache: a packed document is its text, and the served text if that differs. */
export function weighCached(state: SubjectState | null, size: number, served: string): number {
  if (!(state instanceof PackedDocument)) return weigh(Math.max(size, served.length));
  return (state.text.length + (served === state.text ? 0 : served.length)) * 2 + PACKED_OVERHEAD;
}

/** Approximate bytes of a loaded state's text. Documents dominate, and a packed one knows its length. */
export function estimate(state: SubjectState | null): number {
  if (state !== null && 'records' in state) return 100 + 150 * state.records.length;
  if (state !== null && 'page' in state) return roughSize(state.page, 0);
  if (state === null || !('document' in state)) return 100;
  if (state instanceof PackedDocument) return state.text.length;
  return roughSize(state.document, 0);
}

/** Text length of an existing document. For any other state its last event says enough. */
export function textLength(state: SubjectState | null): number {
  return state !== null && 'document' in state && isThere(state) ? storedText(state).length : 0;
}

function roughSize(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length * 2 + 16;
  if (typeof value !== 'object' || value === null) return 8;
  if (depth > 64) return 16;
  let sum = 32;
  for (const [name, member] of Object.entries(value)) sum += name.length + roughSize(member, depth + 1);
  return sum;
}
