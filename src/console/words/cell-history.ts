/** What a change of a group or table did to one cell. */

interface FieldChange {
  readonly label: string;
  /** Only the place of a row. */
  readonly moved?: true;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface ChangeOfValue {
  readonly change: string;
  readonly fields: readonly FieldChange[];
  readonly more?: number;
}

export interface CellSaid {
  readonly before: unknown;
  readonly after: unknown;
  /** `whole`: the group or table came or went with it. `hidden`: it may be among fields that are not listed. */
  readonly as: 'cell' | 'whole' | 'hidden';
}

/**
 * `null`: it did nothing to the cell. `label`: of the cell; `column`: of a table, whose rows come and go as a whole.
 */
export function cellChangeIn({ change, fields: all, more = 0 }: ChangeOfValue, label: string, column: string | null): CellSaid | null {
  const fields = all.filter(({ moved }) => moved !== true);
  if (change === 'none') return null;
  if (change !== 'change') return { before: undefined, after: undefined, as: 'whole' };
  const own = fields.find((field) => field.label === label);
  if (own !== undefined) return { before: own.before, after: own.after, as: 'cell' };
  const row = column === null ? undefined : fields.find((field) => label === `${field.label} › ${column}`);
  if (row !== undefined) return { before: memberOf(row.before, column), after: memberOf(row.after, column), as: 'cell' };
  const whole = fields.find((field) => field.label === 'rows' || field.label === 'entries' || field.label === '');
  return more > 0 || whole !== undefined ? { before: undefined, after: undefined, as: 'hidden' } : null;
}

function memberOf(row: unknown, column: string | null): unknown {
  if (typeof row !== 'object' || row === null || column === null) return undefined;
  return Object.entries(row).find(([name]) => name === column)?.[1];
}
