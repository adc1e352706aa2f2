import fc from 'fast-check';
import { namesIn } from '../../../src/contract/resources/member.ts';
import { column, computedValue, join, queryConfig, source } from '../../../src/contract/resources/query.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';

/** Queries under all names of their members, some of them several at once, and with values that do not fit. */

const value = fc.constantFrom<Json>('gold', 'a.b', '', ' ', 5, null, '{{gold}}', 'key', 'many', true);

/** An object with some of these members. */
function some(members: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> {
  return fc
    .record({ ...members }, { requiredKeys: [] })
    .map((made) => Object.fromEntries(Object.entries(made).flatMap(([name, each]) => (each === undefined ? [] : [[name, each]]))));
}

function membersOf(schema: Parameters<typeof namesIn>[0]) {
  return Object.fromEntries(namesIn(schema).map((name) => [name, value]));
}

const few = (each: fc.Arbitrary<Json>) => fc.array(each, { maxLength: 2 });
const shown = fc.oneof(value, some(membersOf(column)));
const calculated = fc.oneof(value, some(membersOf(computedValue)));
const computed = fc.oneof(value, few(calculated), fc.dictionary(fc.constantFrom('x', 'y'), calculated));
const attached = some({ ...membersOf(join), on: some({ left: value, local: value, right: value, foreign: value }) });
const config = some({
  ...membersOf(queryConfig),
  field: fc.oneof(value, calculated),
  fields: few(shown),
  columns: few(shown),
  joins: few(attached),
  computed,
  computedFields: computed,
  computations: computed,
  calculations: computed,
});

export const queries: fc.Arbitrary<JsonObject> = some({
  type: fc.constantFrom<Json>('leaderboard', 'sum', 'max', 'count'),
  sources: few(fc.oneof(value, some({ ...membersOf(source), join: attached }))),
  config,
});
