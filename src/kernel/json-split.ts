/**
 * Splits a JSON text as it arrives, for texts too large for memory. It enters the containers that `enters` selects, and passes every other
 * value on as text. It only finds where values begin and end; the receiver parses them.
 */

/** A value with its path: names of members, and {@link ELEMENT} for an element of a list. */
export interface JsonPiece {
  readonly path: readonly string[];
  readonly text: string;
}

export const ELEMENT = '*';

/** The structure of the text is not JSON, or a value is larger than allowed. */
export class BrokenJson extends Error {
  override readonly name = 'BrokenJson';
}

interface Level {
  readonly kind: 'object' | 'array';
  readonly path: readonly string[];
}

/** The next token that is allowed. In an object: a name, its colon, the value, then a comma. */
type Expected = 'value' | 'name' | 'colon' | 'comma' | 'end';

const BLANK = /\s/;

export class JsonSplitter {
  readonly #enters: (path: readonly string[], kind: Level['kind']) => boolean;
  readonly #longest: number;
  readonly #levels: Level[] = [];
  #expected: Expected = 'value';
  /** Whether a container has just been opened, so that it may close at once. */
  #opened = false;
  #name = '';
  /** The parts of the value that is being read. */
  #parts: string[] | null = null;
  #length = 0;
  #form: 'text' | 'word' | 'container' = 'word';
  #depth = 0;
  #quoted = false;
  #escaped = false;

  /** `longest`: most characters of one value. */
  constructor(enters: (path: readonly string[], kind: Level['kind']) => boolean, longest: number) {
    this.#enters = enters;
    this.#longest = longest;
  }

  /** Yields the values that this chunk completes. Throws {@link BrokenJson}. */
  *feed(chunk: string): Generator<JsonPiece> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#parts !== null) {
        const end = this.#endOf(chunk, at);
        this.#keep(chunk.slice(at, end.at));
        at = end.at;
        if (end.done) yield* this.#finished();
        continue;
      }
      const char = chunk.charAt(at);
      if (BLANK.test(char)) at += 1;
      else if (this.#structure(char)) at += 1;
    }
  }

  /** Throws {@link BrokenJson} if the text ends before its value does. */
  *end(): Generator<JsonPiece> {
    if (this.#parts !== null && this.#form === 'word') yield* this.#finished();
    if (this.#expected !== 'end') throw new BrokenJson('It ends too early.');
  }

  /** Whether the character belongs to the structure. If not, a value begins with it. */
  #structure(char: string): boolean {
    const level = this.#levels.at(-1);
    if (this.#opened && char === (level?.kind === 'object' ? '}' : ']')) return this.#close();
    if (this.#expected === 'value') return this.#begin(char);
    if (this.#expected === 'name' && char === '"') return this.#begin(char);
    if (this.#expected === 'colon' && char === ':') return this.#expect('value');
    if (this.#expected === 'comma' && char === ',') return this.#expect(level?.kind === 'object' ? 'name' : 'value');
    if (this.#expected === 'comma' && char === (level?.kind === 'object' ? '}' : ']')) return this.#close();
    throw new BrokenJson(`Unexpected ${JSON.stringify(char)}.`);
  }

  #expect(next: Expected): true {
    this.#expected = next;
    this.#opened = false;
    return true;
  }

  #close(): true {
    this.#levels.pop();
    return this.#expect(this.#levels.length === 0 ? 'end' : 'comma');
  }

  #begin(char: string): boolean {
    const kind = char === '{' ? 'object' : char === '[' ? 'array' : null;
    if (this.#expected === 'value' && kind !== null && this.#enters(this.#path(), kind)) {
      this.#levels.push({ kind, path: this.#path() });
      this.#expect(kind === 'object' ? 'name' : 'value');
      this.#opened = true;
      return true;
    }
    if (',:}]'.includes(char)) throw new BrokenJson(`Unexpected ${JSON.stringify(char)}.`);
    this.#opened = false;
    this.#parts = [];
    this.#length = 0;
    this.#form = kind !== null ? 'container' : char === '"' ? 'text' : 'word';
    this.#depth = 0;
    this.#quoted = false;
    this.#escaped = false;
    return false;
  }

  #path(): readonly string[] {
    const level = this.#levels.at(-1);
    if (level === undefined) return [];
    return [...level.path, level.kind === 'object' ? this.#name : ELEMENT];
  }

  /** Where the current value ends in the chunk; not `done` if it goes on in the next chunk. */
  #endOf(chunk: string, from: number): { readonly at: number; readonly done: boolean } {
    for (let at = from; at < chunk.length; at += 1) {
      const char = chunk.charCodeAt(at);
      if (this.#form === 'word') {
        if (isWordEnd(char)) return { at, done: true };
      } else if (this.#ends(char)) return { at: at + 1, done: true };
    }
    return { at: chunk.length, done: false };
  }

  /** Whether the string or container ends with this character. */
  #ends(char: number): boolean {
    if (this.#quoted) {
      if (this.#escaped) this.#escaped = false;
      else if (char === BACKSLASH) this.#escaped = true;
      else if (char === QUOTE) this.#quoted = false;
      else return false;
      return !this.#quoted && this.#form === 'text' && char === QUOTE;
    }
    if (char === QUOTE) this.#quoted = true;
    else if (char === OPEN_OBJECT || char === OPEN_ARRAY) this.#depth += 1;
    else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) this.#depth -= 1;
    else return false;
    return this.#form === 'container' && !this.#quoted && this.#depth === 0;
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length > this.#longest) throw new BrokenJson(`A value is longer than ${this.#longest} characters.`);
    this.#parts?.push(part);
  }

  *#finished(): Generator<JsonPiece> {
    const text = (this.#parts ?? []).join('');
    this.#parts = null;
    if (this.#expected === 'name') {
      this.#name = nameOf(text);
      this.#expect('colon');
      return;
    }
    const path = this.#path();
    this.#expect(this.#levels.length === 0 ? 'end' : 'comma');
    yield { path, text };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;

function isWordEnd(char: number): boolean {
  return char === COMMA || char === CLOSE_OBJECT || char === CLOSE_ARRAY || char <= 0x20;
}

function nameOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw new BrokenJson('The name of a member cannot be read.');
  }
}
