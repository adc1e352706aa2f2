import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { stringOf } from '../../kernel/json-read.ts';
import type { Entry } from '../definition/model/overlay.ts';

/** Names that definitions may say, and which definitions say them, by themselves or through what they call. */
export class Words {
  readonly #names = new Set<string>();
  /** Those that are no words: looked for anywhere in a text. */
  readonly #odd: string[] = [];
  readonly isAnyCase: boolean;

  /** `isAnyCase`: letter case does not count. */
  constructor(names: Iterable<string>, isAnyCase = false) {
    this.isAnyCase = isAnyCase;
    for (const name of names) this.add(name);
  }

  get size(): number {
    return this.#names.size;
  }

  add(name: string): void {
    const own = this.#cased(name);
    if (this.#names.has(own)) return;
    this.#names.add(own);
    if (!WORD.test(own)) this.#odd.push(own);
  }

  has(name: string): boolean {
    return this.#names.has(this.#cased(name));
  }

  /** As they are compared. */
  [Symbol.iterator](): Iterator<string> {
    return this.#names.values();
  }

  /** Whether a definition says one of them. */
  areSaidBy({ parts, text }: Said): boolean {
    const [few, many] = this.#names.size < parts.size ? [this.#names, parts] : [parts, this.#names];
    for (const name of few) if (many.has(name)) return true;
    return this.#odd.some((name) => text.includes(name));
  }

  /** Whether a text holds one of them. */
  areIn(text: string): boolean {
    const own = this.#cased(text);
    if (this.#odd.some((name) => own.includes(name))) return true;
    return (own.match(WORDS) ?? []).some((word) => this.#names.has(word));
  }

  #cased(text: string): string {
    return this.isAnyCase ? text.toLowerCase() : text;
  }
}

/** What a definition says: the words of its texts with the names of its members, and the texts. */
class Said {
  readonly parts = new Set<string>();
  readonly text: string;

  constructor(value: Json, isAnyCase: boolean) {
    const texts: string[] = [];
    gather(value, 0, texts, (name) => this.parts.add(isAnyCase ? name.toLowerCase() : name));
    const text = texts.join('\n');
    this.text = isAnyCase ? text.toLowerCase() : text;
    for (const word of this.text.match(WORDS) ?? []) this.parts.add(word);
  }
}

function gather(value: Json, depth: number, texts: string[], named: (member: string) => void): void {
  if (typeof value === 'string') texts.push(value);
  else if (isArray(value)) for (const each of value) gather(each, depth + 1, texts, named);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      if (depth === 0 && ABOUT_ITSELF.has(name)) continue;
      if (depth > 0) named(name);
      gather(member, depth + 1, texts, named);
    }
}

const WORDS = /[\p{L}\p{N}_$-]+/gu;
const WORD = /^[\p{L}\p{N}_$-]+$/u;

/** What a definition says of itself and nothing runs: the text of its file holds the words of the format, too, such as `name`. */
const ABOUT_ITSELF: ReadonlySet<string> = new Set(['sourceText', 'description']);

/** Whether a text of a definition, or a member that is no setting of the definition itself, is or holds one of these words. */
export function says(value: Json, words: Words, depth = 0): boolean {
  if (typeof value === 'string') return words.areIn(value);
  if (isArray(value)) return value.some((each) => says(each, words, depth + 1));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, member]) =>
    depth === 0 ? !ABOUT_ITSELF.has(name) && says(member, words, 1) : words.has(name) || says(member, words, depth + 1),
  );
}

/** Adds the names of the definitions that say one of the words, or name one that does. */
export function withThoseThatSay(words: Words, entries: readonly Entry[]): Words {
  if (words.size === 0) return words;
  // Definitions may call one another in a row of thousands, so each is read once, and asked for new names alone.
  let left = entries.map((entry) => ({ entry, said: new Said(entry.value, words.isAnyCase) }));
  for (let fresh = words; fresh.size > 0; ) {
    const names = new Words([], words.isAnyCase);
    left = left.filter(({ entry, said }) => {
      if (!fresh.areSaidBy(said)) return true;
      for (const name of namesOf(entry)) if (!words.has(name)) names.add(name);
      return false;
    });
    for (const name of names) words.add(name);
    fresh = names;
  }
  return words;
}

/** By what a definition is named. */
export function namesOf({ id, value }: Entry): readonly string[] {
  const named = isObject(value) ? ['name', 'slug', 'id'].flatMap((name) => stringOf(value[name]) ?? []) : [];
  return [id, ...named];
}
