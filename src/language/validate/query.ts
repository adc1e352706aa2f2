import { namesIn } from '../../contract/resources/member.ts';
import type { NormalColumn, NormalConfig, NormalJoin, NormalQuery, NormalSource } from '../../contract/resources/query.ts';
import { column, computedValue, enrichment, join, query, queryCache, queryConfig, source } from '../../contract/resources/query.ts';
import { type Findings, isTemplated, isText } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { firstText, listOf, objectOf, stringOf } from '../../kernel/json-read.ts';
import { expressionFindings } from './expression.ts';
import { documentsOf, pathFinding } from './fields.ts';
import { Suggestions } from './meant.ts';
import { unknownMembers } from './members.ts';
import { orderFindings } from './order.ts';
import { RowNames } from './row-names.ts';
import { TokenWalk } from './token-walk.ts';

/** Findings for queries: what makes a run fail, and what a run silently reads differently. */

const METRICS = ['field', 'expression'] as const;
const COLUMN_TEXTS = ['path', 'expression', 'template', 'name'] as const;
/** Members by which a join names its source. */
const OF_SOURCE = ['index', 'source', 'alias', 'collectionId', 'sourceCollectionId'] as const;

const UNKNOWN = 'UNKNOWN_QUERY_MEMBER';
const COLUMN_NAMES = [...namesIn(column), 'description', 'notes'];
const COMPUTED_NAMES = [...namesIn(computedValue), 'description', 'notes'];

export function queryFindings(definition: NormalQuery, findings: Findings): void {
  findings.structure(query, definition, '', 'type', 'requiresSecretKey', 'enabled');
  sourcesFindings(definition, findings);
  findings.structure(query, definition, '', 'config');
  configFindings(definition, objectOf(definition.config), findings);
  findings.structure(query, definition, '', 'cache');
  const cache = objectOf(definition.cache);
  unknownMembers(cache, namesIn(queryCache), UNKNOWN, '/cache', findings);
  findings.structure(queryCache, cache, '/cache', 'ttlSeconds');
}

function sourcesFindings({ sources }: NormalQuery, findings: Findings): void {
  if (!isArray(sources) || sources.length === 0) {
    findings.add('QUERY_SOURCES_REQUIRED', '/sources', 'A query needs a list of sources.', 'Such as [{collectionId: players}].');
    return;
  }
  const aliases = new Set<string>();
  for (const [index, raw] of sources.entries()) {
    const pointer = `/sources/${index}`;
    const one: NormalSource = objectOf(raw);
    const collection = stringOf(one.collectionId);
    if (collection === undefined) {
      findings.add('SOURCE_COLLECTION_REQUIRED', pointer, `A source needs a 'collectionId'.`);
      continue;
    }
    collectionFinding(collection, pointer, findings);
    const alias = stringOf(one.alias) ?? collection;
    if (aliases.has(alias)) findings.add('DUPLICATE_SOURCE_ALIAS', pointer, `Another source is called '${alias}'.`, `Give it an 'alias'.`);
    aliases.add(alias);
    findings.structure(source, one, pointer, 'join');
    unknownMembers(one, namesIn(source), UNKNOWN, pointer, findings);
    joinMembers(objectOf(one.join), `${pointer}/join`, findings);
  }
}

function configFindings(definition: NormalQuery, config: NormalConfig, findings: Findings): void {
  const type = stringOf(definition.type)?.toLowerCase() ?? 'leaderboard';
  if (type !== 'count' && !hasMetric(config)) {
    findings.add('QUERY_FIELD_REQUIRED', '/config/field', `A query of this type needs a 'field' or an expression to take its number from.`);
  }
  const at = '/config';
  unknownMembers(config, namesIn(queryConfig), UNKNOWN, at, findings);
  unknownMembers(objectOf(config.enrichment), namesIn(enrichment), UNKNOWN, `${at}/enrichment`, findings);
  computedFindings(config.computed, `${at}/computed`, findings);
  findings.structure(queryConfig, config, at, 'limit', 'order');
  if (unreadIn(definition).length === 0) findings.structure(queryConfig, config, at, 'condition');
  const limit = { written: config.conditionValue ?? null, pointer: `${at}/conditionValue` };
  orderFindings(stringOf(config.condition) ?? '', { written: null, pointer: at }, limit, findings);
  expressionFindings(config.expression, `${at}/expression`, findings);
  for (const name of COLUMNS) columnsFindings(config, name, findings);
  if (type === 'leaderboard') wholeDocumentsFinding(definition, config, findings);
  joinsFindings(config, findings);
  rowFindings(definition, config, findings);
}

/** Pointers of members that a query of this type does not read. */
export function unreadIn({ type }: NormalQuery): readonly string[] {
  return stringOf(type)?.toLowerCase() === 'count' ? [] : ['/config/condition'];
}

