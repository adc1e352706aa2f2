import { PackedDocument } from '../../domain/document/packed.ts';
import type { SubjectState } from '../../domain/states.ts';

/** What states weigh in memory. Estimates: measuring exactly would cost more than it saves. */

/** Rough bytes of an entry beside its state: key, maps, version object. */
const OVERHEAD = 200;
/** A parsed document and its kept text take about this many bytes of memory for each byte of the text. */
const HEAP_PER_BYTE = 3;
/** The same of a packed document: many are small, so what holds them counts, and all of it twice, as a heap grows to twice what lives in it. */
const PACKED_OVERHEAD = 1_000;

/** Memory that a state takes whose text has `size` bytes. */
export function weigh(size: number): number {
  return size * HEAP_PER_BYTE + OVERHEAD;
}

/** The same where the state is known to lie in the cache: a packed document is its text. */
export function weighCached(state: SubjectState | null, size: number): number {
  return state instanceof PackedDocument ? state.text.length * 2 + PACKED_OVERHEAD : weigh(size);
}

/** Bytes of a loaded state's text, about. Documents dominate, and a packed one knows. */
export function estimate(state: SubjectState | null): number {
  if (state !== null && 'records' in state) return 100 + 150 * state.records.length;
  if (state !== null && 'page' in state) return roughSize(state.page, 0);
  if (state === null || !('document' in state)) return 100;
  if (state instanceof PackedDocument) return state.text.length;
  return roughSize(state.document, 0);
}

function roughSize(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length * 2 + 16;
  if (typeof value !== 'object' || value === null) return 8;
  if (depth > 64) return 16;
  let sum = 32;
  for (const [name, member] of Object.entries(value)) sum += name.length + roughSize(member, depth + 1);
  return sum;
}
