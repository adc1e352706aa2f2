import { ROUTE_ACTIONS, ROUTE_SIDES } from '../../contract/resources/step.ts';
import { type Findings, isText, isWhole } from '../../domain/finding.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { NormalStep } from '../normal/logic.ts';
import type { NormalRoute } from '../route.ts';
import { calledFindings } from './called.ts';
import { unknownPartMembers } from './members.ts';

/** Findings for where a condition goes. */

/** The steps around a step that is checked. */
export interface Around {
  /** Top-level steps by name, with their position: targets of a `goto`. */
  readonly indexes: ReadonlyMap<string, number>;
  /** In a workflow the routes `return`, `goto` and `skip` are ignored. */
  readonly isWorkflow: boolean;
}

interface Walk extends Around {
  readonly findings: Findings;
}

const SIDES: ReadonlySet<string> = new Set(ROUTE_SIDES);

const ACTIONS: ReadonlySet<string> = new Set(ROUTE_ACTIONS);

export function routesFindings(step: NormalStep<'condition'>, pointer: string, findings: Findings, around: Around): void {
  const walk: Walk = { ...around, findings };
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

const REPEAT = `Go to a later step; to repeat steps, put them into a step of the type 'while', 'until' or 'foreach'.`;

function targetFindings(target: string, pointer: string, { findings, indexes }: Walk): void {
  const index = indexes.get(target);
  if (index === undefined)
    findings.add('ROUTE_TARGET_MISSING', pointer, `There is no step '${target}' to go to.`, didYouMean(target, indexes.keys()));
  else if (index <= Number(pointer.split('/')[2])) {
    findings.add('ROUTE_BACKWARD_JUMP', pointer, `This goes back to '${target}': a step may run 100 times in a call.`, REPEAT);
  }
}
