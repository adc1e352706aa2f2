import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { bracketParts } from '../expressions/brackets.ts';
import { LanguageError } from '../expressions/errors.ts';
import { FUNCTION_NAMES } from '../expressions/functions.ts';
import { parsePath, parseSegments } from '../expressions/path.ts';
import { findTokens, isOneToken, literalOf, unquoted, wholeCall } from '../expressions/scan.ts';
import { isTake, takenFrom } from '../expressions/take.ts';
import { tokensOf, topLevel } from '../expressions/template.ts';
import { expressionType, type Reading, typeOfCall } from './functions.ts';
import { typeOfJson, typeOfLiteral } from './json-type.ts';
import { type Names, typeOfName, unaliased } from './names.ts';
import {
  isNever,
  list,
  literal,
  MISSING,
  mayBe,
  NEVER,
  NULL,
  NUMBER,
  nullForMissing,
  object,
  present,
  STRING,
  type Type,
  UNKNOWN,
  union,
} from './type.ts';
import { type Segment, walkType } from './walk.ts';

/**
 * Types of the results of templates, by the parsers that run them (`language`). A text that does not parse fails the call that
 * reaches it, so its type is never. A type that cannot be determined is unknown.
 */

export function typeOfTemplate(names: Names, text: string): Type {
  return attempt(() => {
    const spans = tokensOf(text);
    if (spans.length === 0) return literal(text);
    return isOneToken(text, spans) ? typeOfToken(names, text.slice(2, -2)) : STRING;
  });
}

/** An expression keeps the type of its result. */
export function typeOfExpression(names: Names, text: string): Type {
  return attempt(() => expressionType(reading, names, text));
}

const reading: Reading = { template: typeOfTemplate, path: typeOfPath, expression: typeOfExpression };

/** The type; never if the language refuses the text. */
function attempt(look: () => Type): Type {
  try {
    return look();
  } catch (error) {
    if (error instanceof LanguageError) return NEVER;
    throw error;
  }
}

/** The inside of a token: `[-] path or call [| default]`. */
export function typeOfToken(names: Names, body: string): Type {
  return attempt(() => {
    const bar = topLevel(body, '|');
    const core = (bar < 0 ? body : body.slice(0, bar)).trim();
    const negated = core.startsWith('-');
    if (negated) return NUMBER;
    const type = typeOfCore(names, core);
    return bar < 0 || !(mayBe(type, 'missing') || mayBe(type, 'null') || type.kind === 'unknown')
      ? type
      : union(present(type), typeOfDefault(names, body.slice(bar + 1).trim()));
  });
}

function typeOfCore(names: Names, core: string): Type {
  if (isTake(core)) return union(walkItem(typeOfPath(names, takenFrom(core), true)), MISSING);
  const call = wholeCall(core);
  if (call !== null && FUNCTION_NAMES.has(call.name)) return typeOfCall(reading, names, call.name, call.args);
  return typeOfPath(names, core, true);
}

function walkItem(type: Type): Type {
  return walkType(type, [{ computed: 'index' }]);
}

function typeOfDefault(names: Names, text: string): Type {
  const spans = tokensOf(text);
  if (isOneToken(text, spans)) return typeOfToken(names, text.slice(2, -2));
  if (spans.length > 0) return STRING;
  if (text === '') return MISSING;
  return text === 'null' ? NULL : typeOfLiteral(literalOf(text) ?? unquoted(text) ?? text);
}

/** The type at a path, which may contain tokens or brackets. A token's value may contain dots, so its target is unknown. */
function typeOfPath(names: Names, text: string, aliases: boolean): Type {
  const parts = bracketParts(text);
  if (parts === null) {
    if (tokensOf(text).length > 0) return UNKNOWN;
    const { root, rest } = parsePath(text);
    return at(names, [root, ...rest], aliases);
  }
  const segments = segmentsOf(names, parts, aliases);
  return segments === null ? UNKNOWN : at(names, segments, aliases);
}

/** The names of a path with brackets; `null`: some come from a token. */
export function segmentsOf(names: Names, parts: NonNullable<ReturnType<typeof bracketParts>>, aliases: boolean): readonly Segment[] | null {
  const segments: Segment[] = [];
  for (const { kind, text } of parts) {
    if (kind === 'key') segments.push(keySegment(names, text.trim(), aliases));
    else if (findTokens(text).length > 0) return null;
    else segments.push(...parseSegments(text));
  }
  return segments;
}

/** The name in brackets: the value of a quoted text, a number, a token or a path. */
function keySegment(names: Names, text: string, aliases: boolean): Segment {
  const quoted = unquoted(text);
  if (quoted !== null) return findTokens(quoted).length > 0 ? { computed: 'any' } : quoted;
  if (Number.isInteger(Number(text))) return text;
  const key = findTokens(text).length > 0 ? typeOfTemplate(names, text) : typeOfPath(names, text, aliases);
  return keyOfType(key);
}

/** The name that a value of this type gives. */
export function keyOfType(key: Type): Segment {
  if (key.kind === 'literal') return String(key.value);
  return { computed: present(key).kind === 'number' ? 'index' : 'any' };
}

function at(names: Names, [root, ...rest]: readonly Segment[], aliases: boolean): Type {
  if (typeof root !== 'string') return UNKNOWN;
  const path = aliases ? unaliased(names, { root, rest: [] }) : { root, rest: [] };
  return path === null ? UNKNOWN : walkType(typeOfName(names, path.root), [...path.rest, ...rest]);
}

/** A literal in which every text is a template. */
export function typeOfDeep(names: Names, json: Json | undefined): Type {
  if (json === undefined) return MISSING;
  if (typeof json === 'string') return typeOfTemplate(names, json);
  if (isArray(json)) return listOf(json.map((item) => nullForMissing(typeOfDeep(names, item))));
  if (isObject(json)) return objectType(Object.entries(json).map(([name, item]) => [name, typeOfDeep(names, item)]));
  return typeOfLiteral(json);
}

/** Only a text is a template; a list or an object stays as written. */
export function typeOfShallow(names: Names, json: Json | undefined): Type {
  if (json === undefined) return MISSING;
  return typeof json === 'string' ? typeOfTemplate(names, json) : isArray(json) || isObject(json) ? typeOfJson(json) : typeOfLiteral(json);
}

/** The type of a list. If one item fails, all of it fails. */
function listOf(items: readonly Type[]): Type {
  return items.some(isNever) ? NEVER : list(union(...items));
}

export function objectType(members: readonly (readonly [string, Type])[]): Type {
  return members.some(([, type]) => isNever(type)) ? NEVER : object(members);
}
