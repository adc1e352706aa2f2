import { isArray, isNumber, isObject, type Json, type JsonObject, toDouble } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { member } from '../../../kernel/path.ts';
import { firstText, listOf, objectOf } from '../read.ts';
import { expressionFindings } from './expression.ts';
import { type Findings, isFlag, isMap, isText, isWhole, oneOf } from './finding.ts';

/** Queries (management 20; runtime-storage 16). What a run would fail with, and what it would silently take for something else. */

const TYPES = ['leaderboard', 'count', 'sum', 'average', 'min', 'max'] as const;
const CONDITIONS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'exists', 'not_exists'] as const;
const EXPRESSIONS = ['valueExpression', 'fieldExpression', 'expression'] as const;
const METRICS = ['field', ...EXPRESSIONS] as const;
const COLUMN_TEXTS = ['path', 'field', 'source', 'valuePath', 'expression', 'expr', 'valueExpression', 'template', 'name', 'key', 'id'];
/** How a join says which source it is of. */
const OF_SOURCE = ['index', 'sourceIndex', 'source', 'alias', 'as', 'collectionId', 'sourceCollectionId'] as const;
const MAX_TTL = 86_400;
const CONFIG: ReadonlySet<string> = new Set([
  ...[...METRICS, 'fieldLabel', 'valueLabel', 'order', 'limit', 'fields', 'columns', 'condition', 'conditionValue', 'joins'],
  ...['computed', 'computedFields', 'computations', 'calculations', 'enrichment', 'around', 'label', 'title', 'description', 'notes'],
]);
const CACHE: ReadonlySet<string> = new Set(['ttlSeconds', 'enabled', 'notes']);

/** What a query says and no run reads. */
function unknownMembers(object: JsonObject, known: ReadonlySet<string>, path: string, findings: Findings): void {
  for (const name of Object.keys(object)) {
    if (known.has(name)) continue;
    findings.add('UNKNOWN_QUERY_MEMBER', `${path}/${name}`, `A query does nothing with '${name}' here.`, didYouMean(name, known));
  }
}

export function queryFindings(definition: JsonObject, findings: Findings): void {
  findings.member(definition, 'type', '', oneOf(...TYPES), 'INVALID_QUERY_TYPE', TYPES.join(', '));
  for (const flag of ['requiresSecretKey', 'enabled']) findings.member(definition, flag, '', isFlag, 'INVALID_FLAG', 'true or false');
  sourcesFindings(definition, findings);
  findings.member(definition, 'config', '', isMap, 'INVALID_QUERY_CONFIG', 'an object');
  configFindings(definition, objectOf(member(definition, 'config')), findings);
  findings.member(definition, 'cache', '', isMap, 'INVALID_CACHE_TTL', 'an object');
  const cache = objectOf(member(definition, 'cache'));
  unknownMembers(cache, CACHE, '/cache', findings);
  findings.member(cache, 'ttlSeconds', '/cache', isTtl, 'INVALID_CACHE_TTL', `seconds from 0 to ${MAX_TTL}`);
}

function isTtl(value: Json): boolean {
  const seconds = isNumber(value) ? toDouble(value) : Number.NaN;
  return seconds >= 0 && seconds <= MAX_TTL;
}

function sourcesFindings(definition: JsonObject, findings: Findings): void {
  const sources = member(definition, 'sources');
  if (!isArray(sources) || sources.length === 0) {
    findings.add('QUERY_SOURCES_REQUIRED', '/sources', 'A query needs a list of sources.', 'Such as [{collectionId: players}].');
    return;
  }
  const aliases = new Set<string>();
  for (const [index, raw] of sources.entries()) {
    const path = `/sources/${index}`;
    const source = typeof raw === 'string' ? { collectionId: raw } : objectOf(raw);
    const collection = firstText(source, 'collectionId', 'collection');
    if (collection === undefined) {
      findings.add('SOURCE_COLLECTION_REQUIRED', path, `A source needs a 'collectionId'.`);
      continue;
    }
    collectionFinding(collection, path, findings);
    const alias = firstText(source, 'alias', 'as') ?? collection;
    if (aliases.has(alias)) findings.add('DUPLICATE_SOURCE_ALIAS', path, `Another source is called '${alias}'.`, `Give it an 'alias'.`);
    aliases.add(alias);
    findings.member(source, 'join', path, isMap, 'INVALID_QUERY_JOINS', 'an object');
    joinTypeFinding(objectOf(member(source, 'join')), `${path}/join`, findings);
  }
}

