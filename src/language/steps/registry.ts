import type { Written } from '../../contract/resources/member.ts';
import type { StepSchema, StepType } from '../../contract/resources/step.ts';
import type { StepKind } from '../step-kind.ts';
import { arrayStep } from './array.ts';
import { assertStep } from './assert.ts';
import { blockStep } from './block.ts';
import { callStep } from './call.ts';
import { computeStep } from './compute.ts';
import { conditionStep } from './condition.ts';
import { deleteStep } from './delete.ts';
import { filterStep } from './filter.ts';
import { foreachStep } from './foreach.ts';
import { lookupStep } from './lookup.ts';
import { lookupManyStep } from './lookup-many.ts';
import { mergeStep } from './merge.ts';
import { objectStep } from './object.ts';
import { randomStep } from './random.ts';
import { randomSelectStep } from './random-select.ts';
import { readStep } from './read.ts';
import { responseStep } from './response.ts';
import { returnStep } from './return.ts';
import { returnOnStep } from './return-on.ts';
import { sleepStep } from './sleep.ts';
import { sortStep } from './sort.ts';
import { switchStep } from './switch.ts';
import { transformStep } from './transform.ts';
import { untilStep } from './until.ts';
import { webhookStep } from './webhook.ts';
import { whileStep } from './while.ts';
import { workflowStep } from './workflow.ts';
import { writeStep } from './write.ts';

/** Every type of step. One that the contract has and this does not is a compile error. */
const STEP_KINDS: { readonly [T in StepType]: StepKind<T> } = {
  read: readStep,
  write: writeStep,
  delete: deleteStep,
  condition: conditionStep,
  assert: assertStep,
  lookup: lookupStep,
  filter: filterStep,
  random_select: randomSelectStep,
  lookup_many: lookupManyStep,
  transform: transformStep,
  object: objectStep,
  array: arrayStep,
  merge: mergeStep,
  compute: computeStep,
  switch: switchStep,
  sort: sortStep,
  random: randomStep,
  workflow: workflowStep,
  call: callStep,
  block: blockStep,
  while: whileStep,
  until: untilStep,
  foreach: foreachStep,
  return: returnStep,
  return_on: returnOnStep,
  sleep: sleepStep,
  webhook: webhookStep,
  response: responseStep,
};

/** What the language knows of each type of step. */
export const stepKinds: ReadonlyMap<string, StepKind<StepType>> = new Map(Object.entries(STEP_KINDS));

/** What it knows of a step by its type; `undefined`: it is no step that this server runs. */
export function kindOf({ type }: Written<StepSchema<StepType>>): StepKind<StepType> | undefined {
  return typeof type === 'string' ? stepKinds.get(type) : undefined;
}
