import { didYouMean } from '../../../kernel/nearest.ts';
import type { Finding, Known, MissingName } from './finding.ts';

/** What was probably meant by a name that is not there. */

/** Knows the names that there are, too. */
export interface KnownByName extends Known {
  /** The end of a sentence: `Did you mean 'wallet'?`. */
  meant(missing: MissingName): string | undefined;
}

/** Comparisons of names for the findings of one push. They take some ten milliseconds; what comes after has no suggestion. */
const MAX_COMPARISONS = 20_000;

/** `names`: what there is of the kind of the missing name. Each name is looked for once. */
export function meantAmong(names: (missing: MissingName) => readonly string[]): KnownByName['meant'] {
  const found = new Map<string, string | undefined>();
  let left = MAX_COMPARISONS;
  return (missing) => {
    const question = `${missing.kind} ${missing.name}`;
    if (found.has(question)) return found.get(question);
    const among = names(missing);
    if (among.length > left) return undefined;
    left -= among.length;
    const meant = didYouMean(missing.name, among);
    found.set(question, meant);
    return meant;
  };
}

/** The findings, with what was meant as their fix where something is near. */
export function suggesting(found: readonly Finding[], { meant }: KnownByName): readonly Finding[] {
  return found.map((finding) => {
    const fix = finding.missing === undefined ? undefined : meant(finding.missing);
    return fix === undefined ? finding : { ...finding, fix };
  });
}