function configFindings(definition: JsonObject, config: JsonObject, findings: Findings): void {
  const type = firstText(definition, 'type')?.toLowerCase() ?? 'leaderboard';
  if (type !== 'count' && !hasMetric(config)) {
    findings.add('QUERY_FIELD_REQUIRED', '/config/field', `A query of this type needs a 'field' or an expression to take its number from.`);
  }
  const at = '/config';
  unknownMembers(config, CONFIG, at, findings);
  findings.member(config, 'limit', at, (value) => isWhole(value, 1, 1000), 'INVALID_QUERY_LIMIT', 'a number from 1 to 1000');
  findings.member(config, 'order', at, (value) => value === 'asc' || value === 'desc', 'INVALID_QUERY_ORDER', 'asc or desc');
  if (type === 'count') {
    const known = (value: Json) => CONDITIONS.some((word) => word === value);
    findings.member(config, 'condition', at, known, 'INVALID_COUNT_CONDITION', CONDITIONS.join(', '));
  }
  for (const name of EXPRESSIONS) expressionFindings(member(config, name), `${at}/${name}`, findings);
  for (const name of ['fields', 'columns'] as const) columnsFindings(config, name, findings);
  if (type === 'leaderboard') wholeDocumentsFinding(definition, config, findings);
  joinsFindings(config, findings);
}

/** A board without columns answers the documents whole, those of collections that are closed to games too (runtime-storage 16.5). */
function wholeDocumentsFinding(definition: JsonObject, config: JsonObject, findings: Findings): void {
  if (member(definition, 'requiresSecretKey') === true || ['fields', 'columns'].some((name) => member(config, name) !== undefined)) return;
  findings.add(
    'WHOLE_DOCUMENTS',
    '/config/columns',
    'Without columns every player sees whole documents, and rows that come to more than one answer holds are refused.',
    `Name the 'columns' that may be seen.`,
  );
}

function hasMetric(config: JsonObject): boolean {
  return METRICS.some((name) => isText(member(config, name))) || isObject(member(config, 'field') ?? null);
}

function columnsFindings(config: JsonObject, name: 'fields' | 'columns', findings: Findings): void {
  findings.member(config, name, '/config', isArray, 'INVALID_QUERY_FIELDS', 'a list');
  for (const [index, column] of listOf(member(config, name)).entries()) {
    if (isText(column) || firstText(objectOf(column), ...COLUMN_TEXTS) !== undefined) continue;
    findings.add('INVALID_QUERY_FIELDS', `/config/${name}/${index}`, 'A column is a path, or an object with one.');
  }
}

function joinsFindings(config: JsonObject, findings: Findings): void {
  findings.member(config, 'joins', '/config', isArray, 'INVALID_QUERY_JOINS', 'a list');
  for (const [index, raw] of listOf(member(config, 'joins')).entries()) {
    const path = `/config/joins/${index}`;
    if (!isObject(raw)) {
      findings.add('INVALID_QUERY_JOINS', path, 'A join must be an object.');
      continue;
    }
    joinFindings(raw, path, findings);
  }
}

/** Of a source, which has keys of its own to fall back on; or of a collection that it brings, found by a key of the row. */
function joinFindings(join: JsonObject, path: string, findings: Findings): void {
  joinTypeFinding(join, path, findings);
  const collection = firstText(join, 'sourceCollectionId', 'collectionId');
  if (collection !== undefined) collectionFinding(collection, path, findings);
  if (OF_SOURCE.every((name) => firstText(join, name) === undefined)) {
    findings.add('JOIN_COLLECTION_REQUIRED', path, `A join needs a 'collectionId', or the source that it is of.`);
  }
  const brings = firstText(join, 'sourceCollectionId', 'foreignKey') !== undefined;
  if (brings && firstText(join, 'localKey') === undefined) findings.add('JOIN_KEY_REQUIRED', path, `This join needs a 'localKey'.`);
}

function joinTypeFinding(join: JsonObject, path: string, findings: Findings): void {
  findings.member(join, 'type', path, oneOf('inner', 'left'), 'INVALID_JOIN_TYPE', 'inner or left');
}

function collectionFinding(collection: string, path: string, findings: Findings): void {
  if (findings.known.collection(collection)) return;
  findings.add('COLLECTION_NOT_FOUND', path, `There is no collection '${collection}', so it gives no rows.`);
}
