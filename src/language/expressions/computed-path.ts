import type { PathPart } from './brackets.ts';
import { LanguageError } from './errors.ts';
import type { Language } from './language.ts';
import { isForbidden, MAX_SEGMENTS, type Path, parseSegments, TOO_LONG } from './path.ts';
import { findTokens, unquoted } from './scan.ts';
import type { Eval, Scope } from './scope.ts';
import { isNullish, toText, type Value } from './value.ts';

/** Paths with a part that is computed during the call: `visited[current]`. */

/** Computes the path for a call; `null` if the value between brackets is missing. */
export type ComputedPath = (scope: Scope) => Path | null;

/** Compiles a path. A nested token may add names but no brackets: only the author can write brackets. */
export function compileComputedPath(language: Language, parts: readonly PathPart[], aliases: boolean): ComputedPath {
  if (parts.length > MAX_SEGMENTS) throw new LanguageError(TOO_LONG);
  const compiled = parts.map(({ kind, text }) =>
    kind === 'key' ? compileKey(language, text.trim(), aliases) : compileNames(language, text),
  );
  return (scope) => {
    const segments: string[] = [];
    for (const part of compiled) {
      const more = part(scope);
      if (more === null) return null;
      segments.push(...more);
    }
    if (segments.length > MAX_SEGMENTS) throw new LanguageError(TOO_LONG);
    const [root = '', ...rest] = segments;
    return { root, rest };
  };
}

type Segments = (scope: Scope) => readonly string[] | null;

function compileNames(language: Language, text: string): Segments {
  if (findTokens(text).length > 0) {
    const spelled = language.template(text);
    return (scope) => parseSegments(segmentText(scope, spelled(scope)));
  }
  const segments = parseSegments(text);
  return () => segments;
}

/** The text between brackets: a quoted text, a number, a token, or a path. Its value is one name, even with dots in it. */
function compileKey(language: Language, text: string, aliases: boolean): Segments {
  const quoted = unquoted(text);
  const literal = quoted ?? (/^\d+$/.test(text) ? text : null);
  const value = literal === null ? compileKeyValue(language, text, aliases) : language.template(literal);
  return (scope) => {
    const key = scope.context.plain(value(scope));
    if (isNullish(key)) return null;
    const name = toText(key);
    if (isForbidden(name.trim())) throw new LanguageError('Forbidden path segment.');
    return [name];
  };
}

function segmentText(scope: Scope, value: Value): string {
  return isNullish(value) ? '' : toText(scope.context.plain(value));
}

/** A name and what may follow it in a path. Arithmetic and calls are refused: read as a name, they would silently have no value. */
const KEY_PATH = /^[^\s\d()[\]+*/%,|"'=<>!.-][^\s()[\]+*/%,|"'=<>!]*(?:\[|$)/;

function compileKeyValue(language: Language, text: string, aliases: boolean): Eval {
  if (findTokens(text).length > 0) return language.template(text);
  if (KEY_PATH.test(text)) return language.path(text, aliases);
  throw new LanguageError('Between brackets there must be a name, a number, a quoted text or a token.');
}
