import { z } from 'zod';
import { definition } from './definition.ts';
import { anyText, flag, json, list, map, number, numberThat, optional, text, type Written, wholeNumber, word } from './member.ts';
import { type Normal, QUERY_SYNONYMS, sameAs } from './synonyms.ts';

/** Queries: leaderboards and numbers over the documents of collections. */

export const QUERY_TYPES = ['leaderboard', 'count', 'sum', 'average', 'min', 'max'] as const;
const COUNT_CONDITIONS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'exists', 'not_exists'] as const;
const MAX_CACHE_SECONDS = 86_400;

const joinType = optional(word(['inner', 'left']), '`inner`: rows without a match are dropped.', {
  default: 'left',
  code: 'INVALID_JOIN_TYPE',
  expected: 'inner or left',
});

const { source: SOURCE, join: JOIN, column: COLUMN, config: CONFIG } = QUERY_SYNONYMS;

/** Members with which a join names its source. */
const ofSource = {
  index: optional(number, 'Which source it is of, by its place.'),
  sourceIndex: sameAs(JOIN, 'sourceIndex', number),
  source: optional(text, 'Which source it is of, by its name.'),
  as: sameAs(JOIN, 'as', text),
};

/** Members that match the rows of a source. */
const sides = {
  left: optional(text, 'Path in the row; its key when left out.'),
  local: sameAs(JOIN, 'local', text),
  localField: sameAs(JOIN, 'localField', text),
  from: sameAs(JOIN, 'from', text),
  right: optional(text, 'Path in the source’s document; its key when left out.'),
  foreign: sameAs(JOIN, 'foreign', text),
  foreignField: sameAs(JOIN, 'foreignField', text),
  to: sameAs(JOIN, 'to', text),
  on: optional(z.looseObject({ left: text, local: text, right: text, foreign: text }).partial(), '`{left, right}`, or `{local, foreign}`.'),
  required: optional(flag, 'Rows without a match are dropped.', { default: false }),
  many: optional(flag, 'All matches, as a list.', { default: false }),
  multiple: sameAs(JOIN, 'multiple', flag),
  cardinality: optional(text, '`many`: all matches, as a list.'),
};

export const join = z
  .looseObject({
    collectionId: optional(text, 'The other collection.'),
    sourceCollectionId: optional(text, 'The other collection, of a join that belongs to no source.'),
    alias: optional(text, 'Under which its document stands in the row. The collection’s id when left out.'),
    localKey: optional(text, 'Path in the row.'),
    foreignKey: optional(text, 'Path in the other document; its key when left out.'),
    type: joinType,
    ...ofSource,
    ...sides,
  })
  .meta({ id: 'Join', description: 'Puts a document of another collection into the row.' });

export const source = z
  .looseObject({
    collectionId: optional(text, 'The collection.'),
    collection: sameAs(SOURCE, 'collection', text),
    alias: optional(text, 'Its name, where there are several.'),
    as: sameAs(SOURCE, 'as', text),
    join: optional(
      z.looseObject({ type: joinType, ...sides }),
      'How it is attached to the first source. United with it by key when left out.',
      { code: 'INVALID_QUERY_JOINS', expected: 'an object', outer: map },
    ),
  })
  .meta({ id: 'Source', description: 'A collection that a query looks through.' });

/** A named value of a row: a path, an expression, a template or a fixed value. */
const rowValue = z.looseObject({
  name: optional(text, 'Its name in the answer.'),
  key: sameAs(COLUMN, 'key', text),
  id: sameAs(COLUMN, 'id', text),
  label: optional(anyText, 'What people call it.'),
  title: sameAs(COLUMN, 'title', anyText),
  path: optional(text, 'Path in the row.'),
  field: sameAs(COLUMN, 'field', text),
  expression: optional(text, 'What is computed.'),
  expr: sameAs(COLUMN, 'expr', text),
  valueExpression: sameAs(COLUMN, 'valueExpression', text),
  template: optional(text, 'A text with templates.'),
  value: optional(json, 'A fixed value.'),
});

export const column = rowValue
  .extend({
    source: sameAs(COLUMN, 'source', text),
    valuePath: sameAs(COLUMN, 'valuePath', text),
    outputPath: optional(text, 'Where its value stands in the answer.'),
  })
  .meta({ id: 'Column', description: 'What a row shows.' });

export const computedValue = rowValue
  .extend({
    targetPath: optional(text, 'Where its value stands in the row.'),
    default: optional(json, 'What it is where there is no value.'),
    defaultValue: sameAs(QUERY_SYNONYMS.computedValue, 'defaultValue', json),
  })
  .meta({ id: 'ComputedValue', description: 'A member that is computed for each row.' });

const columns = (description: string) =>
  optional(z.array(z.union([text, column])), description, { code: 'INVALID_QUERY_FIELDS', expected: 'a list', outer: list });
