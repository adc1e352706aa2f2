import type { Operation } from './operations.ts';
import type { CallOptions } from './options.ts';

/** What a client knows of one game. Without it, every slug is taken, and JSON is whatever the game says it is. */

// biome-ignore lint/suspicious/noExplicitAny: JSON whose shape the game knows, and this library does not
export type AnyJson = any;

/** An endpoint: what it takes, what it answers, and the codes that its author refuses with. */
export interface EndpointTypes {
  readonly input?: unknown;
  readonly answer?: unknown;
  readonly refusals?: string;
}

/** The shape of a game's types: by collection, by slug, by query. */
export interface GameTypes {
  readonly documents: object;
  readonly endpoints: object;
  readonly queries: object;
  readonly values: object;
}

/** A game of which nothing is known. */
export interface AnyGame extends GameTypes {
  readonly documents: Readonly<Record<string, AnyJson>>;
  readonly endpoints: Readonly<Record<string, { readonly input: AnyJson; readonly answer: AnyJson; readonly refusals: string }>>;
  readonly queries: Readonly<Record<string, AnyJson>>;
  readonly values: Readonly<Record<string, AnyJson>>;
}

export type CollectionOf<G extends GameTypes> = keyof G['documents'] & string;
export type SlugOf<G extends GameTypes> = keyof G['endpoints'] & string;
export type QueryOf<G extends GameTypes> = keyof G['queries'] & string;

export type DocumentOf<G extends GameTypes, C extends CollectionOf<G>> = G['documents'][C];
type Endpoint<G extends GameTypes, S extends SlugOf<G>> = G['endpoints'][S];
export type InputOf<G extends GameTypes, S extends SlugOf<G>> = Endpoint<G, S> extends { readonly input: infer Input } ? Input : AnyJson;
export type AnswerOf<G extends GameTypes, S extends SlugOf<G>> =
  Endpoint<G, S> extends { readonly answer: infer Answer } ? Answer : AnyJson;
export type RefusalsOf<G extends GameTypes, S extends SlugOf<G>> =
  Endpoint<G, S> extends { readonly refusals: infer Codes extends string } ? Codes : string;

/** The input may be left out where nothing in it is required. */
export type CallArguments<Input> =
  Record<never, never> extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions];

type IsAny<T> = 0 extends 1 & T ? true : false;

/** Dotted paths into a document. */
export type PathOf<Doc> =
  IsAny<Doc> extends true
    ? string
    : Doc extends readonly unknown[]
      ? never
      : Doc extends object
        ? { [Name in keyof Doc & string]: Name | `${Name}.${PathOf<NonNullable<Doc[Name]>>}` }[keyof Doc & string]
        : never;

/** What lies at a path. */
export type AtPath<Doc, Path extends string> =
  IsAny<Doc> extends true
    ? AnyJson
    : Path extends `${infer Name}.${infer Rest}`
      ? Name extends keyof Doc
        ? AtPath<NonNullable<Doc[Name]>, Rest>
        : never
      : Path extends keyof Doc
        ? Doc[Path]
        : never;

type PathTo<Doc, Kind> = { [Path in PathOf<Doc>]: NonNullable<AtPath<Doc, Path>> extends Kind ? Path : never }[PathOf<Doc>];
type SetOf<Doc> = { [Path in PathOf<Doc>]: Operation<'set' | 'set_if_null', Path, AtPath<Doc, Path>> }[PathOf<Doc>];

/** The operations that fit a document. */
export type OperationOf<Doc> =
  IsAny<Doc> extends true
    ? Operation
    :
        | SetOf<Doc>
        | Operation<'inc', PathTo<Doc, number>, number>
        | Operation<'push' | 'pull' | 'remove', PathTo<Doc, readonly unknown[]>>
        | Operation<'merge', PathOf<Doc> | '$'>;
