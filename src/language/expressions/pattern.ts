import { LanguageError } from './errors.ts';
import { compileRegex, type Regex } from './regex.ts';
import type { Eval, Scope } from './scope.ts';
import { toText, type Value } from './value.ts';

export const MAX_PATTERN = 200;
export const MAX_SUBJECT = 2000;
/** Compiled patterns kept for one place of a definition. */
const MAX_CACHED = 16;
/** Visiting eight states (two to this power) costs one unit of work. */
const VISITS_SHIFT = 3;
/** Cost of compiling a pattern, so that a loop cannot compile without end. */
const COMPILE_COST = 10_000;

/** An unanchored search for an author's pattern. Each pattern is compiled once. */
export function compilePattern(pattern: Eval): (scope: Scope, subject: Value) => boolean {
  const cache = new Map<string, Regex>();
  return (scope, subject) => {
    const written = toText(scope.context.plain(pattern(scope)));
    const text = toText(scope.context.plain(subject));
    if (text.length > MAX_SUBJECT) throw new LanguageError(`A pattern is matched against at most ${MAX_SUBJECT} characters.`);
    const regex = cache.get(written) ?? remember(cache, written, scope);
    const { found, visits } = regex.search(text);
    scope.context.spend(1 + (visits >> VISITS_SHIFT));
    return found;
  };
}

function remember(cache: Map<string, Regex>, written: string, scope: Scope): Regex {
  if (written.length > MAX_PATTERN) throw new LanguageError(`A pattern may have at most ${MAX_PATTERN} characters.`);
  scope.context.spend(COMPILE_COST);
  const regex = compileRegex(written);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(written, regex);
  return regex;
}
