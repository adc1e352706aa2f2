import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { member } from '../../../kernel/path.ts';
import { STEP_TYPES } from '../../endpoint/steps/types.ts';
import { conditionFindings } from './condition.ts';
import { type Findings, isText, isWhole } from './finding.ts';
import { unknownPartMembers, unknownStepMembers } from './members.ts';
import { RESERVED_NAMES } from './reserved.ts';
import { STEP_CHECKS } from './step-checks.ts';

/** Steps of an endpoint or a workflow, those inside blocks and loops included (management 20; endpoint-language 16). */

const STEP_ID = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What is known of the whole list while its steps are looked at. */
interface Walk {
  readonly findings: Findings;
  readonly ids: Set<string>;
  /** Names of the top-level steps, with their position: where a `goto` may go. */
  readonly places: ReadonlyMap<string, number>;
  /** In a workflow the routes `return`, `goto` and `skip` are ignored. */
  readonly isWorkflow: boolean;
}

/** `at` is where the definition stands: a block in its library. */
export function stepsFindings(definition: JsonObject, findings: Findings, isWorkflow: boolean, at = ''): void {
  const name = member(definition, 'steps') === undefined && at !== '' ? 'body' : 'steps';
  const steps = member(definition, name);
  const places = new Map<string, number>();
  for (const [index, step] of (isArray(steps) ? steps : []).entries()) {
    const name = isObject(step) ? nameOf(step) : undefined;
    if (name !== undefined && !places.has(name)) places.set(name, index);
  }
  listFindings(steps, `${at}/${name}`, { findings, ids: new Set(), places, isWorkflow });
}

function listFindings(steps: Json | undefined, path: string, walk: Walk): void {
  if (steps === undefined || steps === null) return;
  if (!isArray(steps)) {
    walk.findings.add('INVALID_STEPS', path, 'Steps must be a list.');
    return;
  }
  for (const [index, step] of steps.entries()) {
    const at = `${path}/${index}`;
    if (isObject(step)) stepFindings(step, at, walk);
    else walk.findings.add('INVALID_STEP', at, 'A step must be an object.');
  }
}

function stepFindings(step: JsonObject, path: string, walk: Walk): void {
  const { findings } = walk;
  idFindings(step, path, walk);
  const when = member(step, 'when');
  if (when !== undefined && when !== null) conditionFindings(when, `${path}/when`, findings);
  const type = member(step, 'type');
  if (!isText(type)) {
    findings.add('MISSING_STEP_TYPE', path, 'This step has no type.');
    return;
  }
  if (!STEP_TYPES.has(type)) {
    const fix = didYouMean(type, STEP_TYPES.keys()) ?? `One of ${[...STEP_TYPES.keys()].join(', ')}.`;
    findings.add('INVALID_STEP_TYPE', `${path}/type`, `This server runs no step of the type '${type}'.`, fix);
    return;
  }
  unknownStepMembers(step, type, path, findings);
  STEP_CHECKS.get(type)?.(step, path, findings);
  if (type === 'condition') routesFindings(step, path, walk);
  for (const name of ['steps', 'body', 'then', 'else']) {
    if (isArray(member(step, name))) listFindings(member(step, name), `${path}/${name}`, walk);
  }
}

function nameOf(step: JsonObject): string | undefined {
  const name = member(step, 'as') ?? member(step, 'id');
  return isText(name) ? name : undefined;
}

