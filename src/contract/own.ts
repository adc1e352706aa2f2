import type { z } from 'zod';
import type { Route } from './route.ts';

/**
 * Which members of a value that is answered, or sent, are the platform's own, as the contract declares them. A member of a document may
 * have the same name, and is another thing. `null`: JSON of a game, with any names.
 */
export type Own = Declared | null;

interface Declared {
  /** Members by name, and what is the platform's own below them. */
  readonly members: ReadonlyMap<string, Own>;
  /** Whether members of any other name may stand beside them. */
  readonly isOpen: boolean;
  /** Of a list: its items. */
  readonly items?: Own;
}

const PLAIN: Declared = { members: new Map(), isOpen: false };

const known = new WeakMap<z.core.$ZodType, { readonly own: Own }>();

export function ownIn(schema: z.core.$ZodType): Own {
  const found = known.get(schema) ?? { own: ownOf(schema) };
  known.set(schema, found);
  return found.own;
}

/** Which members of an answer are the platform's own. */
export function ownAnswer({ answers }: Route, status = 200): Own {
  const schema = answers[status];
  return schema === undefined ? null : ownIn(schema);
}

function ownOf(schema: z.core.$ZodType): Own {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'null':
      return PLAIN;
    case 'optional':
    case 'nullable':
    case 'default':
      return ownIn(def.innerType);
    case 'array':
      return { ...PLAIN, items: ownIn(def.element) };
    case 'union':
      return def.options.map(ownIn).reduce(either);
    case 'object': {
      const members = Object.entries(def.shape).map(([name, member]) => [name, ownIn(member)] as const);
      return { members: new Map(members), isOpen: def.catchall !== undefined && def.catchall._zod.def.type !== 'never' };
    }
    // Names of a record are the game's; whatever is new here is taken for its, too.
    default:
      return null;
  }
}

/** What is the platform's whichever of the two it is. */
function either(one: Own, other: Own): Own {
  if (one === null || other === null) return null;
  const names = [...new Set([...one.members.keys(), ...other.members.keys()])];
  const { items = other.items } = one;
  return {
    members: new Map(names.filter((name) => isOwn(one, name) && isOwn(other, name)).map((name) => [name, eitherMember(one, other, name)])),
    isOpen: one.isOpen || other.isOpen,
    ...(items === undefined ? {} : { items: either(items, other.items ?? items) }),
  };
}

/** Whether a member of this name is none of a game. */
function isOwn({ members, isOpen }: Declared, name: string): boolean {
  return members.has(name) || !isOpen;
}

function eitherMember(one: Declared, other: Declared, name: string): Own {
  const [here = PLAIN, there = PLAIN] = [one.members.get(name), other.members.get(name)];
  return either(here, there);
}
