import { isForbidden } from '../expressions/path.ts';
import {
  EMPTY_OBJECT,
  isNever,
  list,
  type Member,
  MISSING,
  memberType,
  NEVER,
  NUMBER,
  type ObjectType,
  partsOf,
  present,
  type Type,
  typeKey,
  UNKNOWN,
  union,
} from './type.ts';

/** Follows paths through types, as the language follows them through values, and changes what lies at their end. */

/** A name of a path; `index`: a number that a call computes; `any`: a name that it does. */
export type Segment = string | { readonly computed: 'index' | 'any' };

/** What lies at a path. */
export function walkType(type: Type, segments: readonly Segment[]): Type {
  return segments.reduce<Type>((current, segment) => union(...partsOf(current).map((part) => stepInto(part, segment))), type);
}

function stepInto(part: Type, segment: Segment): Type {
  switch (part.kind) {
    case 'unknown':
      return UNKNOWN;
    case 'object':
      return typeof segment === 'string' ? namedMember(part, segment) : anyMember(part);
    case 'list':
      return itemAt(part, part.item, segment);
    default:
      return MISSING;
  }
}

function namedMember(part: ObjectType, name: string): Type {
  return isForbidden(name) ? MISSING : memberType(part, name);
}

function anyMember({ members, rest, open }: ObjectType): Type {
  if (open) return UNKNOWN;
  return union(...[...members.values()].map(({ type }) => type), ...(rest === null ? [] : [rest]), MISSING);
}

/** Lists have positions, a length under two names, and themselves as `rows`. */
function itemAt(whole: Type, item: Type, segment: Segment): Type {
  if (typeof segment !== 'string') return segment.computed === 'index' ? union(item, MISSING) : union(item, NUMBER, whole, MISSING);
  if (segment === 'length' || segment === 'count') return NUMBER;
  if (segment === 'rows') return whole;
  return /^\d+$/.test(segment) ? union(item, MISSING) : MISSING;
}

/** The items of what the language takes as a list: of an object its values; null and nothing are empty. */
export function itemsOf(type: Type): Type {
  return union(...partsOf(type).map(itemsOfPart));
}

function itemsOfPart(part: Type): Type {
  if (part.kind === 'unknown') return UNKNOWN;
  if (part.kind === 'list') return part.item;
  if (part.kind !== 'object') return NEVER;
  if (part.open) return UNKNOWN;
  const values = [...part.members.values()].map(({ type }) => union(...partsOf(type).filter(({ kind }) => kind !== 'missing')));
  return union(...values, ...(part.rest === null ? [] : [part.rest]));
}

/** The type after `change` at a path below it. Objects come into being on the way. */
export function changedType(type: Type, segments: readonly Segment[], change: (before: Type) => Type): Type {
  const [first, ...rest] = segments;
  if (first === undefined) return change(type);
  return union(...partsOf(type).map((part) => changedPart(part, first, (before) => changedType(before, rest, change))));
}

function changedPart(part: Type, segment: Segment, inner: (before: Type) => Type): Type {
  switch (part.kind) {
    case 'object':
      return typeof segment === 'string' ? withMember(part, segment, inner) : withSomeMember(part, inner);
    case 'list':
      return list(union(part.item, inner(union(part.item, MISSING))));
    case 'null':
    case 'missing':
      return changedPart(EMPTY_OBJECT, segment, inner);
    case 'unknown':
      return UNKNOWN;
    default:
      return NEVER;
  }
}

function withMember({ name: _, ...part }: ObjectType, name: string, inner: (before: Type) => Type): Type {
  return { ...part, members: new Map([...part.members, [name, { type: inner(memberType(part, name)) }]]) };
}

function withSomeMember({ name: _, ...part }: ObjectType, inner: (before: Type) => Type): Type {
  const members = [...part.members].map(([name, { type }]): [string, Member] => [name, { type: union(type, inner(type)) }]);
  const rest = union(part.rest ?? NEVER, inner(union(part.rest ?? NEVER, MISSING)));
  return { ...part, members: new Map(members), rest };
}

/** The type where something is known to lie at the path. */
export function narrowed(type: Type, segments: readonly string[]): Type {
  const [first, ...rest] = segments;
  const parts = partsOf(present(type));
  if (first === undefined) return union(...parts);
  return union(...parts.flatMap((part) => narrowedPart(part, first, rest)));
}

function narrowedPart(part: Type, name: string, rest: readonly string[]): readonly Type[] {
  if (part.kind === 'unknown' || part.kind === 'list') return [part];
  if (part.kind !== 'object') return [];
  const [before, after] = [memberType(part, name), narrowed(memberType(part, name), rest)];
  if (isNever(after)) return [];
  return [typeKey(before) === typeKey(after) ? part : withMember(part, name, () => after)];
}
