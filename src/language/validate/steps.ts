import { ROUTE_ACTIONS, ROUTE_SIDES } from '../../contract/resources/step.ts';
import { type Findings, isText, isWhole } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Logic, NormalStep } from '../normal/logic.ts';
import type { NormalRoute } from '../route.ts';
import { STEP_TYPES } from '../steps/types.ts';
import { calledFindings } from './called.ts';
import { conditionFindings } from './condition.ts';
import { unknownPartMembers, unknownStepMembers } from './members.ts';
import { RESERVED_NAMES } from './reserved.ts';
import { checkStep } from './step-checks.ts';

/** Findings for the steps of an endpoint or a workflow, including those in blocks and loops. */

const STEP_ID = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A step of any type, with the members that may hold steps. */
type AnyStep = NormalStep<'block'> & NormalStep<'condition'>;

/** What is known of the whole list while its steps are checked. */
interface Walk {
  readonly findings: Findings;
  readonly ids: Set<string>;
  /** Top-level steps by name, with their position: targets of a `goto`. */
  readonly indexes: ReadonlyMap<string, number>;
  /** In a workflow the routes `return`, `goto` and `skip` are ignored. */
  readonly isWorkflow: boolean;
}

/** `at`: position of the definition, for a block in its library. */
export function stepsFindings({ steps }: Logic, findings: Findings, isWorkflow: boolean, at = ''): void {
  const indexes = new Map<string, number>();
  for (const [index, step] of (isArray(steps) ? steps : []).entries()) {
    const name = isObject(step) ? nameOf(step) : undefined;
    if (name !== undefined && !indexes.has(name)) indexes.set(name, index);
  }
  listFindings(steps, `${at}/steps`, { findings, ids: new Set(), indexes, isWorkflow });
}

function listFindings(steps: Json | undefined, pointer: string, walk: Walk): void {
  if (steps === undefined || steps === null) return;
  if (!isArray(steps)) {
    walk.findings.add('INVALID_STEPS', pointer, 'Steps must be a list.');
    return;
  }
  for (const [index, step] of steps.entries()) {
    const at = `${pointer}/${index}`;
    if (isObject(step)) stepFindings(step, at, walk);
    else walk.findings.add('INVALID_STEP', at, 'A step must be an object.');
  }
}

function stepFindings(step: AnyStep, pointer: string, walk: Walk): void {
  const { findings } = walk;
  idFindings(step, pointer, walk);
  const { when, type } = step;
  if (when !== undefined && when !== null) conditionFindings(when, `${pointer}/when`, findings);
  if (!isText(type)) {
    findings.add('MISSING_STEP_TYPE', pointer, 'This step has no type.');
    return;
  }
  if (!STEP_TYPES.has(type)) {
    const fix = didYouMean(type, STEP_TYPES.keys()) ?? `One of ${[...STEP_TYPES.keys()].join(', ')}.`;
    findings.add('INVALID_STEP_TYPE', `${pointer}/type`, `This server runs no step of the type '${type}'.`, fix);
    return;
  }
  unknownStepMembers(step, type, pointer, findings);
  checkStep(type, step, pointer, findings);
  if (type === 'condition') routesFindings(step, pointer, walk);
  for (const name of ['steps', 'then', 'else'] as const) {
    if (isArray(step[name])) listFindings(step[name], `${pointer}/${name}`, walk);
  }
}

function nameOf(step: AnyStep): string | undefined {
  const name = step.as ?? step.id;
  return isText(name) ? name : undefined;
}

