/** Where lists of these lengths, one behind the other, begin and end, counted from 1. */
export function endsOf(lengths: readonly number[]): readonly [readonly number[], readonly number[]] {
  let end = 0;
  const lasts = lengths.map((length) => {
    end += length;
    return end;
  });
  return [lasts.map((last, index) => last - (lengths[index] ?? 0) + 1), lasts];
}
