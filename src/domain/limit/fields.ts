import { type field as fieldSchema, GROWTH_SETTINGS } from '../../contract/resources/field.ts';
import type { Written } from '../../contract/resources/member.ts';
import type { WindowName } from '../../contract/resources/rate-limits.ts';
import { numberOf } from '../../kernel/json-read.ts';
import type { CollectionModel, RuleModel } from '../model.ts';

/** Settings of a field that limit its growth, with their windows. */
const WINDOW_OF = {
  _maxPerMin: 'perMinute',
  _maxPerHour: 'perHour',
  _maxPerDay: 'perDay',
  _maxPerWeek: 'perWeek',
  _maxPerYear: 'perYear',
} as const satisfies Readonly<Record<(typeof GROWTH_SETTINGS)[number], WindowName>>;

/** An id that no pushed rule can have. */
const RULE_ID = '@field';

/** The windows in which a field's definition limits its growth. */
export function growthWindows(field: Written<typeof fieldSchema>): RuleModel['windows'] {
  return GROWTH_SETTINGS.flatMap((setting) => {
    const window = WINDOW_OF[setting];
    const limit = numberOf(field[setting]) ?? 0;
    return limit > 0 ? [{ window, limit }] : [];
  });
}

const known = new WeakMap<CollectionModel, readonly RuleModel[]>();

/** The limits of a collection's fields as rules: per player, with the action `reject`. They count like other rules. */
export function fieldRules(collection: CollectionModel): readonly RuleModel[] {
  const found = known.get(collection);
  if (found !== undefined) return found;
  const rules = collection.schema.growth.map(({ path, windows }): RuleModel => {
    const name = `${collection.id}.${path}`;
    const about = { id: RULE_ID, name, since: 0, collection: collection.id, exact: true, field: path };
    return { ...about, scope: 'per_player', action: 'reject', windows };
  });
  known.set(collection, rules);
  return rules;
}
