import type { NormalQuery } from '../../contract/resources/query.ts';
import { QUERY_SYNONYMS } from '../../contract/resources/synonyms.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { stringOf } from '../../kernel/json-read.ts';
import { type At, each, normaliser, object, orShort } from './form.ts';

/** The normal form of queries. In it every source, every column and every computed value is an object. */

const JOIN = object(QUERY_SYNONYMS.join);
const COLUMNS = each(orShort('path', (json) => typeof json === 'string', object(QUERY_SYNONYMS.column)));
const SOURCES = each(orShort('collectionId', (json) => stringOf(json) !== undefined, object(QUERY_SYNONYMS.source, { join: JOIN })));

const COMPUTED = object(QUERY_SYNONYMS.computedValue);

/** A list of computed values. A map names them, and an entry may be an expression alone. */
function computed(json: Json, at: At): Json {
  if (!isObject(json)) return each(COMPUTED)(json, at);
  return Object.entries(json).map(([name, value], index) => {
    const [pointer, source] = [`${at.pointer}/${index}`, `${at.source}/${name}`];
    at.moved.set(pointer, source);
    return COMPUTED(isObject(value) ? { name, ...value } : { name, expression: value }, { ...at, pointer, source });
  });
}

const QUERY = object(
  {},
  {
    sources: SOURCES,
    config: object(QUERY_SYNONYMS.config, {
      field: object(QUERY_SYNONYMS.metric),
      fields: COLUMNS,
      columns: COLUMNS,
      joins: each(JOIN),
      computed,
    }),
  },
);

/** The normal form of a query. */
export const normaliseQuery = normaliser<NormalQuery>(QUERY, (normal) => normal);
