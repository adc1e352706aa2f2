import type { StepType } from '../../../contract/resources/step.ts';
import { isArray, isObject, type Json } from '../../../kernel/json.ts';
import type { Clause } from '../../expressions/condition.ts';
import { LanguageError } from '../../expressions/errors.ts';
import { standardOperator } from '../../expressions/operators.ts';
import { parsePath } from '../../expressions/path.ts';
import { findTokens, isOneToken } from '../../expressions/scan.ts';
import { takeOf } from '../../expressions/take.ts';
import type { NormalStep } from '../../normal/logic.ts';
import { falseRoute, type Route, skipCount, trueRoute } from '../../route.ts';
import { firstString, type StepDefinition, statusOf } from '../../step.ts';
import { andThen, either, type Flow, type Frame, goesOn, REFUSED, type StepFlow } from '../flow.ts';
import { bind, changedNames, forgotten, joined, type Names, restored, typeOfName, unaliased } from '../names.ts';
import { typeOfDeep, typeOfTemplate, typeOfToken } from '../templates.ts';
import { BOOLEAN, isNever, literal, nullForMissing, type Type } from '../type.ts';
import { itemsOf, narrowed } from '../walk.ts';
import { binds } from './values.ts';

/** Steps of control flow. */

type Of<T extends StepType> = NormalStep<T>;

export const conditionFlow: StepFlow<Of<'condition'>> = (step, names, frame) => {
  const { json } = step;
  const workflow = firstString(json, 'workflow');
  if (workflow !== undefined && json.check === undefined) {
    return frame.analysis.guard(workflow) ? goesOn(bind(names, [step.name, literal(true)])) : REFUSED;
  }
  const check = json.check ?? json;
  const branched = Object.hasOwn(json, 'then') || Object.hasOwn(json, 'else');
  const side = (holds: boolean): Flow => {
    const known = bind(knowing(names, check, holds), [step.name, literal(holds)]);
    const route = holds ? trueRoute(json, 'continue') : falseRoute(json, branched ? 'continue' : 'reject');
    return andThen(frame.analysis.list(frame, known, holds ? json.then : json.else), (after) => routed(step, route, after, frame));
  };
  return either(side(false), side(true));
};

function routed(step: StepDefinition<Of<'condition'>>, { action, json }: Route, names: Names, frame: Frame): Flow {
  switch (action) {
    case 'continue':
      return goesOn(names);
    case 'reject':
      return refuses(frame, json, { code: 'CONDITION_FAILED', status: 400 });
    case 'return':
      return frame.routed ? { ...REFUSED, ended: names } : goesOn(names);
    case 'goto':
      return jumps(frame, names, firstString(json, 'step') ?? '');
    case 'skip':
      return jumps(frame, names, skipCount(json.count));
    case 'run': {
      const name = firstString(json, 'workflow') ?? '';
      const result = frame.analysis.call(frame, name, paramsType(names, json.params ?? step.json.params));
      const as = firstString(json, 'as') ?? `${step.id}_run`;
      return isNever(result) ? REFUSED : goesOn(bind(names, [as, result]));
    }
  }
}

function jumps(frame: Frame, names: Names, to: string | number): Flow {
  return frame.routed ? { ...REFUSED, jumps: [{ to, names }] } : goesOn(names);
}

type Words = Pick<Of<'assert'>, 'status' | 'errorCode' | 'message'>;

export function refuses(frame: Frame, words: Words, otherwise: { readonly code: string; readonly status: number }): Flow {
  const code = firstString(words, 'errorCode') ?? otherwise.code;
  const message = firstString(words, 'message');
  frame.analysis.refused(code, { status: statusOf(words.status, otherwise.status), message });
  return REFUSED;
}

export const assertFlow: StepFlow<Of<'assert'>> = (step, names, frame) => {
  const { json } = step;
  if (!isObject(json.check)) return refuses(frame, {}, { code: 'INVALID_ASSERT', status: 400 });
  refuses(frame, json, { code: 'ASSERTION_FAILED', status: 400 });
  return binds(step, knowing(names, json.check, true), literal(true));
};

