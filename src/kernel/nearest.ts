/** Most edits: letters that differ, are missing, are added, or are swapped with a neighbour. */
const MAX_ERRORS = 2;
/** Longer words are not looked up, because the search would take long and nobody types them by hand. */
const MAX_LENGTH = 64;

/** The known word nearest to `word`, or `undefined` if none is near. Letter case and separators do not count. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const wanted = plain(word);
  let best: string | undefined;
  let least = Math.min(MAX_ERRORS, Math.floor(wanted.length / 3)) + 1;
  for (const each of known) {
    if (each === word || Math.abs(each.length - word.length) > MAX_ERRORS + 1) continue;
    const errors = distance(wanted, plain(each), least);
    if (errors < least) [best, least] = [each, errors];
  }
  return best;
}

/** {@link nearest} as the end of a sentence. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const meant = nearest(word, known);
  return meant === undefined ? undefined : `Did you mean '${meant}'?`;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, '');
}

/** Number of edits between two words; two swapped letters count as one. `limit` if there are that many or more. */
function distance(a: string, b: string, limit: number): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const other = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + other);
      next.push(swapped ? Math.min(least, (before[j - 2] ?? 0) + 1) : least);
    }
    if (Math.min(...next) >= limit) return limit;
    [before, row] = [row, next];
  }
  return row[b.length] ?? limit;
}
