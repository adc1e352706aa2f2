import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { member } from '../../../kernel/path.ts';
import { takeOf } from '../../endpoint/take.ts';
import { inputOfBody } from '../../security/call-body.ts';
import { memberSpellings } from '../../wire-names.ts';
import type { ListedKind } from '../kinds.ts';
import { listOf, objectOf } from '../read.ts';
import { budgetsFindings } from './budgets.ts';
import { collectionFindings } from './collection.ts';
import { type Finding, Findings, isFlag, isMap, isText, isWhole, type Known, oneOf } from './finding.ts';
import { blocksFindings, importsFindings, libraryFindings } from './library.ts';
import { namesFindings } from './names.ts';
import { queryFindings } from './query.ts';
import { callLimitFindings } from './rate-rules.ts';
import { isRecursive } from './recursion.ts';
import { stepsFindings } from './steps.ts';
import { tokensFindings } from './tokens.ts';

/** The validator of stored definitions (management 20). */
export function definitionFindings(kind: ListedKind, definition: JsonObject, known: Known): readonly Finding[] {
  const findings = new Findings(known, new Set(Object.keys(objectOf(member(definition, 'blocks')))));
  unknownMembers(kind, definition, findings);
  importsFindings(definition, findings);
  if (kind === 'endpoint') endpointFindings(definition, findings);
  else if (kind === 'workflow') workflowFindings(definition, findings);
  else if (kind === 'library') libraryFindings(definition, findings);
  else if (kind === 'collection') collectionFindings(definition, findings);
  else queryFindings(definition, findings);
  return findings.all;
}

const COMMON =
  'sourceVersion kind resourceKind id slug name description notes imports metadata definition resource authoringMode sourceFormat ' +
  'sourcePath sourceText createdAt updatedAt version versionHash revisionTarget hasStaged diagnostics dependencies';

const MEMBERS: Readonly<Record<ListedKind, ReadonlySet<string>>> = {
  collection: words(
    'schema fields collectionType accessMode access visibility rateLimits rateLimitAction webhookOnRateLimit maxRecords allowRecordDelete ' +
      'requireSaveVersion publicAppend constants tables enabled',
  ),
  endpoint: words(
    memberSpellings('skipPlayerAuth').join(' '),
    'method enabled deprecated input params let steps response rateLimits rateLimit requiresSecretKey ' +
      'requireReauth exposure publiclyCallable internalOnly internal visibility routes blocks budgets',
  ),
  workflow: words(
    'condition check onFail params requires input let steps returns response enabled exposure internalOnly visibility budgets routes ' +
      'builtIn blocks',
  ),
  library: words('blocks'),
  query: words('type sources config cache requiresSecretKey enabled'),
};

function words(...own: readonly string[]): ReadonlySet<string> {
  return new Set([COMMON, ...own].join(' ').split(' '));
}

function unknownMembers(kind: ListedKind, definition: JsonObject, findings: Findings): void {
  for (const name of Object.keys(definition)) {
    if (MEMBERS[kind].has(name) || /hash$/i.test(name) || name.startsWith('compiler')) continue;
    const fix = didYouMean(name, MEMBERS[kind]) ?? 'Check its spelling.';
    findings.add('UNKNOWN_TOP_LEVEL_FIELD', `/${name}`, `'${name}' means nothing in a definition of this kind.`, fix);
  }
}

const EXPOSURES = oneOf(
  ...['public', 'publicly-callable', 'publicly-accessible', 'publicly accessible', 'game-api', 'external', 'exposed', 'internal'],
  ...['private', 'internal-private', 'reusable', 'reusable-logic', 'reusable logic', 'workflow'],
);

function logicFindings(definition: JsonObject, findings: Findings, isWorkflow: boolean): void {
  findings.member(definition, 'enabled', '', isFlag, 'INVALID_FLAG', 'true or false');
  findings.member(definition, 'internalOnly', '', isFlag, 'INVALID_FLAG', 'true or false');
  findings.member(definition, 'exposure', '', EXPOSURES, 'INVALID_EXPOSURE', 'public or internal');
  findings.member(definition, 'let', '', isAliases, 'INVALID_LET', 'a map of alias to path');
  stepsFindings(definition, findings, isWorkflow);
  blocksFindings(definition, findings);
  budgetsFindings(definition, findings);
  for (const name of ['steps', 'check', 'condition', 'onFail', 'returns', 'response']) {
    tokensFindings(member(definition, name), `/${name}`, findings);
  }
  // A workflow's check may be asked with the names of its caller.
  namesFindings(definition, ['steps', 'onFail', 'returns', 'response'], findings, isWorkflow);
}

function isAliases(value: Json): boolean {
  return isObject(value) && Object.values(value).every((path) => isText(path) && takeOf(path) === null);
}

