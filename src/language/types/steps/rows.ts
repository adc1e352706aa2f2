import type { onMissing, operation, StepType } from '../../../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../../../contract/resources/synonyms.ts';
import { isArray } from '../../../kernel/json.ts';
import { objectOf as objectIn } from '../../../kernel/json-read.ts';
import type { NormalStep } from '../../normal/logic.ts';
import { firstString, type StepDefinition, statusOf } from '../../step.ts';
import { byKey, fromOf } from '../../steps/scan.ts';
import { type Flow, type Frame, goesOn, REFUSED, type StepFlow } from '../flow.ts';
import { bind, type Names, typeOfName } from '../names.ts';
import { keyOfType, typeOfDeep, typeOfToken } from '../templates.ts';
import { list, MISSING, mayBe, NEVER, NULL, nullForMissing, present, type Type, union, without } from '../type.ts';
import { itemsOf, walkType } from '../walk.ts';
import { binds } from './values.ts';

/** Steps that read documents and rows, and those that write. */

type Of<T extends StepType> = NormalStep<T>;
type Search = 'lookup' | 'filter' | 'random_select';

export const readFlow: StepFlow<Of<'read'>> = (step, names, frame) => {
  const document = frame.analysis.documents(firstString(step.json, 'collection'));
  return found(step, names, frame, document ?? NEVER);
};

/** Binds what is found, or null; if a result is required, refuses otherwise. */
function found(step: StepDefinition<Of<'read' | Search>>, names: Names, frame: Frame, type: Type): Flow {
  if (!isRequired(step.json)) return binds(step, names, union(type, NULL));
  const words: Normal<typeof onMissing, typeof PART_SYNONYMS.onMissing> = objectIn(step.json.onMissing);
  const message = firstString(words, 'message');
  frame.analysis.refused(firstString(words, 'errorCode') ?? 'NOT_FOUND', { status: statusOf(words.status, 400), message });
  return binds(step, names, type);
}

function isRequired({ required }: Of<'read' | Search>): boolean {
  return required === true || required === 'true';
}

/** Binds the written document, unless another kind of step has the name. It may be missing if no operation is certain to run. */
export const writeFlow: StepFlow<Of<'write'>> = (step, names, frame) => {
  const { json, name } = step;
  const collection = firstString(json, 'collection');
  const document = frame.analysis.documents(collection);
  if (document === null) return REFUSED;
  frame.analysis.touched('writes', collection);
  const held = names.bound.get(name) ?? MISSING;
  const written = union(document, without(held, 'missing'));
  const operations = isArray(json.ops) ? json.ops : Object.keys(objectIn(json.data));
  const isDone = operations.some((one) => typeof one === 'string' || isCertain(objectIn(one)));
  return goesOn(bind(names, [name, isDone ? written : union(written, typeOfName(names, name))]));
};

function isCertain({ op, when }: Normal<typeof operation, typeof PART_SYNONYMS.operation>): boolean {
  return (when ?? true) === true && op !== 'pull' && op !== 'remove' && op !== 'delete';
}

export const deleteFlow: StepFlow = (_source, names, frame) => {
  frame.analysis.touched('writes', undefined);
  return goesOn(names);
};

export const lookupFlow: StepFlow<Of<'lookup'>> = (step, names, frame) => {
  if (step.json.where === undefined && byKey(step)) {
    return found(step, names, frame, present(typeOfFrom(step, names) ?? NEVER));
  }
  return found(step, names, frame, present(rowOf(step, names, frame)));
};

export const filterFlow: StepFlow<Of<'filter'>> = (step, names, frame) => {
  const rows = list(rowOf(step, names, frame));
  if (!isRequired(step.json)) return binds(step, names, rows);
  return found(step, names, frame, rows);
};

export const randomSelectFlow: StepFlow<Of<'random_select'>> = (step, names, frame) => found(step, names, frame, rowOf(step, names, frame));

export const lookupManyFlow: StepFlow<Of<'lookup_many'>> = (step, names, frame) => {
  const row = union(rowOf(step, names, frame), NULL);
  const map: Type = { kind: 'object', members: new Map(), rest: row, open: false };
  return binds(step, names, step.json.asMap === false ? list(row) : map);
};

/** The type that `from` names, or its member `key`; `null` for a step without `from`. */
function typeOfFrom(step: StepDefinition<Of<Search | 'lookup_many'>>, names: Names): Type | null {
  const { json } = step;
  const text = fromOf(step);
  if (text === undefined) return null;
  const from = typeOfToken(names, text);
  if (json.key === undefined) return from;
  const key = typeOfDeep(names, json.key);
  const member = walkType(from, [keyOfType(key)]);
  return mayBe(key, 'missing') || mayBe(key, 'null') ? union(member, MISSING) : member;
}

/** The type of a row: of a list of the call, of a table of the game values, or a document. */
function rowOf(step: StepDefinition<Of<Search | 'lookup_many'>>, names: Names, frame: Frame): Type {
  const from = typeOfFrom(step, names);
  if (from !== null) return nullForMissing(itemsOf(from));
  const { json } = step;
  if (json.source === 'values') {
    return nullForMissing(itemsOf(walkType(names.world.values, [firstString(json, 'table', 'collection') ?? ''])));
  }
  const collection = firstString(json, 'collection');
  frame.analysis.touched('scans', collection);
  return frame.analysis.documents(collection) ?? NEVER;
}
