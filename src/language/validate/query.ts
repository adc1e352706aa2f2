import { namesIn, type Written } from '../../contract/resources/member.ts';
import { column, computedValue, enrichment, join, query, queryCache, queryConfig, source } from '../../contract/resources/query.ts';
import { type Findings, isTemplated, isText } from '../../domain/finding.ts';
import { PATH_NAMES } from '../../domain/query/columns.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { firstText, listOf, longForm, objectOf, stringOf } from '../../kernel/json-read.ts';
import { expressionFindings } from './expression.ts';
import { documentsOf, pathFinding } from './fields.ts';
import { Suggestions } from './meant.ts';
import { unknownMembers } from './members.ts';
import { orderFindings } from './order.ts';
import { RowNames } from './row-names.ts';
import { TokenWalk } from './token-walk.ts';

/** Findings for queries: what makes a run fail, and what a run silently reads differently. */

const EXPRESSIONS = ['valueExpression', 'fieldExpression', 'expression'] as const;
const METRICS = ['field', ...EXPRESSIONS] as const;
const COLUMN_TEXTS = ['path', 'field', 'source', 'valuePath', 'expression', 'expr', 'valueExpression', 'template', 'name', 'key', 'id'];
/** Members by which a join names its source. */
const OF_SOURCE = ['index', 'sourceIndex', 'source', 'alias', 'as', 'collectionId', 'sourceCollectionId'] as const;

const UNKNOWN = 'UNKNOWN_QUERY_MEMBER';
const COLUMN_NAMES = [...namesIn(column), 'description', 'notes'];
const COMPUTED_NAMES = [...namesIn(computedValue), 'description', 'notes'];
const COMPUTATIONS = ['computed', 'computedFields', 'computations', 'calculations'] as const;

export function queryFindings(definition: Written<typeof query>, findings: Findings): void {
  findings.structure(query, definition, '', 'type', 'requiresSecretKey', 'enabled');
  sourcesFindings(definition, findings);
  findings.structure(query, definition, '', 'config');
  configFindings(definition, objectOf(definition.config), findings);
  findings.structure(query, definition, '', 'cache');
  const cache = objectOf(definition.cache);
  unknownMembers(cache, namesIn(queryCache), UNKNOWN, '/cache', findings);
  findings.structure(queryCache, cache, '/cache', 'ttlSeconds');
}

function sourcesFindings({ sources }: Written<typeof query>, findings: Findings): void {
  if (!isArray(sources) || sources.length === 0) {
    findings.add('QUERY_SOURCES_REQUIRED', '/sources', 'A query needs a list of sources.', 'Such as [{collectionId: players}].');
    return;
  }
  const aliases = new Set<string>();
  for (const [index, raw] of sources.entries()) {
    const pointer = `/sources/${index}`;
    const one: Written<typeof source> = typeof raw === 'string' ? { collectionId: raw } : objectOf(raw);
    const collection = firstText(one, 'collectionId', 'collection');
    if (collection === undefined) {
      findings.add('SOURCE_COLLECTION_REQUIRED', pointer, `A source needs a 'collectionId'.`);
      continue;
    }
    collectionFinding(collection, pointer, findings);
    const alias = firstText(one, 'alias', 'as') ?? collection;
    if (aliases.has(alias)) findings.add('DUPLICATE_SOURCE_ALIAS', pointer, `Another source is called '${alias}'.`, `Give it an 'alias'.`);
    aliases.add(alias);
    findings.structure(source, one, pointer, 'join');
    unknownMembers(one, namesIn(source), UNKNOWN, pointer, findings);
    joinMembers(objectOf(one.join), `${pointer}/join`, findings);
  }
}

function configFindings(definition: Written<typeof query>, config: Written<typeof queryConfig>, findings: Findings): void {
  const type = stringOf(definition.type)?.toLowerCase() ?? 'leaderboard';
  if (type !== 'count' && !hasMetric(config)) {
    findings.add('QUERY_FIELD_REQUIRED', '/config/field', `A query of this type needs a 'field' or an expression to take its number from.`);
  }
  const at = '/config';
  unknownMembers(config, namesIn(queryConfig), UNKNOWN, at, findings);
  unknownMembers(objectOf(config.enrichment), namesIn(enrichment), UNKNOWN, `${at}/enrichment`, findings);
  for (const name of COMPUTATIONS) computedFindings(config[name], `${at}/${name}`, findings);
  findings.structure(queryConfig, config, at, 'limit', 'order');
  if (type === 'count') findings.structure(queryConfig, config, at, 'condition');
  const limit = { written: config.conditionValue ?? null, pointer: `${at}/conditionValue` };
  orderFindings(firstText(config, 'condition') ?? '', { written: null, pointer: at }, limit, findings);
  for (const name of EXPRESSIONS) expressionFindings(config[name], `${at}/${name}`, findings);
  for (const name of COLUMNS) columnsFindings(config, name, findings);
  if (type === 'leaderboard') wholeDocumentsFinding(definition, config, findings);
  joinsFindings(config, findings);
  rowFindings(definition, config, findings);
}

