import { COLLECTION_FUNCTIONS, listPathIn, selectorPathIn } from '../expressions/collections.ts';
import { isCollectionCall } from '../expressions/expression.ts';
import { FUNCTION_NAMES } from '../expressions/functions.ts';
import { parsePath } from '../expressions/path.ts';
import {
  checkParentheses,
  closingParenthesis,
  findTokens,
  isOneToken,
  literalOf,
  scanTop,
  splitArguments,
  unquoted,
  wholeCall,
} from '../expressions/scan.ts';
import { tokensOf } from '../expressions/template.ts';
import { typeOfLiteral } from './json-type.ts';
import type { Names } from './names.ts';
import { BOOLEAN, list, memberType, NEVER, NULL, NUMBER, nullForMissing, partsOf, present, type Type, UNKNOWN, union } from './type.ts';
import { itemsOf, type Segment, walkType } from './walk.ts';

/** Types of the results of functions and expressions. */

/** Readers of texts. `templates.ts` provides them, because importing it here would be a cycle. */
export interface Reading {
  template(names: Names, text: string): Type;
  /** A path without a token around it. */
  path(names: Names, text: string, aliases: boolean): Type;
  expression(names: Names, text: string): Type;
}

/** A call in a token: `{{get(stock, input.item, 0)}}`. */
export function typeOfCall(reading: Reading, names: Names, name: string, args: string): Type {
  switch (name) {
    case 'coalesce':
    case 'default':
      return firstPresent(splitArguments(args).map((text) => typeOfArgument(reading, names, text)));
    case 'num':
    case 'min':
    case 'max':
      return NUMBER;
    case 'matches':
      return BOOLEAN;
    case 'get':
      return typeOfGet(reading, names, splitArguments(args));
    default:
      return typeOfCollectionCall(reading, names, name, args);
  }
}

function firstPresent(types: readonly Type[]): Type {
  const last = types.at(-1) ?? NEVER;
  return union(...types.slice(0, -1).map(present), last);
}

/** The type of an argument. Aliases do not apply here. */
function typeOfArgument(reading: Reading, names: Names, text: string): Type {
  const quoted = unquoted(text);
  if (quoted !== null) return reading.template(names, quoted);
  if (text === 'null') return NULL;
  const value = literalOf(text);
  if (value !== undefined) return typeOfLiteral(value);
  if (findTokens(text).length > 0) return reading.template(names, text);
  const call = wholeCall(text);
  if (call !== null && FUNCTION_NAMES.has(call.name)) return typeOfCall(reading, names, call.name, call.args);
  return reading.path(names, text, false);
}

/** `get(root, segment…, default)`. A segment is a name by its value, or by its own text if it has none. */
function typeOfGet(reading: Reading, names: Names, texts: readonly string[]): Type {
  const [root = '', ...rest] = texts;
  const fallback = rest.pop() ?? '';
  const segments = rest.map((text): Segment => (unquoted(text) !== null && findTokens(text).length === 0 ? (unquoted(text) ?? '') : ANY));
  const found = walkType(typeOfArgument(reading, names, root), segments);
  return found.kind === 'unknown' ? UNKNOWN : union(present(found), typeOfArgument(reading, names, fallback));
}

const ANY: Segment = { computed: 'any' };

/** A list function: `sum(bag, price)`. */
function typeOfCollectionCall(reading: Reading, names: Names, name: string, args: string): Type {
  switch (name) {
    case 'any':
    case 'all':
      return BOOLEAN;
    case 'find':
    case 'first':
      return union(nullForMissing(listArgument(reading, names, args)), NULL);
    case 'filter':
    case 'values':
      return list(listArgument(reading, names, args));
    case 'pluck':
      return list(pluckedBy(listArgument(reading, names, args), splitArguments(args)[1] ?? ''));
    default:
      return COLLECTION_FUNCTIONS.has(name) ? NUMBER : UNKNOWN;
  }
}

/** The items of the list that a call is about. */
function listArgument(reading: Reading, names: Names, args: string): Type {
  const text = splitArguments(args)[0] ?? '';
  const path = listPathIn(text);
  return itemsOf(path === null ? reading.expression(names, text) : reading.path(names, path, false));
}

/** The type of a member of every item; unknown unless all items have it. */
function pluckedBy(item: Type, selector: string): Type {
  const path = selectorPathIn(selector);
  if (path === null) return UNKNOWN;
  const { root, rest } = parsePath(path);
  if (root === 'item') return nullForMissing(walkType(item, rest));
  const found = partsOf(item).map((part) => (part.kind === 'object' ? memberType(part, root) : UNKNOWN));
  const sure = found.every((type) => partsOf(type).every(({ kind }) => kind !== 'missing'));
  return sure ? nullForMissing(walkType(union(...found), rest)) : UNKNOWN;
}

/** A list function, one token, or arithmetic. */
export function expressionType(reading: Reading, names: Names, source: string): Type {
  const text = source.trim();
  checkParentheses(text);
  const call = wholeCall(text);
  if (call !== null && isCollectionCall(call.name, call.args)) return typeOfCollectionCall(reading, names, call.name, call.args);
  return isOneToken(text, tokensOf(text)) ? reading.template(names, text) : typeOfArithmetic(text);
}

/**
 * The type of arithmetic: a number. A division by zero, and some powers, may give a value that JSON does not have, so they may also be
 * null. (So may a result beyond doubles, which no type shows.)
 */
function typeOfArithmetic(text: string): Type {
  const doubtful = scanTop(text, 0, (char, at) => {
    if (char === '/' || char === '%') return !isSafeDivisor(text.slice(at + 1));
    return text.startsWith('pow', at) && !isSafePower(text, text.indexOf('(', at));
  });
  return doubtful < 0 ? NUMBER : union(NUMBER, NULL);
}

function isSafeDivisor(after: string): boolean {
  const number = Number.parseFloat(after);
  return Number.isFinite(number) && number !== 0;
}

/** Whether a power has a base above 0, so that the result is a number. */
function isSafePower(text: string, open: number): boolean {
  const close = closingParenthesis(text, open);
  return open >= 0 && close >= 0 && Number(splitArguments(text.slice(open + 1, close))[0]) > 0;
}