/** Narrows names by a condition that holds, or does not: a value that was checked to exist exists. */
function knowing(names: Names, check: Json, holds: boolean): Names {
  if (!isObject(check)) return names;
  const { all, any, field, op }: Clause = check;
  if (isArray(all)) return holds ? all.reduce<Names>((known, each) => knowing(known, each, true), names) : names;
  if (isArray(any)) return holds ? names : any.reduce<Names>((known, each) => knowing(known, each, false), names);
  if (typeof field !== 'string' || typeof op !== 'string') return names;
  return standardOperator(op) === (holds ? 'exists' : 'not_exists') ? withPresent(names, field) : names;
}

function withPresent(names: Names, text: string): Names {
  const spans = findTokens(text);
  const inside = isOneToken(text, spans) ? text.slice(2, -2).trim() : text;
  if (findTokens(inside).length > 0 || ['[', '|', '(', '-'].some((char) => inside.includes(char))) return names;
  try {
    const path = unaliased(names, parsePath(inside));
    return path === null ? names : bind(names, [path.root, narrowed(typeOfName(names, path.root), path.rest)]);
  } catch (error) {
    if (error instanceof LanguageError) return names;
    throw error;
  }
}

export const blockFlow: StepFlow<Of<'block'>> = ({ json }, names, frame) => frame.analysis.list(frame, names, json.steps);

/** Most iterations until the types of names are stable. Those that still change are unknown. */
const MAX_TURNS = 4;

function loop(names: Names, turn: (names: Names) => Flow): Flow {
  let before = names;
  for (let count = 1; ; count += 1) {
    const flow = turn(before);
    const after = joined(before, flow.next) ?? before;
    const changed = changedNames(before, after);
    if (changed.length === 0) return { ...flow, next: before };
    before = count < MAX_TURNS ? after : forgotten(after, changed);
  }
}

export const whileFlow: StepFlow<Of<'while' | 'until'>> = ({ json }, names, frame) =>
  loop(names, (before) => frame.analysis.list(frame, taking(before, json.let), json.steps));

export const foreachFlow: StepFlow<Of<'foreach'>> = ({ json }, names, frame) => {
  const from = firstString(json, 'from') ?? '';
  const item = nullForMissing(itemsOf(from.includes('{{') ? typeOfTemplate(names, from) : typeOfToken(names, from)));
  const name = firstString(json, 'item') ?? 'item';
  if (isNever(item)) return goesOn(names);
  return loop(names, (before) => {
    const flow = frame.analysis.list(frame, taking(bind(before, [name, item]), json.let), json.steps);
    const without = (after: Names | null) => (after === null ? null : restored(after, name, before));
    const jumped = flow.jumps.map((jump) => ({ ...jump, names: restored(jump.names, name, before) }));
    return { next: without(flow.next), ended: without(flow.ended), answers: flow.answers, jumps: jumped };
  });
};

/** Entries of a `let` that take an item of a list. */
export function taking(names: Names, json: Json | undefined): Names {
  if (!isObject(json)) return names;
  return Object.entries(json).reduce<Names>((known, [name, text]) => {
    const body = takeOf(text);
    return body === null ? known : bind(known, [name, nullForMissing(typeOfToken(known, body))]);
  }, names);
}

export const returnFlow: StepFlow<Of<'return' | 'return_on'>> = ({ json }, names) => {
  if (!Object.hasOwn(json, 'value')) return { ...REFUSED, ended: names };
  const answer = typeOfDeep(names, json.value);
  return isNever(answer) ? REFUSED : { ...REFUSED, answers: [answer] };
};

export const returnOnFlow: StepFlow<Of<'return_on'>> = (step, names, frame) => {
  const check = step.json.check ?? null;
  return either(goesOn(knowing(names, check, false)), returnFlow(step, knowing(names, check, true), frame));
};

export const callFlow: StepFlow<Of<'workflow' | 'call'>> = (step, names, frame) => {
  const name = firstString(step.json, 'workflow');
  if (name === undefined) return REFUSED;
  return binds(step, names, frame.analysis.call(frame, name, paramsType(names, step.json.params)));
};

function paramsType(names: Names, json: Json | undefined): Type {
  return typeOfDeep(names, isObject(json) ? json : {});
}

/** Services answer webhooks in different ways, so only `ok` is known. */
export const webhookFlow: StepFlow = (step, names) =>
  binds(step, names, { kind: 'object', members: new Map([['ok', { type: BOOLEAN }]]), rest: null, open: true });
