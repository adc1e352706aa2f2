import type { StepType } from '../../contract/resources/step.ts';
import type { CompileStep } from '../step.ts';
import { assertStep, conditionStep } from './condition.ts';
import { blockStep, foreachStep, returnOnStep, returnStep, untilStep, whileStep } from './flow.ts';
import { randomStep } from './random.ts';
import { readStep } from './read.ts';
import { filterStep, lookupManyStep, lookupStep, randomSelectStep } from './scan.ts';
import { sleepStep } from './sleep.ts';
import { sortStep } from './sort.ts';
import { transformStep } from './transform.ts';
import { arrayStep, computeStep, mergeStep, objectStep, switchStep } from './values.ts';
import { webhookStep } from './webhook.ts';
import { workflowStep } from './workflow.ts';
import { deleteStep, writeStep } from './write.ts';

const COMPILERS: { readonly [T in StepType]: CompileStep<T> } = {
  read: readStep,
  condition: conditionStep,
  write: writeStep,
  lookup: lookupStep,
  workflow: workflowStep,
  transform: transformStep,
  assert: assertStep,
  object: objectStep,
  array: arrayStep,
  merge: mergeStep,
  compute: computeStep,
  switch: switchStep,
  sort: sortStep,
  random: randomStep,
  filter: filterStep,
  random_select: randomSelectStep,
  lookup_many: lookupManyStep,
  delete: deleteStep,
  block: blockStep,
  while: whileStep,
  until: untilStep,
  foreach: foreachStep,
  call: workflowStep,
  return: returnStep,
  return_on: returnOnStep,
  sleep: sleepStep,
  webhook: webhookStep,
  response: () => () => undefined,
};

/** Every step type that this server runs. */
export const STEP_TYPES: ReadonlyMap<string, CompileStep> = new Map(Object.entries(COMPILERS));
