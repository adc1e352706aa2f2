import { pointerNames } from './pointer.ts';
import type { FieldSaid } from './publish.ts';
import { ENTRY, type NamedPlace } from './sheet.ts';

/** Which game values a publish changed, and where in them. */

/** Between the parts of a label. */
const WITHIN = ' › ';

interface FieldAt extends FieldSaid {
  readonly path: string;
  /** Only its place is another. */
  readonly moved?: boolean;
}

/** Groups and tables of game values that changed, by their names, each with the first cell or row of it that changed and is still there. */
export function changedValues(
  changes: readonly { readonly kind: string; readonly fields?: readonly FieldAt[] }[],
): ReadonlyMap<string, NamedPlace> {
  const fields = changes.flatMap(({ kind, fields = [] }) => (kind === 'game-values' ? fields : []));
  const found = new Map<string, NamedPlace>();
  for (const field of fields) {
    const [name = '', ...within] = field.label.split(WITHIN);
    const isGone = within.length === 0 && field.after === undefined;
    if (isGone) continue;
    if (found.get(name)?.row === undefined) found.set(name, placeOfField(field, within));
  }
  return found;
}

const HELD = /^\/items\/\d+\/(rows\/\d+|entries\/[^/]+)((?:\/[^/]+)*)$/;

/** `within`: its label without the name of what holds it. */
function placeOfField({ path, after, moved = false }: FieldAt, within: readonly string[]): NamedPlace {
  const [, holder, members = ''] = HELD.exec(path) ?? [];
  if (holder === undefined || after === undefined || moved) return {};
  const below = pointerNames(members);
  const row = within.slice(0, within.length - below.length).join(WITHIN);
  if (holder.startsWith('entries')) return { row, column: ENTRY.value };
  return { row, ...(below[0] === undefined ? {} : { column: below[0] }) };
}
