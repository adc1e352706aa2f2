/** Static types of JSON values, which the generator computes with. */

/** The type of a member, or of a name of a call. `missing`: there may be no value, which differs from null. */
export type Type =
  | { readonly kind: 'unknown' | 'string' | 'number' | 'boolean' | 'null' | 'missing' }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'list'; readonly item: Type }
  | ObjectType
  | { readonly kind: 'union'; readonly of: readonly Plain[] };

type Plain = Exclude<Type, { readonly kind: 'union' }>;

export interface ObjectType {
  readonly kind: 'object';
  readonly members: ReadonlyMap<string, Member>;
  /** The type of unnamed members; `null`: unknown. */
  readonly rest: Type | null;
  /** Whether there may be unknown members. */
  readonly open: boolean;
  /** The interface that is printed instead. */
  readonly name?: string;
}

export interface Member {
  readonly type: Type;
  /** A description for people. */
  readonly about?: string;
}

export const UNKNOWN: Type = { kind: 'unknown' };
export const STRING: Type = { kind: 'string' };
export const NUMBER: Type = { kind: 'number' };
export const BOOLEAN: Type = { kind: 'boolean' };
export const NULL: Type = { kind: 'null' };
export const MISSING: Type = { kind: 'missing' };
/** The empty type, of what is never reached. */
export const NEVER: Type = { kind: 'union', of: [] };

export const literal = (value: string | number | boolean): Type => ({ kind: 'literal', value });
export const list = (item: Type): Type => ({ kind: 'list', item });

/** An object of these members and no others. */
export function object(members: Iterable<readonly [string, Type]>): ObjectType {
  return { kind: 'object', members: new Map([...members].map(([name, type]) => [name, { type }])), rest: null, open: false };
}

/** An object of which nothing else is known. */
export const ANY_OBJECT: ObjectType = { kind: 'object', members: new Map(), rest: null, open: true };

/** An object without members. */
export const EMPTY_OBJECT: ObjectType = { kind: 'object', members: new Map(), rest: null, open: false };

/** Objects that stay apart in a union; more become one. */
const MOST_OBJECTS = 6;
/** Literals that stay apart; more become the type of all of them. */
const MOST_LITERALS = 32;

export function partsOf(type: Type): readonly Plain[] {
  return type.kind === 'union' ? type.of : [type];
}

/** Any of these. */
export function union(...types: readonly Type[]): Type {
  const parts = new Map<string, Plain>();
  for (const part of types.flatMap(partsOf)) parts.set(typeKey(part), part);
  if ([...parts.values()].some(({ kind }) => kind === 'unknown')) return UNKNOWN;
  const reduced = joinedLists(joinedObjects(withoutCovered([...parts.values()])));
  const [only] = reduced;
  return reduced.length === 1 && only !== undefined ? only : { kind: 'union', of: reduced };
}

/** `'a' | string` is `string`. */
function withoutCovered(parts: readonly Plain[]): readonly Plain[] {
  const literals = parts.filter((part) => part.kind === 'literal');
  const wide = new Set(parts.map(({ kind }) => kind));
  if (literals.length > MOST_LITERALS) for (const { value } of literals) wide.add(kindOf(value));
  if (literals.some(({ value }) => value === true) && literals.some(({ value }) => value === false)) wide.add('boolean');
  const kept = parts.filter((part) => part.kind !== 'literal' || !wide.has(kindOf(part.value)));
  const added = (['string', 'number', 'boolean'] as const).filter((kind) => wide.has(kind) && !parts.some((part) => part.kind === kind));
  return [...kept, ...added.map((kind): Plain => ({ kind }))];
}

function kindOf(value: string | number | boolean): 'string' | 'number' | 'boolean' {
  if (typeof value === 'string') return 'string';
  return typeof value === 'number' ? 'number' : 'boolean';
}

function joinedLists(parts: readonly Plain[]): readonly Plain[] {
  const lists = parts.filter((part) => part.kind === 'list');
  if (lists.length < 2) return parts;
  return [...parts.filter((part) => part.kind !== 'list'), { kind: 'list', item: union(...lists.map(({ item }) => item)) }];
}

function joinedObjects(parts: readonly Plain[]): readonly Plain[] {
  const objects = parts.filter((part) => part.kind === 'object');
  if (objects.length <= MOST_OBJECTS) return parts;
  return [...parts.filter((part) => part.kind !== 'object'), merged(objects)];
}

/** One object that has whatever one of these has. */
export function merged(objects: readonly ObjectType[]): ObjectType {
  const members = new Map<string, Member>();
  for (const name of new Set(objects.flatMap((each) => [...each.members.keys()]))) {
    const about = objects.map((each) => each.members.get(name)?.about).find((text) => text !== undefined);
    const type = union(...objects.map((each) => memberType(each, name)));
    members.set(name, { type, ...(about === undefined ? {} : { about }) });
  }
  const rests = objects.flatMap(({ rest }) => (rest === null ? [] : [rest]));
  return { kind: 'object', members, rest: rests.length === 0 ? null : union(...rests), open: objects.some(({ open }) => open) };
}

/** The members of one object, and over them those of another. */
export function laidOver(below: ObjectType, above: ObjectType): ObjectType {
  const members = new Map<string, Member>();
  for (const name of new Set([...below.members.keys(), ...above.members.keys()])) {
    const over = memberType(above, name);
    members.set(name, { type: mayBe(over, 'missing') ? union(without(over, 'missing'), memberType(below, name)) : over });
  }
  const rests = [below, above].flatMap(({ rest }) => (rest === null ? [] : [rest]));
  return { kind: 'object', members, rest: rests.length === 0 ? null : union(...rests), open: below.open || above.open };
}

/** What a member of this name is. */
export function memberType({ members, rest, open }: ObjectType, name: string): Type {
  const own = members.get(name);
  if (own !== undefined) return own.type;
  if (open) return UNKNOWN;
  return rest === null ? MISSING : union(rest, MISSING);
}

/** Names a type in a text: the same text for the same type. */
export function typeKey(type: Type): string {
  switch (type.kind) {
    case 'literal':
      return JSON.stringify(type.value);
    case 'list':
      return `[${typeKey(type.item)}]`;
    case 'union':
      return `(${type.of.map(typeKey).sort().join('|')})`;
    case 'object':
      return type.name ?? objectText(type);
    default:
      return type.kind;
  }
}

function objectText({ members, rest, open }: ObjectType): string {
  const inside = [...members].map(([name, { type }]) => `${JSON.stringify(name)}:${typeKey(type)}`);
  return `{${[...inside, ...(rest === null ? [] : [`*:${typeKey(rest)}`]), ...(open ? ['…'] : [])].join()}}`;
}

export function mayBe(type: Type, kind: Plain['kind']): boolean {
  return partsOf(type).some((part) => part.kind === kind);
}

/** The type without these kinds. */
export function without(type: Type, ...kinds: readonly Plain['kind'][]): Type {
  const parts = partsOf(type);
  const kept = parts.filter((part) => !kinds.includes(part.kind));
  return kept.length === parts.length ? type : union(...kept);
}

/** Where a value is stored or listed, a missing one is null. */
export function nullForMissing(type: Type): Type {
  return mayBe(type, 'missing') ? union(without(type, 'missing'), NULL) : type;
}

/** Without null and missing. */
export function present(type: Type): Type {
  return without(type, 'null', 'missing');
}

export function isNever(type: Type): boolean {
  return type.kind === 'union' && type.of.length === 0;
}
