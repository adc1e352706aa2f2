import { isArray, type Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { changed, writablePath } from './change.ts';
import type { ComputedPath } from './computed-path.ts';
import { LanguageError } from './errors.ts';
import type { Language } from './language.ts';
import type { Eval, Scope } from './scope.ts';
import { isNullish, type Value } from './value.ts';

/**
 * Lists that a loop consumes. `queue.shift()` and `queue.pop()` give the first or last item of a list that a name of the call holds, and
 * remove it from the list. An empty or missing list gives no value.
 */

const TAKE = /^([\s\S]*\S)\s*\.\s*(shift|pop)\(\s*\)$/;

/** Whether the inside of a token takes an item. */
export function isTake(body: string): boolean {
  return TAKE.test(body);
}

/** The path of the list that a token takes from. */
export function takenFrom(body: string): string {
  return TAKE.exec(body)?.[1] ?? '';
}

export function compileTake(language: Language, body: string): Eval {
  const [, list = '', method = ''] = TAKE.exec(body) ?? [];
  const listPath = writablePath(language, list);
  return (scope) => take(scope, listPath, method === 'shift', list);
}

/** Copying an item of a list costs a unit of work divided by this power of two. */
const COPIED_SHIFT = 4;

function take(scope: Scope, listPath: ComputedPath, first: boolean, text: string): Value {
  const named = listPath(scope);
  if (named === null) return undefined;
  const path = scope.unaliased(named);
  const list = scope.path(path);
  if (isNullish(list)) return undefined;
  if (!isArray(list)) throw new LanguageError(`"${text.slice(0, 60)}" is not a list, so no item can be taken from it.`);
  if (list.length === 0) return undefined;
  scope.context.spend(1 + (list.length >> COPIED_SHIFT));
  const rest = first ? list.slice(1) : list.slice(0, -1);
  scope.names.set(
    path.root,
    changed(scope, scope.name(path.root), path.rest, 0, () => rest, text),
  );
  return list[first ? 0 : list.length - 1];
}

/** Entries of a `let` that take items. A loop binds them in every turn, any other step once. `null`: there are none. */
export function compileTakes(language: Language, json: Json | undefined): ((scope: Scope) => void) | null {
  const takes = Object.entries(objectOf(json)).flatMap(([name, text]) => {
    const body = takeOf(text);
    return body === null ? [] : [{ name, item: language.token(body) }];
  });
  if (takes.length === 0) return null;
  return (scope) => {
    for (const { name, item } of takes) scope.names.set(name, item(scope) ?? null);
  };
}

/** The text of a `let` entry, without braces, if it takes an item. */
export function takeOf(text: Json): string | null {
  if (typeof text !== 'string') return null;
  const body = (/^\{\{([\s\S]*)\}\}$/.exec(text)?.[1] ?? text).trim();
  return isTake(body.split('|', 1)[0]?.trim() ?? '') ? body : null;
}
