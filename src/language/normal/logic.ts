import { z } from 'zod';
import { clause, condition as conditionSchema, switchCase } from '../../contract/resources/condition.ts';
import { block, endpoint, workflow } from '../../contract/resources/logic.ts';
import type { Shape, Written } from '../../contract/resources/member.ts';
import {
  onFail,
  onMissing,
  operation,
  route as routeSchema,
  STEPS,
  type StepSchema,
  type StepType,
  steps as stepsSchema,
  stepTypes,
} from '../../contract/resources/step.ts';
import {
  LOGIC_SYNONYMS,
  type Normal,
  PART_SYNONYMS,
  STEP_SYNONYMS,
  type SynonymOf,
  type Synonyms,
} from '../../contract/resources/synonyms.ts';
import { isArray, type Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { type At, each, normaliser, object, type Part } from './form.ts';

/** The normal form of definitions that hold steps. In it every route is an object, too. */

/** An endpoint, workflow, library or block, under normal names. Values are as written: nothing is checked. */
export type Logic = Omit<
  Written<typeof endpoint> & Written<typeof workflow> & Written<typeof block>,
  SynonymOf<(typeof LOGIC_SYNONYMS)['block' | 'workflow' | 'endpoint']>
>;

/** A step of a type, under normal names. */
export type NormalStep<T extends StepType> = T extends keyof typeof STEP_SYNONYMS
  ? Normal<StepSchema<T>, (typeof STEP_SYNONYMS)[T]>
  : Written<StepSchema<T>>;

const ROUTE_ACTIONS: ReadonlyMap<Json, string> = new Map<Json, string>([
  ['step', 'goto'],
  ['workflow', 'run'],
  ['flow', 'run'],
  ['endpoint', 'run'],
]);
const ROUTE_WORDS: ReadonlySet<string> = new Set(['continue', 'reject', 'return', 'goto', 'run']);
const GOTO = object(PART_SYNONYMS.goto);
const RUN = object(PART_SYNONYMS.run);
const ROUTE = object(PART_SYNONYMS.route, { action: (json) => ROUTE_ACTIONS.get(json) ?? json });

/** A word that is no action names the step to go to. */
function route(json: Json, at: At): Json {
  if (json === false) return { action: 'reject' };
  if (json === 'skip') return { action: 'skip', count: 1 };
  if (typeof json === 'string') return ROUTE_WORDS.has(json) ? { action: json } : { action: 'goto', step: json };
  const named = ROUTE(json, at);
  const { action } = objectOf(named);
  return action === 'goto' ? GOTO(named, at) : action === 'run' ? RUN(named, at) : named;
}

const condition: Part = object(PART_SYNONYMS.clause, {
  all: (json, at) => each(condition)(json, at),
  any: (json, at) => each(condition)(json, at),
});

/** A condition on a row, which may be a list of conditions. */
function rowCondition(json: Json, at: At): Json {
  return isArray(json) ? each(rowCondition)(json, at) : condition(json, at);
}

function step(json: Json, at: At): Json {
  return (STEP_PARTS.get(objectOf(json)['type']) ?? ANY_STEP)(json, at);
}

/** A list of steps. One step may stand for a list. */
function steps(json: Json, at: At): Json {
  return isArray(json) ? each(step)(json, at) : step(json, at);
}

/** The parts of definitions, by the schemas of their members. */
const PARTS = new Map<z.core.$ZodType, Part>([
  [conditionSchema, condition],
  [clause, rowCondition],
  [stepsSchema, steps],
  [routeSchema, route],
  [onMissing, object(PART_SYNONYMS.onMissing)],
  [onFail, object(PART_SYNONYMS.onFail)],
  [operation, object(PART_SYNONYMS.operation, { when: condition })],
  [switchCase, object(PART_SYNONYMS.case, { when: condition })],
  [block, object(LOGIC_SYNONYMS.block, { steps })],
]);

function partsIn(shape: Shape): Readonly<Record<string, Part>> {
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, schema]) => {
      const part = partOf(schema);
      return part === undefined ? [] : [[name, part]];
    }),
  );
}

/** What a member of this schema holds; `undefined`: nothing with names of its own. */
function partOf(schema: z.core.$ZodType): Part | undefined {
  const known = PARTS.get(schema);
  if (known !== undefined) return known;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodLazy) return partOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.map(partOf).find((part) => part !== undefined);
  if (schema instanceof z.ZodArray) return eachOf(schema.element);
  return schema instanceof z.ZodRecord ? eachOf(schema.valueType) : undefined;
}

function eachOf(schema: z.core.$ZodType): Part | undefined {
  const part = partOf(schema);
  return part === undefined ? undefined : each(part);
}

const ROWS: { readonly [T in StepType]?: Synonyms } = STEP_SYNONYMS;
const ANY_STEP = object({}, { when: condition });
const STEP_PARTS: ReadonlyMap<Json | undefined, Part> = new Map(
  stepTypes.map((type) => [type, object(ROWS[type] ?? {}, partsIn(STEPS[type].shape))]),
);

const DEFINITION = object(
  { ...LOGIC_SYNONYMS.endpoint, ...LOGIC_SYNONYMS.workflow },
  { ...partsIn(endpoint.shape), ...partsIn(workflow.shape) },
);

/** The normal form of an endpoint, a workflow or a library. */
export const normalise = normaliser<Logic>(DEFINITION, (normal) => normal);
