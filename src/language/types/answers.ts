import { isNever, memberType, NEVER, type ObjectType, partsOf, STRING, type Type, union } from './type.ts';

/**
 * Divides the answers of an endpoint like the client library: a status of 400 or above, `ok: false` or an error inside means a refusal.
 */
export interface Answered {
  /** The type of answers that are no refusals. */
  readonly answer: Type;
  /** Codes of the refusals among the answers. */
  readonly codes: readonly string[];
  /** Whether a code may be any text. */
  readonly hasOthers: boolean;
}

export function answeredBy(type: Type, status: number): Answered {
  const parts = partsOf(type).map((part) => ({ part, refused: status >= 400 ? 'always' : refusedIn(part) }));
  const refusing = parts.filter(({ refused }) => refused !== 'never').map(({ part }) => codeIn(part));
  const codes = refusing.flatMap((code) => (code === null ? [] : partsOf(code)));
  return {
    answer: union(...parts.filter(({ refused }) => refused !== 'always').map(({ part }) => part)),
    codes: codes.flatMap((code) => (code.kind === 'literal' && typeof code.value === 'string' ? [code.value] : [])),
    hasOthers: codes.some((code) => code.kind === 'string' || code.kind === 'unknown'),
  };
}

type Refuses = 'always' | 'maybe' | 'never';

/** Whether a body is a refusal. */
function refusedIn(part: Type): Refuses {
  if (part.kind === 'unknown') return 'maybe';
  if (part.kind !== 'object') return 'never';
  const [ok, error] = [memberType(part, 'ok'), memberType(part, 'error')];
  if (isOnly(ok, (each) => each.kind === 'literal' && each.value === false)) return 'always';
  if (isOnly(error, isText) || (isOnly(error, ({ kind }) => kind === 'object') && isNever(trueIn(ok)))) return 'always';
  const mayFail = isSome(ok, (each) => !isTrue(each) && (each.kind === 'literal' || each.kind === 'boolean' || each.kind === 'unknown'));
  const mayErr = isSome(error, (each) => isText(each) || each.kind === 'unknown' || (each.kind === 'object' && !isOnly(ok, isTrue)));
  return mayFail || mayErr || hasStatus(part) ? 'maybe' : 'never';
}

/** Whether a numeric `status` counts as the status. */
function hasStatus(part: ObjectType): boolean {
  return isSome(memberType(part, 'status'), ({ kind }) => kind === 'number' || kind === 'unknown');
}

const isText = (type: Type): boolean => type.kind === 'string' || (type.kind === 'literal' && typeof type.value === 'string');
const isTrue = (type: Type): boolean => type.kind === 'literal' && type.value === true;

function trueIn(type: Type): Type {
  return union(...partsOf(type).filter((part) => isTrue(part) || part.kind === 'boolean' || part.kind === 'unknown'));
}

function isOnly(type: Type, test: (part: Type) => boolean): boolean {
  return partsOf(type).length > 0 && partsOf(type).every(test);
}

function isSome(type: Type, test: (part: Type) => boolean): boolean {
  return partsOf(type).some(test);
}

/** The code in the body of a refusal; `null`: it has none, and the client library uses its own. */
function codeIn(part: Type): Type | null {
  if (part.kind === 'unknown') return STRING;
  if (part.kind !== 'object') return null;
  const codes = partsOf(memberType(part, 'error')).map((error) => {
    if (isText(error) || error.kind === 'unknown') return error;
    return error.kind === 'object' ? memberType(error, 'code') : NEVER;
  });
  return union(...codes);
}
