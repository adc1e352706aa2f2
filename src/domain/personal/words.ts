import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { stringOf } from '../../kernel/json-read.ts';
import type { Entry } from '../definition/model/overlay.ts';

/** Names that definitions may say, and which definitions say them, by themselves or through what they call. */
export class Words {
  readonly #names = new Set<string>();
  /** Those that are no words: looked for anywhere in a text. */
  readonly #odd: string[] = [];
  readonly #isAnyCase: boolean;

  /** `isAnyCase`: letter case does not count. */
  constructor(names: Iterable<string>, isAnyCase = false) {
    this.#isAnyCase = isAnyCase;
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

  /** Whether a text holds one of them. */
  areIn(text: string): boolean {
    const own = this.#cased(text);
    if (this.#odd.some((name) => own.includes(name))) return true;
    return (own.match(WORDS) ?? []).some((word) => this.#names.has(word));
  }

  #cased(text: string): string {
    return this.#isAnyCase ? text.toLowerCase() : text;
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
  for (let size = -1; size !== words.size; ) {
    size = words.size;
    for (const entry of entries) if (says(entry.value, words)) for (const name of namesOf(entry)) words.add(name);
  }
  return words;
}

/** By what a definition is named. */
export function namesOf({ id, value }: Entry): readonly string[] {
  const named = isObject(value) ? ['name', 'slug', 'id'].flatMap((name) => stringOf(value[name]) ?? []) : [];
  return [id, ...named];
}
