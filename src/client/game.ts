import type { Merge, Operation } from './operations.ts';
import type { CallOptions } from './options.ts';

/** The types of one game. Without them every slug is accepted, and JSON may be anything. */

// biome-ignore lint/suspicious/noExplicitAny: JSON whose shape the game knows, and this library does not
export type AnyJson = any;

/** The types of an endpoint: its input, its answer, and the codes of its author's refusals. */
export interface EndpointTypes {
  readonly input?: unknown;
  readonly answer?: unknown;
  readonly refusals?: string;
}

/** The shape of a game's types, by the names of collections, endpoints and queries. `savepoint types` generates them. */
export interface GameTypes {
  /** Documents as they are read. */
  readonly documents: object;
  /** Documents as they are saved, if that differs: fields with a default may be left out. */
  readonly saves?: object;
  readonly endpoints: object;
  /** The rows of leaderboards; `never` for a query without rows. */
  readonly queries: object;
  /** Constants, by group. */
  readonly values: object;
  /** The rows of tables. */
  readonly tables?: object;
}

/** A game without types. */
export interface AnyGame extends GameTypes {
  readonly documents: Readonly<Record<string, AnyJson>>;
  readonly endpoints: Readonly<Record<string, { readonly input: AnyJson; readonly answer: AnyJson; readonly refusals: string }>>;
  readonly queries: Readonly<Record<string, AnyJson>>;
  readonly values: Readonly<Record<string, AnyJson>>;
}

export type CollectionOf<G extends GameTypes> = keyof G['documents'] & string;
export type SlugOf<G extends GameTypes> = keyof G['endpoints'] & string;
export type QueryOf<G extends GameTypes> = keyof G['queries'] & string;

/** Queries that have rows. */
export type BoardOf<G extends GameTypes> = QueryOf<G> & { [Q in QueryOf<G>]: [G['queries'][Q]] extends [never] ? never : Q }[QueryOf<G>];

export type DocumentOf<G extends GameTypes, C extends CollectionOf<G>> = G['documents'][C];
export type SaveOf<G extends GameTypes, C extends CollectionOf<G>> = G extends { readonly saves: infer Saves }
  ? C extends keyof Saves
    ? Saves[C]
    : G['documents'][C]
  : G['documents'][C];
/** An address of an endpoint. A call by address has no types. */
export type Address = `http${string}`;
type Endpoint<G extends GameTypes, S extends string> = S extends SlugOf<G> ? G['endpoints'][S] : unknown;
export type InputOf<G extends GameTypes, S extends string> = Endpoint<G, S> extends { readonly input: infer Input } ? Input : AnyJson;
export type AnswerOf<G extends GameTypes, S extends string> = Endpoint<G, S> extends { readonly answer: infer Answer } ? Answer : AnyJson;
export type RefusalsOf<G extends GameTypes, S extends string> =
  Endpoint<G, S> extends { readonly refusals: infer Codes extends string } ? Codes : string;

/** The input may be left out where nothing in it is required. */
export type CallArguments<Input> =
  Record<never, never> extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions];

/** Arguments of a queued call, which takes no options. */
export type QueuedInput<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input];

type IsAny<T> = 0 extends 1 & T ? true : false;

/** Dotted paths into a document; any path below a member of unknown type. */
type PathOf<Doc> = unknown extends Doc
  ? string
  : Doc extends readonly unknown[]
    ? never
    : Doc extends object
      ? { [Name in keyof Doc & string]: Name | `${Name}.${PathBelow<Doc[Name]>}` }[keyof Doc & string]
      : never;

type PathBelow<Member> = unknown extends Member ? string : PathOf<NonNullable<Member>>;

/** The type at a path. */
type AtPath<Doc, Path extends string> = unknown extends Doc
  ? Doc
  : Path extends `${infer Name}.${infer Rest}`
    ? Name extends keyof Doc
      ? AtBelow<Doc[Name], Rest>
      : never
    : Path extends keyof Doc
      ? Doc[Path]
      : never;

type AtBelow<Member, Path extends string> = unknown extends Member ? Member : AtPath<NonNullable<Member>, Path>;

type PathTo<Doc, Kind> = { [Path in PathOf<Doc>]: Fits<AtPath<Doc, Path>, Kind> extends true ? Path : never }[PathOf<Doc>];
/** Whether a type is of a kind. An unknown type may be of any. */
type Fits<At, Kind> = unknown extends At ? true : [NonNullable<At>] extends [Kind] ? true : false;
type SetOf<Doc> = { [Path in PathOf<Doc>]: Operation<'set' | 'set_if_null', Path, Frozen<AtPath<Doc, Path>>> }[PathOf<Doc>];

/** The type with read-only lists and members, so that read-only values may be sent. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;

/** Operations on lists, with items of the list's type. */
type ItemsOf<Doc> = {
  [Path in PathTo<Doc, readonly unknown[]>]: Operation<'push' | 'remove', Path, ItemOf<AtPath<Doc, Path>>>;
}[PathTo<Doc, readonly unknown[]>];
type ItemOf<At> = unknown extends At ? unknown : NonNullable<At> extends readonly (infer Item)[] ? Frozen<Item> : unknown;

/** Operations that merge members which the object has. */
type MergeOf<Doc> = { [Path in PathOf<Doc>]: MergeAt<Path, AtPath<Doc, Path>> }[PathOf<Doc>] | MergeAt<'$', Doc>;
type MergeAt<Path extends string, At> = unknown extends At
  ? Operation<'merge', Path>
  : NonNullable<At> extends readonly unknown[]
    ? never
    : NonNullable<At> extends object
      ? Merge<Path, Partial<Frozen<NonNullable<At>>>>
      : never;

/** The operations that a document accepts. */
export type OperationOf<Doc> =
  IsAny<Doc> extends true
    ? Operation
    :
        | SetOf<Doc>
        | ItemsOf<Doc>
        | MergeOf<Doc>
        | Operation<'inc', PathTo<Doc, number>, number>
        | Operation<'pull', PathTo<Doc, readonly unknown[]>>;
