import { isThere, PackedDocument, storedText } from '../../domain/document/packed.ts';
import type { StateOf, SubjectKind, SubjectState } from '../../domain/states.ts';
import { kindOf, type Subject, stateOf } from '../../domain/subjects.ts';

/** Memory that states take. These are estimates: exact measuring would cost more than it saves. */

/** Approximate bytes of an entry besides its state: key, maps, version object. */
const OVERHEAD = 200;
/** A parsed document with its text takes about this many bytes of memory per byte of text. */
const HEAP_PER_BYTE = 3;
/**
 * Bytes of a packed document besides its text. Many are small, so their objects count; and all of it counts twice, because a heap grows to
 * twice its live size.
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

/** Approximate bytes of a state whose kind may be large. */
const SIZES: { readonly [K in SubjectKind]?: (state: StateOf[K]) => number } = {
  records: ({ records }) => 100 + 150 * records.length,
  release: (state) => roughSize(state, 0),
  page: ({ page }) => roughSize(page, 0),
  document: (state) => (state instanceof PackedDocument ? state.text.length : roughSize(state.document, 0)),
};

/** Approximate bytes of a loaded state's text. Documents dominate, and a packed one knows its length. */
export function estimate(subject: Subject, state: SubjectState | null): number {
  const size = SIZES[kindOf(subject)] as ((state: SubjectState) => number) | undefined;
  return state === null || size === undefined ? 100 : size(state);
}

/** Text length of an existing document. For any other state its last event says enough. */
export function textLength(subject: Subject, state: SubjectState | null): number {
  const document = stateOf('document', subject, state);
  return isThere(document) ? storedText(document).length : 0;
}

function roughSize(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length * 2 + 16;
  if (typeof value !== 'object' || value === null) return 8;
  if (depth > 64) return 16;
  let sum = 32;
  for (const [name, member] of Object.entries(value)) sum += name.length + roughSize(member, depth + 1);
  return sum;
}