const computedValues = z.union([z.array(computedValue), z.record(z.string(), z.union([text, z.number(), computedValue]))]);
const computed = optional(computedValues, 'Members that are computed for each row: `{name, expression}`.');
const label = optional(anyText, 'What people call it.');

export const enrichment = z.looseObject({ fields: optional(list, 'What is wanted of the players.') });

export const queryConfig = z
  .strictObject({
    field: optional(z.union([text, map]), 'The number: a path, `gold`.'),
    expression: optional(text, 'The number as an expression: `{{gold}} + {{escrow}}`.'),
    valueExpression: sameAs(CONFIG, 'valueExpression', text),
    fieldExpression: sameAs(CONFIG, 'fieldExpression', text),
    fieldLabel: label,
    valueLabel: sameAs(CONFIG, 'valueLabel', anyText),
    order: optional(z.enum(['asc', 'desc']), 'Of a leaderboard.', {
      default: 'desc',
      code: 'INVALID_QUERY_ORDER',
      expected: 'asc or desc',
    }),
    limit: optional(wholeNumber(1, 1000), 'Rows of a leaderboard.', {
      default: 100,
      code: 'INVALID_QUERY_LIMIT',
      expected: 'a number from 1 to 1000',
    }),
    fields: columns('Columns that stand before those of `columns`.'),
    columns: columns('What a leaderboard shows. Without any it shows whole documents.'),
    condition: optional(z.enum(COUNT_CONDITIONS), 'Of a `count`: which rows count.', {
      code: 'INVALID_COUNT_CONDITION',
      expected: COUNT_CONDITIONS.join(', '),
    }),
    conditionValue: optional(json, 'What they are compared with.'),
    joins: optional(z.array(join), 'Documents of other collections.', { code: 'INVALID_QUERY_JOINS', expected: 'a list', outer: list }),
    computed,
    computedFields: sameAs(CONFIG, 'computedFields', computedValues),
    computations: sameAs(CONFIG, 'computations', computedValues),
    calculations: sameAs(CONFIG, 'calculations', computedValues),
    enrichment: optional(enrichment, '`{fields: [playerProfile]}`: what is known of the players.'),
    around: optional(json, 'Kept for editors: the request says how many rows around a player.'),
    label,
    title: sameAs(CONFIG, 'title', anyText),
    description: optional(anyText, 'For people.'),
    notes: optional(json, 'For people.'),
  })
  .meta({ id: 'QueryConfig', description: 'What a query computes and shows.' });

export const queryCache = z
  .strictObject({
    ttlSeconds: optional(numberThat(z.number().min(0).max(MAX_CACHE_SECONDS)), 'Seconds for which an answer may be kept.', {
      default: 300,
      code: 'INVALID_CACHE_TTL',
      expected: `seconds from 0 to ${MAX_CACHE_SECONDS}`,
    }),
    enabled: optional(flag, 'Kept for editors.'),
    notes: optional(json, 'For people.'),
  })
  .meta({ id: 'QueryCache', description: 'How long an answer may be kept.' });

export const query = definition('Query', 'A leaderboard, or a number, over the documents of collections.', {
  type: optional(word(QUERY_TYPES), 'What it answers.', {
    default: 'leaderboard',
    code: 'INVALID_QUERY_TYPE',
    expected: QUERY_TYPES.join(', '),
  }),
  sources: optional(z.array(z.union([text, source])).min(1), 'The collections that it looks through: `[{collectionId: heroes}]`.'),
  config: optional(queryConfig, 'What it computes and shows.', { code: 'INVALID_QUERY_CONFIG', expected: 'an object', outer: map }),
  cache: optional(queryCache, 'How long an answer may be kept.', { code: 'INVALID_CACHE_TTL', expected: 'an object', outer: map }),
  requiresSecretKey: optional(flag, 'For servers only.', { default: false, code: 'INVALID_FLAG', expected: 'true or false' }),
  enabled: optional(flag, 'Kept for editors.', { default: true, code: 'INVALID_FLAG', expected: 'true or false' }),
});

/** Queries and their parts under normal names, as `language/normal` makes them. Values are as written: nothing is checked. */
export type NormalQuery = Omit<Written<typeof query>, 'config'> & { readonly config?: NormalConfig };
export type NormalConfig = Normal<typeof queryConfig, (typeof QUERY_SYNONYMS)['config']>;
export type NormalSource = Normal<typeof source, (typeof QUERY_SYNONYMS)['source']>;
export type NormalJoin = Normal<typeof join, (typeof QUERY_SYNONYMS)['join']>;
export type NormalColumn = Normal<typeof column, (typeof QUERY_SYNONYMS)['column']>;
export type NormalComputed = Normal<typeof computedValue, (typeof QUERY_SYNONYMS)['computedValue']>;
/** Members that say what a value is. */
export type NormalValue = Pick<NormalComputed, 'expression' | 'template' | 'path' | 'value'>;
