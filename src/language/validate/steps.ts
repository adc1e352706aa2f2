import { type Findings, isText } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Logic, NormalStep } from '../normal/logic.ts';
import { stepKinds } from '../steps/registry.ts';
import { conditionFindings } from './condition.ts';
import { unknownStepMembers } from './members.ts';
import { RESERVED_NAMES } from './reserved.ts';
import type { Around } from './routes.ts';

/** Findings for the steps of an endpoint or a workflow, including those in blocks and loops. */

const STEP_ID = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A step of any type, with the members that may hold steps. */
type AnyStep = NormalStep<'block'> & NormalStep<'condition'>;

/** What is known of the whole list while its steps are checked. */
interface Walk extends Around {
  readonly findings: Findings;
  readonly ids: Set<string>;
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
  const kind = stepKinds.get(type);
  if (kind === undefined) {
    const fix = didYouMean(type, stepKinds.keys()) ?? `One of ${[...stepKinds.keys()].join(', ')}.`;
    findings.add('INVALID_STEP_TYPE', `${pointer}/type`, `This server runs no step of the type '${type}'.`, fix);
    return;
  }
  unknownStepMembers(step, type, pointer, findings);
  kind.check?.(step, pointer, findings, walk);
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