/** Findings for fields in a query over one collection. With several collections, a path begins with an alias or a joined document. */
function rowFindings({ sources }: NormalQuery, config: NormalConfig, findings: Findings): void {
  const [only, ...others] = listOf(sources);
  const one: NormalSource = objectOf(only);
  const addsNames = config.joins !== undefined || config.computed !== undefined;
  const documents = documentsOf(stringOf(one.collectionId), findings);
  if (documents === null || others.length > 0 || one.join !== undefined || addsNames) return;
  const look = (path: Json | undefined, pointer: string) => {
    if (isText(path) && !OF_ROW.test(path)) pathFinding(documents, path, pointer, findings);
  };
  const walk = new TokenWalk(new RowNames(documents, findings), findings, new Suggestions(), []);
  walk.look(config.expression, '/config/expression', true);
  const { field } = config;
  if (isTemplated(field) || isObject(field)) walk.look(field, '/config/field', true);
  else if (!isText(config.expression)) look(field, '/config/field');
  for (const name of COLUMNS) {
    for (const [index, raw] of listOf(config[name]).entries()) {
      const written: NormalColumn = objectOf(raw);
      const at = `/config/${name}/${index}`;
      const computed = COMPUTED.filter((each) => Object.hasOwn(written, each));
      if (computed.length === 0) look(stringOf(written.path), at);
      for (const each of computed) walk.look(written[each], `${at}/${each}`, each !== 'template');
    }
  }
}

/** Members of a column whose text is computed. */
const COMPUTED = ['expression', 'template'] as const;

/** Names that a row has besides the fields of its document. */
const OF_ROW = /^(?:_|(?:key|values|playerProfile)(?:\.|$))/;

const COLUMNS = ['fields', 'columns'] as const;

/** The finding for a leaderboard without columns: it shows whole documents, even of collections that are closed to games. */
function wholeDocumentsFinding(definition: NormalQuery, config: NormalConfig, findings: Findings): void {
  if (definition.requiresSecretKey === true || COLUMNS.some((name) => config[name] !== undefined)) return;
  findings.add(
    'WHOLE_DOCUMENTS',
    '/config/columns',
    'Without columns every player sees whole documents, and rows that come to more than one answer holds are refused.',
    `Name the 'columns' that may be seen.`,
  );
}

function hasMetric(config: NormalConfig): boolean {
  return METRICS.some((name) => isText(config[name])) || isObject(config.field);
}

function columnsFindings(config: NormalConfig, name: (typeof COLUMNS)[number], findings: Findings): void {
  findings.structure(queryConfig, config, '/config', name);
  for (const [index, column] of listOf(config[name]).entries()) {
    const at = `/config/${name}/${index}`;
    unknownMembers(objectOf(column), COLUMN_NAMES, UNKNOWN, at, findings);
    if (firstText(objectOf(column), ...COLUMN_TEXTS) !== undefined) continue;
    findings.add('INVALID_QUERY_FIELDS', at, 'A column is a path, or an object with one.');
  }
}

/** Values that are computed for each row: a list, or a map by name. */
function computedFindings(written: Json | undefined, pointer: string, findings: Findings): void {
  if (!isArray(written) && !isObject(written)) return;
  for (const [name, each] of Object.entries(written))
    unknownMembers(objectOf(each), COMPUTED_NAMES, UNKNOWN, `${pointer}/${name}`, findings);
}

function joinMembers(written: NormalJoin, pointer: string, findings: Findings): void {
  unknownMembers(written, namesIn(join), UNKNOWN, pointer, findings);
  unknownMembers(objectOf(written.on), ['left', 'local', 'right', 'foreign'], UNKNOWN, `${pointer}/on`, findings);
  findings.structure(join, written, pointer, 'type');
}

function joinsFindings(config: NormalConfig, findings: Findings): void {
  findings.structure(queryConfig, config, '/config', 'joins');
  for (const [index, raw] of listOf(config.joins).entries()) {
    const pointer = `/config/joins/${index}`;
    if (!findings.expectObject(raw, 'INVALID_QUERY_JOINS', pointer, 'A join must be an object.')) continue;
    joinFindings(raw, pointer, findings);
  }
}

/** Findings for a join, which is with another source, or with a collection whose documents are found by a key in the row. */
function joinFindings(written: NormalJoin, pointer: string, findings: Findings): void {
  joinMembers(written, pointer, findings);
  const collection = stringOf(written.sourceCollectionId) ?? stringOf(written.collectionId);
  if (collection !== undefined) collectionFinding(collection, pointer, findings);
  if (OF_SOURCE.every((name) => stringOf(written[name]) === undefined)) {
    findings.add('JOIN_COLLECTION_REQUIRED', pointer, `A join needs a 'collectionId', or the source that it is of.`);
  }
  const brings = firstText(written, 'sourceCollectionId', 'foreignKey') !== undefined;
  if (brings && stringOf(written.localKey) === undefined) findings.add('JOIN_KEY_REQUIRED', pointer, `This join needs a 'localKey'.`);
}

function collectionFinding(collection: string, pointer: string, findings: Findings): void {
  if (findings.known.collection(collection)) return;
  const missing = { kind: 'collection', name: collection } as const;
  findings.addMissing('COLLECTION_NOT_FOUND', pointer, `There is no collection '${collection}', so it gives no rows.`, missing);
}
