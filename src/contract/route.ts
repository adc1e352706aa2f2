import type { z } from 'zod';
import type { Code } from '../kernel/errors.ts';
import type { KeyRules } from './credentials.ts';
import type { Family } from './families.ts';
import type { ShownBy, TextOf } from './values.ts';

/** One route of the server, as data for handlers, documentation, clients and tests. */
export interface Route {
  /** Names the operation in generated clients. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path under the base of its family. A parameter is a whole segment, `:name`. */
  readonly path: `/${string}`;
  readonly family: Family;
  /** The storage aliases that also serve it. */
  readonly also?: readonly Family[];
  /** Left out where tools list routes: an old spelling of another route. */
  readonly hidden?: boolean;
  readonly tag: Tag;
  /** What it does, in a few words. */
  readonly summary: string;
  /** What else a caller must know, in Markdown. */
  readonly description?: string;
  /** `null`: open to anybody. */
  readonly keys: KeyRules | null;
  /** Path parameters that {@link PATH_PARAMETERS} does not describe. */
  readonly params?: Described;
  readonly query?: Described;
  /** Schema of all other query parameters: endpoints take them as their input. */
  readonly anyQuery?: z.ZodType;
  readonly headers?: Described;
  readonly body?: RequestBody;
  /** Answers by status. An author of endpoints may answer with any status. */
  readonly answers: Answers;
  /** Answers of status 200 in other content types. */
  readonly texts?: Readonly<Record<string, string>>;
  /** The route answers only `texts`, and no JSON. */
  readonly noJson?: boolean;
  readonly answerHeaders?: Described;
  /** Its own refusals, besides those that follow from the other members. */
  readonly errors: readonly Code[];
  /** Whether an author of endpoints may answer with other statuses and codes. */
  readonly authored?: boolean;
  /** Whether it stores anything. */
  readonly writes?: boolean;
  /** Whether it accepts an `Idempotency-Key`. */
  readonly idempotent: boolean;
  readonly example?: Example;
}

export type Described = Readonly<Record<string, z.ZodType>>;
type Answers = Readonly<Record<number, z.ZodType>>;

interface RequestBody {
  readonly schema: z.ZodType;
  /** If false, the route may be called without a body. */
  readonly required: boolean;
}

/** A request that works on the project of the examples, and its answer. */
interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answer?: unknown;
  /** Status of `answer`. Left out: 200. */
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
  Tests: 'Saved tests and dry runs',
  Project: "A project's settings and keys, its package, its history",
  System: 'The server itself',
} as const;

type Tag = keyof typeof TAGS;

/** Keeps the literal types of a route, from which its handler is typed. */
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

/** Events that are sent as they happen. */
interface GoingOn {
  readonly stream: AsyncIterable<unknown>;
  readonly text?: never;
}

/** Either `body` or `text`. */
type AnswerWith<Status, Body, Authored> = AnswerStatus<Status, Authored> & AnswerParts & (AnswerBody<Body> | AnswerText<Body>);

/** Left out: 200. */
type AnswerStatus<Status, Authored> = Authored extends true
  ? { readonly status?: number }
  : Status extends 200
    ? { readonly status?: 200 }
    : { readonly status: Status };

interface AnswerBody<Body> {
  readonly body: Body;
  readonly text?: never;
}

/** The body as text, if the text exists already. */
interface AnswerText<Body> {
  readonly text: TextOf<Body>;
  readonly body?: never;
}

interface AnswerParts {
  /** Left out: `application/json; charset=utf-8`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The command was carried out, so this answer must not become a refusal. */
  readonly done?: boolean;
}