function idFindings(step: JsonObject, path: string, { findings, ids }: Walk): void {
  const id = member(step, 'id');
  if (!isText(id)) {
    const place = path
      .slice(1)
      .replace(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.');
    findings.add('MISSING_STEP_ID', `${path}/id`, `${place}.id must be a non-empty string.`, 'Give the step an id.');
    return;
  }
  if (!STEP_ID.test(id)) findings.add('STEP_ID_FORMAT', `${path}/id`, `'${id}' works in templates only: use letters, digits and _.`);
  if (RESERVED_NAMES.has(id)) findings.add('RESERVED_STEP_ID', `${path}/id`, `'${id}' hides a built-in name from the steps after it.`);
  const name = nameOf(step) ?? id;
  if (ids.has(name)) findings.add('DUPLICATE_STEP_ID', `${path}/id`, `Another step is called '${name}'.`);
  ids.add(name);
}

const SIDES = new Set(['true', 'false', 'pass', 'fail']);
const ACTIONS = new Set(['continue', 'reject', 'return', 'goto', 'skip', 'run', 'step', 'workflow', 'flow', 'endpoint']);

function routesFindings(step: JsonObject, path: string, walk: Walk): void {
  const routes = member(step, 'routes');
  if (routes !== undefined && routes !== null && !isObject(routes)) {
    walk.findings.add('INVALID_ROUTES', `${path}/routes`, `'routes' must be an object.`);
  }
  for (const [side, route] of isObject(routes) ? Object.entries(routes) : []) {
    if (SIDES.has(side)) routeFindings(route, `${path}/routes/${side}`, walk);
    else walk.findings.add('UNKNOWN_ROUTE', `${path}/routes/${side}`, `A condition has no side '${side}'.`, didYouMean(side, SIDES));
  }
  for (const side of ['onTrue', 'onFalse']) {
    const route = member(step, side);
    if (route !== undefined) routeFindings(route, `${path}/${side}`, walk);
  }
  const onFail = member(step, 'onFail');
  if (isObject(onFail)) unknownPartMembers(onFail, 'onFail', `${path}/onFail`, walk.findings);
  if (isObject(onFail) && Object.hasOwn(onFail, 'clamp')) {
    walk.findings.add('CLAMP_NOT_SUPPORTED', `${path}/onFail/clamp`, `'clamp' is not done: the call is rejected.`);
  } else if (onFail !== undefined && !isObject(onFail) && onFail !== 'skip') {
    walk.findings.add('INVALID_ON_FAIL', `${path}/onFail`, `'onFail' must be an object or 'skip'.`);
  }
}

function routeFindings(route: Json, path: string, walk: Walk): void {
  if (route === null || typeof route === 'boolean') return;
  if (typeof route === 'string') {
    placeFindings(route, path, walk);
    if (!ACTIONS.has(route)) targetFindings(route, path, walk);
    return;
  }
  if (!isObject(route)) {
    walk.findings.add('INVALID_ROUTE', path, 'A route must be an object or a word.');
    return;
  }
  unknownPartMembers(route, 'route', path, walk.findings);
  const action = member(route, 'action') ?? member(route, 'type');
  if (action === undefined) walk.findings.add('ROUTE_ACTION_REQUIRED', path, `A route needs an 'action'.`);
  else if (!isText(action) || !ACTIONS.has(action))
    walk.findings.add('INVALID_ROUTE_ACTION', `${path}/action`, 'This action is unknown.', didYouMean(String(action), ACTIONS));
  else {
    placeFindings(action, path, walk);
    actionFindings(action, route, path, walk);
  }
}

const RUNS = new Set(['run', 'workflow', 'flow', 'endpoint']);

function actionFindings(action: string, route: JsonObject, path: string, walk: Walk): void {
  if (action === 'goto' || action === 'step') {
    const target = member(route, 'step') ?? member(route, 'target') ?? member(route, 'goto');
    if (isText(target)) targetFindings(target, path, walk);
    else walk.findings.add('ROUTE_TARGET_REQUIRED', path, 'This route does not say which step to go to.');
  }
  if (RUNS.has(action) && !['flow', 'workflow', 'endpoint', 'target'].some((name) => isText(member(route, name)))) {
    walk.findings.add('ROUTE_FLOW_REQUIRED', path, 'This route does not say what to run.');
  }
  const count = member(route, 'count');
  if (action === 'skip' && count !== undefined && !isWhole(count, 1, Number.MAX_SAFE_INTEGER)) {
    walk.findings.add('INVALID_SKIP_COUNT', `${path}/count`, `'count' is how many steps to skip, at least 1.`);
  }
}

const PLAIN_ACTIONS = new Set(['continue', 'reject', ...RUNS]);

/** `return`, `goto` and `skip` speak of the top-level list, whatever they stand in; a workflow ignores them. */
function placeFindings(action: string, path: string, { findings, isWorkflow }: Walk): void {
  if (PLAIN_ACTIONS.has(action)) return;
  if (isWorkflow) findings.add('ROUTE_IGNORED_IN_WORKFLOW', path, `A workflow ignores this route and goes on.`);
  else if (!/^\/steps\/\d+\/[A-Za-z]+(?:\/[A-Za-z]+)?$/.test(path)) {
    findings.add('ROUTE_FROM_BLOCK', path, 'This route leaves what it stands in, and goes on in the top-level steps.');
  }
}

function targetFindings(target: string, path: string, { findings, places }: Walk): void {
  const place = places.get(target);
  if (place === undefined)
    findings.add('ROUTE_TARGET_MISSING', path, `There is no step '${target}' to go to.`, didYouMean(target, places.keys()));
  else if (place <= Number(path.split('/')[2])) {
    findings.add('ROUTE_BACKWARD_JUMP', path, `This goes back to '${target}': a step may run 100 times in a call.`);
  }
}
