import { COMPILED } from '../../../contract/resources/definition.ts';
import { resources } from '../../../contract/resources/index.ts';
import { endpoint, response, workflow } from '../../../contract/resources/logic.ts';
import { namesIn, type Written } from '../../../contract/resources/member.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { listOf, objectOf, stringOf } from '../../../kernel/json-read.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { takeOf } from '../../../language/expressions/take.ts';
import type { Normalised } from '../../../language/normal/form.ts';
import { type Logic, normalise } from '../../../language/normal/logic.ts';
import { normaliseQuery } from '../../../language/normal/query.ts';
import { budgetsFindings } from '../../../language/validate/budgets.ts';
import { conditionFindings } from '../../../language/validate/condition.ts';
import { consoleFindings } from '../../../language/validate/console.ts';
import { inputFindings } from '../../../language/validate/input.ts';
import { blocksFindings, importsFindings, libraryFindings } from '../../../language/validate/library.ts';
import { unknownPartMembers } from '../../../language/validate/members.ts';
import { namesFindings } from '../../../language/validate/names.ts';
import { paramsFindings } from '../../../language/validate/params.ts';
import { queryFindings, unreadIn } from '../../../language/validate/query.ts';
import { recursiveCall } from '../../../language/validate/recursion.ts';
import { stepsFindings } from '../../../language/validate/steps.ts';
import { tokensFindings } from '../../../language/validate/tokens.ts';
import { type Finding, Findings, isText, type Known } from '../../finding.ts';
import type { ListedKind } from '../../kinds.ts';
import { collectionFindings } from './collection.ts';
import { callLimitFindings } from './rate-rules.ts';

const LOGIC: ReadonlySet<ListedKind> = new Set(['endpoint', 'workflow', 'library']);
const NO_LOGIC: Normalised<Logic> = { definition: {}, sourceOf: (pointer) => pointer };

/** All findings for a definition. */
export function definitionFindings(kind: ListedKind, definition: JsonObject, known: Known): readonly Finding[] {
  const query = kind === 'query' ? normaliseQuery(definition) : null;
  const { definition: logic, sourceOf } = LOGIC.has(kind) ? normalise(definition) : NO_LOGIC;
  const blocks = new Set(Object.keys(objectOf(logic.blocks)));
  const findings = new Findings(known, blocks, listOf(definition['imports']), query?.sourceOf ?? sourceOf);
  unknownMembers(kind, definition, findings);
  importsFindings(definition, findings);
  if (kind === 'endpoint') endpointFindings(logic, findings);
  else if (kind === 'workflow') workflowFindings(logic, findings);
  else if (kind === 'library') libraryFindings(logic, findings);
  else if (kind === 'collection') collectionFindings(definition, findings);
  else if (query !== null) queryFindings(query.definition, findings);
  findings.form(resources[kind], definition, {
    numbersAreTexts: !LOGIC.has(kind),
    unread: query === null ? [] : unreadIn(query.definition),
  });
  return findings.all;
}

/** Members that the compilers of editors add to a definition before they push it. */
const COMPILED_BY_TOOLS = new RegExp(COMPILED);

function unknownMembers(kind: ListedKind, definition: JsonObject, findings: Findings): void {
  const known = namesIn(resources[kind]);
  for (const name of Object.keys(definition)) {
    if (known.includes(name) || COMPILED_BY_TOOLS.test(name)) continue;
    const fix = didYouMean(name, known) ?? 'Check its spelling.';
    findings.add('UNKNOWN_TOP_LEVEL_FIELD', `/${name}`, `'${name}' means nothing in a definition of this kind.`, fix);
  }
}

const TOKENS = ['steps', 'check', 'onFail', 'returns', 'response'] as const;

