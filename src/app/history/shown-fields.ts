import type * as contract from '../../contract/answers.ts';
import type { Difference } from '../../domain/correction/differences.ts';
import type { Json } from '../../kernel/json.ts';
import { isLargerThan } from '../../kernel/json-size.ts';

/** What fields were and became, as commits show it. */

type Touched = contract.Commits['commits'][number]['documents'][number];
export type ShownField = NonNullable<Touched['fields']>[number];

/** How long a value of a document may be. */
const FIELD_BYTES = 80;

/** The first of them, and how many there are besides. */
export function firstFields(fields: readonly ShownField[], most: number): Pick<Touched, 'fields' | 'more'> {
  if (fields.length === 0) return {};
  return { fields: fields.slice(0, most), ...(fields.length > most ? { more: fields.length - most } : {}) };
}

/** `bytes`: how long a value may be that is told. */
export function shownFields(differences: readonly Difference[], most: number, bytes = FIELD_BYTES): Pick<Touched, 'fields' | 'more'> {
  return firstFields(
    differences.map((each) => changedField(each, bytes)),
    most,
  );
}

/** What was there before is not known. */
export function became([path, value]: readonly [string, Json], bytes = FIELD_BYTES): ShownField {
  return { path, ...(isLargerThan(value, bytes) ? {} : { value }) };
}

function changedField({ path, from = null, to = null }: Difference, bytes: number): ShownField {
  return { ...became([path, to], bytes), ...(isLargerThan(from, bytes) ? {} : { before: from }) };
}
