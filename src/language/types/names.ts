import { PLAYER_TEMPLATE_NAMES } from '../../domain/wire-names.ts';
import type { Path } from '../expressions/path.ts';
import { BOOLEAN, MISSING, NEVER, NUMBER, type ObjectType, STRING, type Type, typeKey, UNKNOWN, union } from './type.ts';

/** The types of a call's names at one point of its steps. */

/** Types that are the same for the whole call. */
export interface World {
  readonly input: Type;
  readonly values: ObjectType;
}

export interface Names {
  readonly world: World;
  readonly bound: ReadonlyMap<string, Type>;
  /** Paths by alias; `null`: the control-flow paths disagree. */
  readonly aliases: ReadonlyMap<string, Path | null>;
}

const TEXTS = ['platformId', 'playerKey', 'projectId', 'now', '_dateUTC', '_timeUTC', '_datetimeUTC', ...PLAYER_TEMPLATE_NAMES];
const NUMBERS = ['_unixMs', '_unixS', '_year', '_month', '_day', '_hour', '_minute', '_dayOfWeek'];
const FLAGS = ['_hasSecretKey', '_isDedicatedServer'];
const BUILT_IN: ReadonlyMap<string, Type> = new Map([
  ...TEXTS.map((name) => [name, STRING] as const),
  ...NUMBERS.map((name) => [name, NUMBER] as const),
  ...FLAGS.map((name) => [name, BOOLEAN] as const),
]);

export function typeOfName({ world, bound }: Names, name: string): Type {
  const type = bound.get(name);
  if (type !== undefined) return type;
  if (name === 'input') return world.input;
  return name === 'values' ? world.values : (BUILT_IN.get(name) ?? MISSING);
}

export function bind(names: Names, ...bound: readonly (readonly [string, Type])[]): Names {
  return { ...names, bound: new Map([...names.bound, ...bound]) };
}

/** Restores a name that was bound temporarily. */
export function restored(names: Names, name: string, before: Names): Names {
  const bound = new Map(names.bound);
  const old = before.bound.get(name);
  if (old === undefined) bound.delete(name);
  else bound.set(name, old);
  return { ...names, bound };
}

export function withAliases(names: Names, aliases: ReadonlyMap<string, Path> | null): Names {
  return aliases === null ? names : { ...names, aliases: new Map([...names.aliases, ...aliases]) };
}

/** Joins the names of two control-flow paths; `null`: the path is never taken. */
export function joined(a: Names | null, b: Names | null): Names | null {
  if (a === null || b === null || a === b) return a ?? b;
  const bound = new Map<string, Type>();
  for (const name of new Set([...a.bound.keys(), ...b.bound.keys()])) bound.set(name, union(typeOfName(a, name), typeOfName(b, name)));
  const aliases = new Map<string, Path | null>();
  for (const name of new Set([...a.aliases.keys(), ...b.aliases.keys()]))
    aliases.set(name, agreed(a.aliases.get(name), b.aliases.get(name)));
  return { world: a.world, bound, aliases };
}

function agreed(a: Path | null | undefined, b: Path | null | undefined): Path | null {
  return a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b) ? a : null;
}

/** Names whose types differ. */
export function changedNames(before: Names, after: Names): readonly string[] {
  return [...after.bound].filter(([name, type]) => typeKey(type) !== typeKey(before.bound.get(name) ?? NEVER)).map(([name]) => name);
}

/** Makes the types of these names unknown. */
export function forgotten(names: Names, which: readonly string[]): Names {
  return bind(names, ...which.map((name) => [name, UNKNOWN] as const));
}

const MAX_ALIASES = 10;

/** The path that an alias stands for; `null`: it depends on the control flow, or an alias refers to itself. */
export function unaliased({ aliases }: Names, path: Path): Path | null {
  let current = path;
  for (let turn = 0; turn <= MAX_ALIASES; turn += 1) {
    const target = aliases.get(current.root);
    if (target === undefined) return current;
    if (target === null) return null;
    current = { root: target.root, rest: [...target.rest, ...current.rest] };
  }
  return null;
}