function logicFindings(definition: Logic, findings: Findings, isWorkflow: boolean): void {
  findings.structure(endpoint, definition, '', 'enabled', 'internalOnly', 'exposure');
  const aliases = definition.let ?? null;
  if (aliases !== null && !isAliases(aliases)) findings.add('INVALID_LET', '/let', `'let' must be a map of alias to path.`);
  stepsFindings(definition, findings, isWorkflow);
  blocksFindings(definition, findings);
  budgetsFindings(definition, findings);
  for (const name of TOKENS) tokensFindings(definition[name], `/${name}`, findings);
  // A workflow's check may use names of its caller.
  namesFindings(definition, ['steps', 'onFail', 'returns', 'response'], findings, isWorkflow);
}

function isAliases(value: Json): boolean {
  return isObject(value) && Object.values(value).every((path) => isText(path) && takeOf(path) === null);
}

function endpointFindings(definition: Logic, findings: Findings): void {
  findings.structure(endpoint, definition, '', 'deprecated', 'requiresSecretKey', 'publiclyCallable', 'method', 'input', 'record');
  logicFindings(definition, findings, false);
  const { steps, rateLimits } = definition;
  if (rateLimits !== undefined && rateLimits !== null) callLimitFindings(rateLimits, '/rateLimits', findings);
  if (steps === undefined || steps === null || (isArray(steps) && steps.length === 0)) {
    findings.add('NO_STEPS', '/steps', 'This endpoint has no steps.');
  }
  inputFindings(definition.input, stringOf(definition.method)?.toUpperCase() === 'GET', findings);
  consoleFindings(definition.console, findings);
  responseFindings(definition.response, findings);
}

function responseFindings(written: Json | undefined, findings: Findings): void {
  if (written === undefined || written === null) return;
  if (!findings.expectObject(written, 'INVALID_RESPONSE', '/response', `'response' must be an object.`)) return;
  findings.structure(response, written, '/response', 'status', 'echo');
  const known = namesIn(response);
  for (const name of Object.keys(written)) {
    if (known.includes(name)) continue;
    findings.add('RESPONSE_FIELD_IGNORED', `/response/${name}`, `'${name}' is ignored: an answer has status, body and echo.`);
  }
  const { body }: Written<typeof response> = written;
  misreadFindings(body, findings);
}

/** Findings for members of a successful answer that the client library misreads. */
function misreadFindings(body: Json | undefined, findings: Findings): void {
  if (isArray(body)) findings.add('FIELD_MISREAD', '/response/body', 'The client library cannot read an answer that is a list.');
  const { ok, body: inner, status, error } = objectOf(body);
  if (ok === false) return;
  if (isObject(inner)) findings.add('FIELD_MISREAD', '/response/body/body', `The client library gives the game 'body' alone.`);
  const taken = [typeof status === 'number' && status >= 400 ? 'status' : null, typeof error === 'string' ? 'error' : null];
  for (const name of taken) {
    if (name !== null) findings.add('FIELD_MISREAD', `/response/body/${name}`, `The client library takes '${name}' for a failure.`);
  }
}

const RECURSIVE = 'By this call the workflow calls itself, perhaps by way of others.';

function workflowFindings(definition: Logic, findings: Findings): void {
  findings.structure(workflow, definition, '', 'params', 'returns', 'onFail');
  paramsFindings(definition.params, '/params', findings);
  unknownPartMembers(objectOf(definition.onFail), 'onFail', '/onFail', findings);
  logicFindings(definition, findings, true);
  if ((definition.check ?? null) !== null) conditionFindings(definition.check ?? null, '/check', findings);
  const parts = [definition.steps, definition.check, definition.blocks].map((part) => part ?? null);
  if (parts.every((part) => part === null || (isArray(part) && part.length === 0))) {
    findings.add('NO_STEPS', '/steps', 'This workflow has neither steps nor a check.');
  }
  const back = recursiveCall(definition, findings.known);
  if (back !== undefined) findings.add('RECURSIVE_WORKFLOW', back, RECURSIVE, 'Calls may be 5 deep: let a condition end them before.');
}
