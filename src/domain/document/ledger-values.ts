import { type ExactNumber, isNumber, isObject, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { FieldModel, SchemaModel } from '../model.ts';
import { OWN_MEMBERS } from './evolve.ts';
import { isFollowedName } from './unfollowed.ts';

/** What a field with a ledger holds. */
export interface LedgerValue {
  readonly field: string;
  /** `null`: the field is a currency of its own. */
  readonly currency: string | null;
  readonly amount: number | ExactNumber;
}

/** The fields of a document that have a ledger, as they read: what the sum of their entries comes to. */
export function* ledgerValues({ root }: Pick<SchemaModel, 'root'>, document: JsonObject): Generator<LedgerValue> {
  if (root !== null) yield* valuesBelow(root, '', document);
}

function* valuesBelow(parent: FieldModel, prefix: string, members: JsonObject): Generator<LedgerValue> {
  for (const [name, field] of fieldsIn(parent, prefix, members)) {
    const path = prefix + name;
    const value = member(members, name);
    if (field.ledger && isNumber(value) && !OWN_MEMBERS.has(path)) yield { field: path, currency: field.currency, amount: value };
    if (field.ledgerBelow && isObject(value)) yield* valuesBelow(field, `${path}.`, value);
  }
}

function* fieldsIn({ tracked, properties, additional }: FieldModel, prefix: string, members: JsonObject) {
  yield* tracked;
  if (typeof additional !== 'object' || !(additional.ledger || additional.ledgerBelow)) return;
  for (const name in members) if (!properties?.has(name) && isFollowedName(prefix, name)) yield [name, additional] as const;
}
