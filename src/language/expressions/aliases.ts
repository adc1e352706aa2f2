import type { Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { LanguageError } from './errors.ts';
import { type Path, parsePath } from './path.ts';
import { takeOf } from './take.ts';

/** `let`: alias → path. An entry that is not a path is ignored. One that takes an item from a list is not an alias: it binds a name. */
export function compileAliases(json: Json | undefined): ReadonlyMap<string, Path> | null {
  const aliases = new Map<string, Path>();
  for (const [name, path] of Object.entries(objectOf(json))) {
    const parsed = typeof path === 'string' && takeOf(path) === null ? aliasPath(path) : null;
    if (parsed !== null) aliases.set(name, parsed);
  }
  return aliases.size === 0 ? null : aliases;
}

function aliasPath(text: string): Path | null {
  const inside = /^\{\{([^{}]*)\}\}$/.exec(text)?.[1] ?? text;
  try {
    return parsePath(inside.trim());
  } catch (error) {
    if (error instanceof LanguageError) return null;
    throw error;
  }
}