/** Findings for fields in a query over one collection. With several collections, a path begins with an alias or a joined document. */
function rowFindings({ sources }: Written<typeof query>, config: Written<typeof queryConfig>, findings: Findings): void {
  const [only, ...others] = listOf(sources);
  const one: Written<typeof source> = longForm(only, 'collectionId');
  const addsNames = ['joins', 'computedFields', 'computations', 'calculations', 'computed'].some((name) => Object.hasOwn(config, name));
  const documents = documentsOf(firstText(one, 'collectionId', 'collection'), findings);
  if (documents === null || others.length > 0 || one.join !== undefined || addsNames) return;
  const look = (path: Json | undefined, pointer: string) => {
    if (isText(path) && !OF_ROW.test(path)) pathFinding(documents, path, pointer, findings);
  };
  const walk = new TokenWalk(new RowNames(documents, findings), findings, new Suggestions(), []);
  for (const name of EXPRESSIONS) walk.look(config[name], `/config/${name}`, true);
  const { field } = config;
  if (isTemplated(field) || isObject(field)) walk.look(field, '/config/field', true);
  else if (!EXPRESSIONS.some((name) => isText(config[name]))) look(field, '/config/field');
  for (const name of COLUMNS) {
    for (const [index, raw] of listOf(config[name]).entries()) {
      const written: Written<typeof column> = longForm(raw, 'path');
      const at = `/config/${name}/${index}`;
      const computed = COMPUTED.filter((each) => Object.hasOwn(written, each));
      if (computed.length === 0) look(firstText(written, ...PATH_NAMES), at);
      for (const each of computed) walk.look(written[each], `${at}/${each}`, each !== 'template');
    }
  }
}

/** Members of a column whose text is computed. */
const COMPUTED = ['expression', 'expr', 'valueExpression', 'template'] as const;

/** Names that a row has besides the fields of its document. */
const OF_ROW = /^(?:_|(?:key|values|playerProfile)(?:\.|$))/;

const COLUMNS = ['fields', 'columns'] as const;

/** The finding for a leaderboard without columns: it shows whole documents, even of collections that are closed to games. */
function wholeDocumentsFinding(definition: Written<typeof query>, config: Written<typeof queryConfig>, findings: Findings): void {
  if (definition.requiresSecretKey === true || COLUMNS.some((name) => config[name] !== undefined)) return;
  findings.add(
    'WHOLE_DOCUMENTS',
    '/config/columns',
    'Without columns every player sees whole documents, and rows that come to more than one answer holds are refused.',
    `Name the 'columns' that may be seen.`,
  );
}

function hasMetric(config: Written<typeof queryConfig>): boolean {
  return METRICS.some((name) => isText(config[name])) || isObject(config.field);
}

function columnsFindings(config: Written<typeof queryConfig>, name: (typeof COLUMNS)[number], findings: Findings): void {
  findings.structure(queryConfig, config, '/config', name);
  for (const [index, column] of listOf(config[name]).entries()) {
    const at = `/config/${name}/${index}`;
    unknownMembers(objectOf(column), COLUMN_NAMES, UNKNOWN, at, findings);
    if (isText(column) || firstText(objectOf(column), ...COLUMN_TEXTS) !== undefined) continue;
    findings.add('INVALID_QUERY_FIELDS', at, 'A column is a path, or an object with one.');
  }
}

/** Values that are computed for each row: a list, or a map by name. */
function computedFindings(written: Json | undefined, pointer: string, findings: Findings): void {
  if (!isArray(written) && !isObject(written)) return;
  for (const [name, each] of Object.entries(written))
    unknownMembers(objectOf(each), COMPUTED_NAMES, UNKNOWN, `${pointer}/${name}`, findings);
}

function joinMembers(written: Written<typeof join>, pointer: string, findings: Findings): void {
  unknownMembers(written, namesIn(join), UNKNOWN, pointer, findings);
  unknownMembers(objectOf(written.on), ['left', 'local', 'right', 'foreign'], UNKNOWN, `${pointer}/on`, findings);
  findings.structure(join, written, pointer, 'type');
}

function joinsFindings(config: Written<typeof queryConfig>, findings: Findings): void {
  findings.structure(queryConfig, config, '/config', 'joins');
  for (const [index, raw] of listOf(config.joins).entries()) {
    const pointer = `/config/joins/${index}`;
    if (!findings.expectObject(raw, 'INVALID_QUERY_JOINS', pointer, 'A join must be an object.')) continue;
    joinFindings(raw, pointer, findings);
  }
}

/** Findings for a join, which is with another source, or with a collection whose documents are found by a key in the row. */
function joinFindings(written: Written<typeof join>, pointer: string, findings: Findings): void {
  joinMembers(written, pointer, findings);
  const collection = firstText(written, 'sourceCollectionId', 'collectionId');
  if (collection !== undefined) collectionFinding(collection, pointer, findings);
  if (OF_SOURCE.every((name) => firstText(written, name) === undefined)) {
    findings.add('JOIN_COLLECTION_REQUIRED', pointer, `A join needs a 'collectionId', or the source that it is of.`);
  }
  const brings = firstText(written, 'sourceCollectionId', 'foreignKey') !== undefined;
  if (brings && firstText(written, 'localKey') === undefined) findings.add('JOIN_KEY_REQUIRED', pointer, `This join needs a 'localKey'.`);
}

function collectionFinding(collection: string, pointer: string, findings: Findings): void {
  if (findings.known.collection(collection)) return;
  const missing = { kind: 'collection', name: collection } as const;
  findings.addMissing('COLLECTION_NOT_FOUND', pointer, `There is no collection '${collection}', so it gives no rows.`, missing);
}
