import { type JsonObject, parseStored, printOnce } from '../../kernel/json.ts';
import type { DocumentState } from '../states.ts';

/** Characters of text whose values are kept beside it: what decisions ask for again and again is not parsed each time. */
const UNPACKED_CHARACTERS = 1024 * 1024;

/**
 * A document of which memory keeps its text alone: one that was stored whole, or loaded. Many are held and few are looked into, and a
 * text takes a quarter of what its objects take and costs a garbage collector nothing to look through. The value is made when it is
 * asked for.
 */
export class PackedDocument implements DocumentState {
  /** What {@link printOnce} makes of the document. */
  readonly text: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  #document: JsonObject | null = null;

  /** Those with their values beside them, oldest first from `#oldest` on. */
  static #unpacked: (PackedDocument | null)[] = [];
  static #oldest = 0;
  static #characters = 0;

  constructor(text: string, version: number, createdAt: number, updatedAt: number) {
    this.text = text;
    this.version = version;
    this.createdAt = createdAt;
    this.updatedAt = updatedAt;
  }

  get document(): JsonObject {
    if (this.#document !== null) return this.#document;
    const document = parseStored(this.text);
    this.#document = document;
    PackedDocument.#remember(this);
    return document;
  }

  /** The last one is kept, however large: whoever asked is about to ask again. */
  static #remember(latest: PackedDocument): void {
    const unpacked = PackedDocument.#unpacked;
    unpacked.push(latest);
    PackedDocument.#characters += latest.text.length;
    while (PackedDocument.#characters > UNPACKED_CHARACTERS && PackedDocument.#oldest < unpacked.length - 1) {
      const oldest = unpacked[PackedDocument.#oldest];
      // The place is used up later: until then it must not hold the text of what everybody else has forgotten.
      unpacked[PackedDocument.#oldest] = null;
      PackedDocument.#oldest += 1;
      if (!oldest) break;
      oldest.#document = null;
      PackedDocument.#characters -= oldest.text.length;
    }
    if (PackedDocument.#oldest < 1024 || PackedDocument.#oldest * 2 < unpacked.length) return;
    PackedDocument.#unpacked = unpacked.slice(PackedDocument.#oldest);
    PackedDocument.#oldest = 0;
  }
}

/** The same state to whoever reads it. A deleted document has nothing to pack. */
export function packed(state: DocumentState): DocumentState {
  if (state instanceof PackedDocument || state.document === null) return state;
  return new PackedDocument(printOnce(state.document), state.version, state.createdAt, state.updatedAt);
}

/** Whether there is a document, without looking into it. */
export function isThere(state: DocumentState | null): state is DocumentState {
  return state !== null && (state instanceof PackedDocument || state.document !== null);
}

/** JSON text of a document that is there, as it is stored. */
export function storedText(state: DocumentState): string {
  if (state instanceof PackedDocument) return state.text;
  if (state.document === null) throw new Error('a deleted document has no text');
  return printOnce(state.document);
}
