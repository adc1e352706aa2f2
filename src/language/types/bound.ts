import { isObject, type Json } from '../../kernel/json.ts';
import { takeOf } from '../expressions/take.ts';
import type { NormalStep } from '../normal/logic.ts';
import { firstString, type StepDefinition, statusOf } from '../step.ts';
import { type Flow, type FlowFrame, goesOn, REFUSED } from './flow.ts';
import { bind, type Names } from './names.ts';
import { typeOfToken } from './templates.ts';
import { ANY_OBJECT, isNever, list, nullForMissing, partsOf, type Type, UNKNOWN, union } from './type.ts';

/** Names that steps bind, and refusals that they end with. */

/** Binds the result to the step's name. If there is never a result, the call is refused. */
export function binds({ name }: StepDefinition<unknown>, names: Names, type: Type): Flow {
  return isNever(type) ? REFUSED : goesOn(bind(names, [name, type]));
}

/** Narrows a type to a kind, because any other value fails. */
export function only(type: Type, kind: 'object' | 'list'): Type {
  const any = kind === 'object' ? ANY_OBJECT : list(UNKNOWN);
  return union(...partsOf(type).flatMap((part) => (part.kind === kind ? [part] : part.kind === 'unknown' ? [any] : [])));
}

/** Entries of a `let` that take an item of a list. */
export function taking(names: Names, json: Json | undefined): Names {
  if (!isObject(json)) return names;
  return Object.entries(json).reduce<Names>((known, [name, text]) => {
    const body = takeOf(text);
    return body === null ? known : bind(known, [name, nullForMissing(typeOfToken(known, body))]);
  }, names);
}

type Words = Pick<NormalStep<'assert'>, 'status' | 'errorCode' | 'message'>;

export function refuses(frame: FlowFrame, words: Words, otherwise: { readonly code: string; readonly status: number }): Flow {
  const code = firstString(words, 'errorCode') ?? otherwise.code;
  const message = firstString(words, 'message');
  frame.analysis.refused(code, { status: statusOf(words.status, otherwise.status), message });
  return REFUSED;
}
