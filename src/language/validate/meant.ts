import type { Finding, Known, MissingName } from '../../domain/finding.ts';
import type { FieldModel } from '../../domain/model.ts';
import { didYouMean } from '../../kernel/nearest.ts';

/** Suggestions for names that do not exist. */

/** Also knows the existing names. */
export interface KnownByName extends Known {
  /** The end of a sentence: `Did you mean 'wallet'?`. */
  suggestion(missing: MissingName): string | undefined;
  /** The fields of a collection's documents; `null`: nothing is said of them. */
  fields(collection: string): FieldModel | null;
}

/** So many comparisons of names take some ten milliseconds. Findings beyond them have no suggestion. */
const MAX_COMPARISONS = 20_000;

/** The suggestions for one push, or for one definition, within a bound of comparisons. */
export class Suggestions {
  #left = MAX_COMPARISONS;

  /** `count`: the number of `known` names. `undefined`: none is similar, or the bound is reached. */
  among(name: string, known: Iterable<string>, count: number): string | undefined {
    if (count > this.#left) return undefined;
    this.#left -= count;
    return didYouMean(name, known);
  }
}

/** `names`: the existing names of a kind. Each missing name is compared once. */
export function suggestionsAmong(names: (missing: MissingName) => readonly string[]): KnownByName['suggestion'] {
  const found = new Map<string, string | undefined>();
  const suggestions = new Suggestions();
  return (missing) => {
    const question = `${missing.kind} ${missing.name}`;
    if (found.has(question)) return found.get(question);
    const among = names(missing);
    const meant = suggestions.among(missing.name, among, among.length);
    found.set(question, meant);
    return meant;
  };
}

/** The findings, with a suggestion as their fix if an existing name is similar. */
export function withSuggestions(found: readonly Finding[], { suggestion }: KnownByName): readonly Finding[] {
  return found.map((finding) => {
    const fix = finding.missing === undefined ? undefined : suggestion(finding.missing);
    return fix === undefined ? finding : { ...finding, fix };
  });
}
