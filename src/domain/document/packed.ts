import { LRUCache } from 'lru-cache';
import { type JsonObject, parseStored, printOnce } from '../../kernel/json.ts';
import type { Parts } from '../events.ts';
import type { DocumentState } from '../states.ts';

/**
 * A document that memory keeps as text alone: one that was stored whole, or loaded. Many documents are in memory and few are read. A text
 * takes less room than objects and costs the garbage collector nothing. The text is parsed when the value is first read.
 */
export class PackedDocument implements DocumentState {
  /** The text that {@link printOnce} makes of the document. */
  readonly text: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly balances: string | undefined;
  readonly parts: Parts | undefined;

  constructor(text: string, version: number, createdAt: number, updatedAt: number, balances?: string, parts?: Parts) {
    this.text = text;
    this.version = version;
    this.createdAt = createdAt;
    this.updatedAt = updatedAt;
    this.balances = balances;
    this.parts = parts;
  }

  get document(): JsonObject {
    const known = values.get(this);
    if (known !== undefined) return known;
    const value = parseStored(this.text);
    values.set(this, value);
    return value;
  }
}

/** Parsed values, so that documents that are read often are not parsed each time. Their texts have a million characters at most. */
const values = new LRUCache<PackedDocument, JsonObject>({ maxSize: 1024 * 1024, sizeCalculation: (_, { text }) => text.length });

/** The same state, packed. A deleted document has nothing to pack. */
export function packed(state: DocumentState): DocumentState {
  if (state instanceof PackedDocument || state.document === null) return state;
  return new PackedDocument(storedText(state), state.version, state.createdAt, state.updatedAt, state.balances, state.parts);
}

/** The same state with other balances. A packed document stays packed. */
export function withBalances(state: DocumentState, balances: string | undefined): DocumentState {
  if (!(state instanceof PackedDocument)) return { ...state, balances };
  return new PackedDocument(state.text, state.version, state.createdAt, state.updatedAt, balances, state.parts);
}

/** Whether there is a document, without parsing it. */
export function isThere(state: DocumentState | null): state is DocumentState {
  return state !== null && (state instanceof PackedDocument || state.document !== null);
}

/** JSON text of an existing document, as stored. */
export function storedText(state: DocumentState): string {
  if (state.text !== undefined) return state.text;
  if (state.document === null) throw new Error('a deleted document has no text');
  return printOnce(state.document);
}
