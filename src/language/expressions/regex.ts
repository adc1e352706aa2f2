import { LanguageError } from './errors.ts';
import { type Char, parseRegex, type Regexp } from './regex-parser.ts';

/**
 * A regular-expression search whose time is bounded by pattern × text, whatever the pattern. JavaScript's own engine backtracks: a pattern
 * such as `(a|a)*b` hangs the process, and no check finds all such patterns. This one keeps the set of states that the text so far can lead
 * to (Thompson's construction), so it has no back-references and no look-around.
 */
export interface Regex {
  test(text: string): boolean;
  /** Also returns the number of visited states, which is the search's cost. Throws a {@link LanguageError} if there are too many. */
  search(text: string): { readonly found: boolean; readonly visits: number };
}

const MAX_STATES = 2000;
/** Most states that one search visits. This is about the 50 ms that a pattern may take, bounded without a clock. */
export const MAX_VISITS = 1_000_000;
/** Most build steps. Nested repetitions of nothing, such as `((){999}){999}`, add no state, so the bound on states does not stop them. */
const MAX_BUILDS = 20_000;

type State =
  | { readonly kind: 'char'; readonly matches: Char; next: number }
  | { readonly kind: 'assert'; readonly holds: Assertion; next: number }
  | { readonly kind: 'split'; next: number; other: number }
  | { readonly kind: 'match' };

type Assertion = (text: string, at: number) => boolean;

/** Throws a {@link LanguageError} if the text is not a valid pattern, or uses syntax that is not supported. */
export function compileRegex(source: string): Regex {
  const builder = new Builder();
  const start = builder.build(parseRegex(source), builder.push({ kind: 'match' }));
  const find = (text: string) => new Search(builder.states, text).from(start);
  return { test: (text) => find(text).found, search: find };
}

class Builder {
  readonly states: State[] = [];
  private builds = 0;

  push(state: State): number {
    if (this.states.length >= MAX_STATES) throw new LanguageError('Pattern is too large.');
    this.states.push(state);
    return this.states.length - 1;
  }

  /** Adds the states of `node` in front of state `next`, and returns the first of them. */
  build(node: Regexp, next: number): number {
    this.builds += 1;
    if (this.builds > MAX_BUILDS) throw new LanguageError('Pattern is too large.');
    switch (node.kind) {
      case 'char':
        return this.push({ kind: 'char', matches: node.matches, next });
      case 'assert':
        return this.push({ kind: 'assert', holds: node.holds, next });
      case 'sequence':
        return node.items.reduceRight((after, item) => this.build(item, after), next);
      case 'choice':
        return node.options.map((option) => this.build(option, next)).reduce((a, b) => this.push({ kind: 'split', next: a, other: b }));
      case 'repeat':
        return this.repeat(node, next);
    }
  }

  private repeat(node: Extract<Regexp, { kind: 'repeat' }>, next: number): number {
    let first = node.max === Number.POSITIVE_INFINITY ? this.loop(node.item, next) : this.optional(node, next);
    for (let turn = 0; turn < node.min; turn += 1) first = this.build(node.item, first);
    return first;
  }

  private loop(item: Regexp, next: number): number {
    const split: Extract<State, { kind: 'split' }> = { kind: 'split', next, other: next };
    const first = this.push(split);
    split.next = this.build(item, first);
    return first;
  }

  private optional(node: Extract<Regexp, { kind: 'repeat' }>, next: number): number {
    let first = next;
    for (let turn = node.min; turn < node.max; turn += 1) {
      first = this.push({ kind: 'split', next: this.build(node.item, first), other: next });
    }
    return first;
  }
}

class Search {
  visits = 0;
  readonly #states: readonly State[];
  readonly #text: string;
  /** By state: one more than the position where it was seen last. */
  readonly #seen: Uint32Array;

  constructor(states: readonly State[], text: string) {
    this.#states = states;
    this.#text = text;
    this.#seen = new Uint32Array(states.length);
  }

  from(start: number): { readonly found: boolean; readonly visits: number } {
    return { found: this.#found(start), visits: this.visits };
  }

  #found(start: number): boolean {
    let current: number[] = [];
    for (let at = 0; at <= this.#text.length; at += 1) {
      const active: number[] = [];
      for (const state of current) if (this.#reach(state, at, active)) return true;
      if (this.#reach(start, at, active)) return true;
      if (this.visits > MAX_VISITS) throw new LanguageError('Pattern matching takes too long.');
      current = this.#consume(active, this.#text.charCodeAt(at));
    }
    return false;
  }

  /** Collects the character states reachable from `from` without reading. True if a match is among them. */
  #reach(from: number, at: number, active: number[]): boolean {
    const pending = [from];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      this.visits += 1;
      const state = this.#states[index];
      if (state === undefined || this.#seen[index] === at + 1) continue;
      this.#seen[index] = at + 1;
      if (state.kind === 'match') return true;
      if (state.kind === 'char') active.push(index);
      if (state.kind === 'split') pending.push(state.other, state.next);
      if (state.kind === 'assert' && state.holds(this.#text, at)) pending.push(state.next);
    }
    return false;
  }

  #consume(active: readonly number[], code: number): number[] {
    const next: number[] = [];
    for (const index of active) {
      const state = this.#states[index];
      if (state?.kind === 'char' && state.matches(code)) next.push(state.next);
    }
    return next;
  }
}
