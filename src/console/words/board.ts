import { pointerNames } from './pointer.ts';

/** Leaderboards in words. */

interface Ranked {
  readonly rank: number;
  readonly key: string;
  readonly value: number;
}

interface FieldChange {
  readonly path: string;
  readonly after?: unknown;
}

/** Whether a change of a document gave a field this value, by itself or with what holds it. Paths of changes are JSON pointers. */
export function isSetBy({ fields }: { readonly fields?: readonly FieldChange[] | undefined }, field: string, value: number): boolean {
  const wanted = field.split('.');
  return (fields ?? []).some(({ path, after }) => {
    const changed = pointerNames(path);
    const holds = changed.every((name, place) => name === wanted[place]);
    return holds && wanted.slice(changed.length).reduce<unknown>((at, name) => Object(at)[name], after) === value;
  });
}

/** Which values come first, as the rows show; `null`: all are equal. */
export function orderOf(rows: readonly Ranked[]): 'highest' | 'lowest' | null {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined || first.value === last.value) return null;
  return first.value > last.value ? 'highest' : 'lowest';
}

/** Why a row stands where it does between its neighbours. */
export function whyRanked(rows: readonly Ranked[], key: string): readonly string[] {
  const place = rows.findIndex((row) => row.key === key);
  const row = rows[place];
  if (row === undefined) return [];
  const [above, below] = [place === 0 ? undefined : rows[place - 1], rows[place + 1]];
  return [
    above === undefined ? 'No row stands above it.' : beside(above, row, 'above'),
    below === undefined ? 'No row stands below it.' : beside(below, row, 'below'),
  ];
}

function beside(other: Ranked, { value }: Ranked, side: 'above' | 'below'): string {
  const stands = `${other.key} stands ${side} it, as number ${other.rank},`;
  if (other.value !== value) return `${stands} with ${other.value}.`;
  return `${stands} with the same value: ${other.key} came to it ${side === 'above' ? 'earlier' : 'later'}, and of equal values the one that was reached first stands first.`;
}