function endpointFindings(definition: JsonObject, findings: Findings): void {
  for (const flag of ['deprecated', 'requiresSecretKey', 'publiclyCallable']) {
    findings.member(definition, flag, '', isFlag, 'INVALID_FLAG', 'true or false');
  }
  findings.member(definition, 'method', '', oneOf('get', 'post'), 'INVALID_METHOD', 'GET or POST');
  findings.member(definition, 'input', '', isMap, 'INVALID_INPUT', 'an object');
  logicFindings(definition, findings, false);
  const limited = (member(definition, 'rateLimits') ?? null) === null ? 'rateLimit' : 'rateLimits';
  const limits = member(definition, limited) ?? null;
  if (limits !== null) callLimitFindings(limits, `/${limited}`, findings);
  const steps = member(definition, 'steps');
  if (steps === undefined || steps === null || (isArray(steps) && steps.length === 0)) {
    findings.add('NO_STEPS', '/steps', 'This endpoint has no steps.');
  }
  const input = objectOf(member(definition, 'input'));
  const properties = objectOf(member(input, 'properties'));
  const fields = Object.entries(input).filter(([name, field]) => isObject(field) && !['properties', 'items'].includes(name));
  if (member(input, 'properties') === undefined && fields.length > 0) {
    findings.add(
      'INPUT_UNCHECKED',
      '/input',
      `'input' has no 'properties', so nothing of it is checked.`,
      `Put its fields under 'properties'.`,
    );
  }
  for (const [name, field] of Object.entries(properties)) {
    const sample = member(objectOf(field), 'type') === 'object' ? {} : '';
    if (Object.hasOwn(inputOfBody({ [name]: sample }), name)) continue;
    findings.add(
      'RESERVED_INPUT',
      `/input/properties/${name}`,
      `'${name}' means something else in a call, so it is no input.`,
      'Rename it.',
    );
  }
  for (const [index, name] of listOf(member(input, 'required')).entries()) {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) continue;
    findings.add('INPUT_REQUIRED_UNKNOWN', `/input/required/${index}`, `'${String(name)}' is required but has no property.`);
  }
  responseFindings(member(definition, 'response'), findings);
}

function responseFindings(response: Json | undefined, findings: Findings): void {
  if (response === undefined || response === null) return;
  if (!isObject(response)) {
    findings.add('INVALID_RESPONSE', '/response', `'response' must be an object.`);
    return;
  }
  findings.member(response, 'status', '/response', (value) => isWhole(value, 100, 599), 'INVALID_STATUS', 'a number from 100 to 599');
  findings.member(response, 'echo', '/response', (value) => isArray(value) && value.every(isText), 'INVALID_ECHO', 'a list of texts');
  for (const name of Object.keys(response)) {
    if (['status', 'body', 'echo'].includes(name)) continue;
    findings.add('RESPONSE_FIELD_IGNORED', `/response/${name}`, `'${name}' is ignored: an answer has status, body and echo.`);
  }
  misreadFindings(member(response, 'body'), findings);
}

/** What the client library takes for something else in an answer that is a success (endpoint-language 13; client-wire 4). */
function misreadFindings(body: Json | undefined, findings: Findings): void {
  if (isArray(body)) findings.add('FIELD_MISREAD', '/response/body', 'The client library cannot read an answer that is a list.');
  if (!isObject(body) || member(body, 'ok') === false) return;
  const [inner, status, error] = ['body', 'status', 'error'].map((name) => member(body, name));
  if (isObject(inner ?? null)) findings.add('FIELD_MISREAD', '/response/body/body', `The client library gives the game 'body' alone.`);
  const taken = [typeof status === 'number' && status >= 400 ? 'status' : null, typeof error === 'string' ? 'error' : null];
  for (const name of taken) {
    if (name !== null) findings.add('FIELD_MISREAD', `/response/body/${name}`, `The client library takes '${name}' for a failure.`);
  }
}

function workflowFindings(definition: JsonObject, findings: Findings): void {
  findings.member(definition, 'params', '', isMap, 'INVALID_PARAMS', 'an object');
  findings.member(definition, 'returns', '', isMap, 'INVALID_RETURNS', 'an object');
  findings.member(definition, 'onFail', '', isMap, 'INVALID_ON_FAIL', 'an object');
  logicFindings(definition, findings, true);
  const parts = ['steps', 'check', 'condition', 'blocks'].map((name) => member(definition, name) ?? null);
  if (parts.every((part) => part === null || (isArray(part) && part.length === 0))) {
    findings.add('NO_STEPS', '/steps', 'This workflow has neither steps nor a check.');
  }
  if (isRecursive(definition, findings.known))
    findings.add('RECURSIVE_WORKFLOW', '', 'This workflow calls itself, perhaps by way of others.', 'Calls may be 5 deep.');
}
