import type { CollectionModel, EffectiveDefinitions, EndpointModel } from '../../domain/model.ts';
import { isObject } from '../../kernel/json.ts';
import { normalise } from '../normal/logic.ts';
import { readsName } from '../reading.ts';
import { statusOf } from '../step.ts';
import { type Documents, EndpointAnalysis } from './analysis.ts';
import { answeredBy } from './answers.ts';
import type { Refused } from './flow.ts';
import { inputTypes } from './input-types.ts';
import type { ObjectType, Type } from './type.ts';

/** The static types of an endpoint. */
export interface EndpointTypes {
  readonly input: ObjectType;
  /** All bodies that it may answer with, including answers that are refusals. */
  readonly rendered: Type;
  /** The bodies that are no refusals. Never: it always refuses. */
  readonly answer: Type;
  /** Codes of the author's, in order. */
  readonly refusals: ReadonlyMap<string, Refused | null>;
  /** Whether there may be unknown codes. */
  readonly hasOthers: boolean;
  /** Codes that the server itself may refuse with because of what the endpoint does, in order. */
  readonly failures: readonly string[];
}

export function endpointTypes(
  definitions: EffectiveDefinitions,
  documents: Documents,
  values: ObjectType,
  model: EndpointModel,
): EndpointTypes {
  const { definition } = normalise(model.definition);
  const input = inputTypes(definition.input, readsName(definition, 'input'));
  const analysis = new EndpointAnalysis(definitions, documents, { input: input.seen, values });
  const response = isObject(definition.response) ? definition.response : {};
  const rendered = analysis.answers(definition);
  const { answer, codes, hasOthers } = answeredBy(rendered, statusOf(response['status'], 200));
  const refusals = new Map<string, Refused | null>([...codes.map((code) => [code, null] as const), ...analysis.refusals]);
  return {
    input: input.sent,
    rendered,
    answer,
    refusals: new Map([...refusals].sort(([a], [b]) => (a < b ? -1 : 1))),
    hasOthers: hasOthers || analysis.isPartial,
    failures: failuresOf(definitions, model, analysis, input.sent),
  };
}

function failuresOf(
  definitions: EffectiveDefinitions,
  model: EndpointModel,
  analysis: EndpointAnalysis,
  input: ObjectType,
): readonly string[] {
  const written = [...analysis.written].map((id) => definitions.collection(id)).filter((collection) => collection !== undefined);
  const bounded = (collection: CollectionModel) =>
    definitions.rules.some((rule) => rule.collection === '*' || definitions.collection(rule.collection)?.id === collection.id);
  const codes: Readonly<Record<string, boolean>> = {
    INVALID_INPUT: input.members.size > 0,
    LIMIT_EXCEEDED: true,
    RATE_LIMIT: model.callLimit !== null || written.some(bounded),
    RATE_LIMIT_DAILY: written.some(({ dailyLimit }) => dailyLimit !== null),
    SCAN_TOO_LARGE: analysis.scanned.size > 0,
    SCHEMA_VALIDATION_FAILED: written.some(({ schema }) => schema.root !== null),
    SECRET_KEY_REQUIRED: model.requiresSecretKey,
    UNIQUE_VIOLATION: written.some(({ schema }) => schema.unique.length > 0),
  };
  return Object.keys(codes).filter((code) => codes[code] === true);
}