function idFindings(step: AnyStep, pointer: string, { findings, ids }: Walk): void {
  const { id } = step;
  if (!isText(id)) {
    const field = findings
      .sourceOf(pointer)
      .slice(1)
      .replace(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.');
    findings.add('MISSING_STEP_ID', `${pointer}/id`, `${field}.id must be a non-empty string.`, 'Give the step an id.');
    return;
  }
  if (!STEP_ID.test(id)) findings.add('STEP_ID_FORMAT', `${pointer}/id`, `'${id}' works in templates only: use letters, digits and _.`);
  if (RESERVED_NAMES.has(id)) findings.add('RESERVED_STEP_ID', `${pointer}/id`, `'${id}' hides a built-in name from the steps after it.`);
  const name = nameOf(step) ?? id;
  if (ids.has(name)) findings.add('DUPLICATE_STEP_ID', `${pointer}/id`, `Another step is called '${name}'.`, 'Give each an id of its own.');
  ids.add(name);
}

const SIDES: ReadonlySet<string> = new Set(ROUTE_SIDES);
const ACTIONS: ReadonlySet<string> = new Set(ROUTE_ACTIONS);

function routesFindings(step: NormalStep<'condition'>, pointer: string, walk: Walk): void {
  const { routes, onFail } = step;
  if (routes !== undefined && routes !== null && !isObject(routes)) {
    walk.findings.add('INVALID_ROUTES', `${pointer}/routes`, `'routes' must be an object.`);
  }
  for (const [side, way] of isObject(routes) ? Object.entries(routes) : []) {
    if (SIDES.has(side)) routeFindings(way, `${pointer}/routes/${side}`, walk);
    else walk.findings.add('UNKNOWN_ROUTE', `${pointer}/routes/${side}`, `A condition has no side '${side}'.`, didYouMean(side, SIDES));
  }
  if (isObject(onFail)) unknownPartMembers(onFail, 'onFail', `${pointer}/onFail`, walk.findings);
  if (isObject(onFail) && Object.hasOwn(onFail, 'clamp')) {
    walk.findings.add('CLAMP_NOT_SUPPORTED', `${pointer}/onFail/clamp`, `'clamp' is not done: the call is rejected.`);
  } else if (onFail !== undefined && !isObject(onFail) && onFail !== 'skip') {
    walk.findings.add('INVALID_ON_FAIL', `${pointer}/onFail`, `'onFail' must be an object or 'skip'.`);
  }
}

function routeFindings(written: Json, pointer: string, walk: Walk): void {
  if (written === null || typeof written === 'boolean') return;
  if (!walk.findings.expectObject(written, 'INVALID_ROUTE', pointer, 'A route must be an object or a word.')) return;
  unknownPartMembers(written, 'route', pointer, walk.findings);
  const way: NormalRoute = written;
  const { action } = way;
  if (action === undefined) walk.findings.add('ROUTE_ACTION_REQUIRED', pointer, `A route needs an 'action'.`);
  else if (!isText(action) || !ACTIONS.has(action))
    walk.findings.add('INVALID_ROUTE_ACTION', `${pointer}/action`, 'This action is unknown.', didYouMean(String(action), ACTIONS));
  else {
    routeLevelFindings(action, pointer, walk);
    actionFindings(action, way, pointer, walk);
  }
}

function actionFindings(action: string, way: NormalRoute, pointer: string, walk: Walk): void {
  if (action === 'goto') {
    if (isText(way.step)) targetFindings(way.step, pointer, walk);
    else walk.findings.add('ROUTE_TARGET_REQUIRED', pointer, 'This route does not say which step to go to.');
  }
  if (action === 'run') runFindings(way, pointer, walk.findings);
  const { count } = way;
  if (action === 'skip' && count !== undefined && !isWhole(count, 1, Number.MAX_SAFE_INTEGER)) {
    walk.findings.add('INVALID_SKIP_COUNT', `${pointer}/count`, `'count' is how many steps to skip, at least 1.`);
  }
}

function runFindings({ workflow, params }: NormalRoute, pointer: string, findings: Findings): void {
  if (isText(workflow)) calledFindings(workflow, { pointer, params }, findings);
  else findings.add('ROUTE_FLOW_REQUIRED', pointer, 'This route does not say what to run.');
}

const PLAIN_ACTIONS = new Set(['continue', 'reject', 'run']);

/** Findings for `return`, `goto` and `skip`. They act on the top-level list, however deeply they are nested; a workflow ignores them. */
function routeLevelFindings(action: string, pointer: string, { findings, isWorkflow }: Walk): void {
  if (PLAIN_ACTIONS.has(action)) return;
  if (isWorkflow) findings.add('ROUTE_IGNORED_IN_WORKFLOW', pointer, `A workflow ignores this route and goes on.`);
  else if (!/^\/steps\/\d+\/[A-Za-z]+(?:\/[A-Za-z]+)?$/.test(pointer)) {
    findings.add('ROUTE_FROM_BLOCK', pointer, 'This route leaves what it stands in, and goes on in the top-level steps.');
  }
}

function targetFindings(target: string, pointer: string, { findings, indexes }: Walk): void {
  const index = indexes.get(target);
  if (index === undefined)
    findings.add('ROUTE_TARGET_MISSING', pointer, `There is no step '${target}' to go to.`, didYouMean(target, indexes.keys()));
  else if (index <= Number(pointer.split('/')[2])) {
    findings.add('ROUTE_BACKWARD_JUMP', pointer, `This goes back to '${target}': a step may run 100 times in a call.`);
  }
}
