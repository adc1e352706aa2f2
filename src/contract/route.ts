import type { z } from 'zod';
import type { Code } from '../kernel/errors.ts';
import type { Json, JsonObject } from '../kernel/json-value.ts';
import type { KeyRules } from './credentials.ts';
import type { Family } from './families.ts';
import type { ShownBy, TextOf } from './values.ts';

/** One route of the server, as data for handlers, documentation, clients and tests. */
export interface Route {
  /** The name of the operation in generated clients. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path under the base of its family. A parameter is a whole segment, `:name`. */
  readonly path: `/${string}`;
  readonly family: Family;
  /** The storage aliases that serve it, too. */
  readonly also?: readonly Family[];
  /** Whether tools that list routes leave it out: it is an old spelling of another route. */
  readonly hidden?: boolean;
  readonly tag: Tag;
  /** What the route does, in a few words. */
  readonly summary: string;
  /** What else a caller must know, in Markdown. */
  readonly description?: string;
  /** `null`: open to anybody. */
  readonly keys: KeyRules | null;
  /** Path parameters that {@link PATH_PARAMETERS} does not describe. */
  readonly params?: Described;
  readonly query?: Described;
  /** The schema of all other query parameters, which endpoints take as input. */
  readonly anyQuery?: z.ZodType;
  readonly headers?: Described;
  readonly body?: RequestBody;
  /** How a request that does not fit is refused. Default: `INVALID_BODY`, or `INVALID_REQUEST` of a route without a body. */
  readonly unfit?: Unfit;
  /** Answers by status. The author of an endpoint may answer with any status. */
  readonly answers: Answers;
  /** Answers of status 200 in other content types. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Whether the route answers with `texts` only, and never with JSON. */
  readonly noJson?: boolean;
  readonly answerHeaders?: Described;
  /** Its own refusals, besides those that follow from the other members. */
  readonly errors: readonly Code[];
  /** Whether the author of an endpoint may answer with other statuses and codes. */
  readonly authored?: boolean;
  /** Whether the route stores anything. */
  readonly writes?: boolean;
  /** Whether the route accepts an `Idempotency-Key`. */
  readonly idempotent: boolean;
  /** Whether it refuses an `Idempotency-Key`: each repetition counts, and ignoring the key would promise that it does not. */
  readonly refusesKey?: boolean;
  readonly example?: Example;
}

export type Described = Readonly<Record<string, z.ZodType>>;
type Answers = Readonly<Record<number, z.ZodType>>;

export interface RequestBody {
  readonly schema: z.ZodType;
  /** If false, the route may be called without a body. */
  readonly required: boolean;
  /**
   * Whether the use case reads it, with a finding or a default for what does not fit: what authors write, and what games report. The schema
   * then says only what should be sent.
   */
  readonly loose?: boolean;
  /** How a body is refused that is no JSON, if not as `unfit` says; `null`: it counts as none. */
  readonly unreadable?: (Unfit & { readonly message: string }) | null;
}

/** How a request is refused that does not fit. */
interface Unfit {
  readonly code: Code;
  /** Members of the answer beside the refusal. */
  readonly facts?: JsonObject;
}

/** A request to the project of the examples, and its answer. */
interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answer?: unknown;
  /** Status of `answer`. Default: 200. */
  readonly status?: number;
}

/** The groups in which documentation shows routes. */
export const TAGS = {
  Documents: 'What players store: one JSON document under a collection and a key',
  'Save records': 'Named save slots of a player',
  'Global records': 'Collections that everybody appends to',
  Endpoints: "A game's own calls, which its author defines",
  'Queries and values': 'Leaderboards and other questions over documents; values that the game is tuned by',
  Live: 'Changes as they happen',
  Players: 'Sessions, and what a client is told of security',
  Telemetry: 'What games report: events, heartbeats, failed saves',
  Pages: 'Texts that a project shows to anybody',
  Definitions: 'Collections, endpoints, workflows, libraries, queries, game values and rate-limit rules of a project',
  Publishing: 'Pushes of whole projects, staging, promotion, rollback',
  Corrections: 'What support puts right: commits undone, players restored, grants',
  Tests: 'Saved tests and dry runs',
  Project: "A project's settings and keys, its package, its history",
  System: 'The server itself',
} as const;

type Tag = keyof typeof TAGS;

/** Keeps the literal types of a route, which type its handler. */
export function route<const R extends Route>(described: R): R {
  return described;
}

type ParamIn<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? ParamIn<Segment> | ParamIn<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;

/** The names of a route's path parameters. */
export type ParamOf<R extends Route> = ParamIn<R['path']>;

/** The names of the query parameters that a route reads. */
export type QueryOf<R extends Route> = R extends { readonly query: infer Query } ? keyof Query & string : never;

/** A route that takes a key of a project. */
export type KeyedRoute = Route & { readonly keys: KeyRules; readonly path: `/:project${string}` };

export type HeaderOf<R extends Route> = R extends { readonly headers: infer Headers } ? keyof Headers & string : never;

/** The parsed query of a route: flags as booleans, and `null` for what is absent and has no default. */
export type QueryIn<R extends Route> = R extends { readonly query: infer Query extends Described }
  ? { readonly [Name in keyof Query]: ParameterIn<Query[Name]> }
  : object;

type ParameterIn<Schema extends z.ZodType> =
  z.output<Schema> extends 'true' | 'false' ? boolean : Schema extends z.ZodDefault ? z.output<Schema> : z.output<Schema> | null;

/** The parsed body of a route; of a loose one any JSON, and `null` if there is none. */
export type BodyIn<R extends Route> = R extends { readonly body: infer Body extends RequestBody }
  ? Body extends { readonly loose: true }
    ? Body extends { readonly required: true }
      ? Json
      : Json | null
    : ShownBy<Body['schema']>
  : null;

/** What a handler of the route may answer. */
export type AnswerOf<R extends Route> = JsonAnswerOf<R> | TextAnswerOf<R>;

type JsonAnswerOf<R extends Route> = R extends { readonly noJson: true }
  ? never
  : {
      [Status in keyof R['answers'] & number]: R['answers'][Status] extends z.ZodType
        ? AnswerWith<Status, ShownBy<R['answers'][Status]>, R extends { readonly authored: true } ? true : false>
        : never;
    }[keyof R['answers'] & number];

type TextAnswerOf<R extends Route> = R extends { readonly texts: infer Texts }
  ? AnswerParts & { readonly status?: 200; readonly body?: never; readonly contentType: keyof Texts & string } & (WholeText | GoingOn)
  : never;

interface WholeText {
  readonly text: string | Uint8Array;
  readonly stream?: never;
}

/** An answer whose events are sent as they happen. */
interface GoingOn {
  readonly stream: AsyncIterable<unknown>;
  readonly text?: never;
}

/** Contains either `body` or `text`. */
type AnswerWith<Status, Body, Authored> = AnswerStatus<Status, Authored> & AnswerParts & (AnswerBody<Body> | AnswerText<Body>);

/** Default: 200. */
type AnswerStatus<Status, Authored> = Authored extends true
  ? { readonly status?: number }
  : Status extends 200
    ? { readonly status?: 200 }
    : { readonly status: Status };

interface AnswerBody<Body> {
  readonly body: Body;
  readonly text?: never;
}

/** The body as text, if that text already exists. */
interface AnswerText<Body> {
  readonly text: TextOf<Body>;
  readonly body?: never;
}

interface AnswerParts {
  /** Default: `application/json; charset=utf-8`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the command was carried out. The answer must then not become a refusal. */
  readonly done?: boolean;
}
