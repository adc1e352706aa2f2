import type { Address, AnswerOfPast, App, CollectionAddress, ManageAnswer, PastView, Positioned, ReadAnswer } from '../../app/app.ts';
import type { TextOf } from '../../contract/values.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import type { BruteForceGuard } from '../../kernel/brute-force-guard.ts';
import type { Json } from '../../kernel/json.ts';
import type { RoundRobin } from '../../kernel/round-robin.ts';
import { freshHeaders } from '../answer.ts';
import { type BodyBounds, invalidBody, readJson } from '../body.ts';
import type { CallLog } from '../call-log/call-log.ts';
import type { CallReporter } from '../call-reporter.ts';
import { targetOf } from '../credentials.ts';
import type { EventStreams } from '../event-streams.ts';
import { type Context, param, queryParam, type WithParams, type WithQuery } from '../exchange.ts';
import type { HttpSettings } from '../settings.ts';

/** The dependencies of the routes. */
export interface Services {
  readonly app: App;
  readonly settings: HttpSettings;
  /** Shares computing time between projects. */
  readonly turns: RoundRobin;
  readonly calls: CallReporter;
  readonly callLog: CallLog;
  readonly streams: EventStreams;
  readonly gameBody: BodyBounds;
  readonly managementBody: BodyBounds;
  /** Counts heartbeats with an invalid key; `null`: requests are not counted here. */
  readonly badKeys: BruteForceGuard | null;
}

export function collectionOf(ctx: Context & WithParams<'collection'>): CollectionAddress {
  return { collection: param(ctx, 'collection'), target: targetOf(ctx.state.exchange) };
}

export function addressOf(ctx: Context & WithParams<'collection' | 'key'>): Address {
  return { collection: param(ctx, 'collection'), key: param(ctx, 'key'), target: targetOf(ctx.state.exchange) };
}

/** The body of a document route. Throws 400 INVALID_BODY if there is none. */
export function documentBody(ctx: Context, bounds: BodyBounds): Awaitable<Json> {
  return andThen(readJson(ctx.state.exchange, bounds, invalidBody), (body) => {
    if (body === undefined) throw invalidBody('The body must be a JSON object');
    return body;
  });
}

/** The moment that a read is asked for; `null`: it is of now. */
export function momentOf(ctx: Context & WithQuery<'at'>): string | null {
  return ctx.state.exchange.search === '' ? null : queryParam(ctx, 'at');
}

/** Which past a read of a document is asked for; `null`: it is a plain read of now. */
export function pastViewOf(ctx: Context & WithQuery<'at' | 'view'>): { readonly at: string | null; readonly view: PastView } | null {
  if (ctx.state.exchange.search === '') return null;
  const [at, view] = [queryParam(ctx, 'at'), queryParam(ctx, 'view')];
  if (view === 'stored') return { at, view };
  return at === null ? null : { at, view: 'read' };
}

/** Headers of an answer as of a moment, besides those of its kind. */
export function pastHeaders(answer: AnswerOfPast, headers: Record<string, string> = freshHeaders(answer)): Record<string, string> {
  headers['x-ns-at'] = String(answer.at.revision);
  return headers;
}

type Headers = Readonly<Record<string, string>>;
type Read<Body> = { readonly body: Body; readonly headers: Headers } | { readonly text: TextOf<Body>; readonly headers: Headers };

/** Answer of a read, which no cache stores. */
export function readAnswer<Body extends object>(answer: ReadAnswer<Body>, headers: Headers = freshHeaders(answer)): Read<Body> {
  const { result } = answer;
  return typeof result === 'string' ? { text: result, headers } : { body: result, headers };
}

export function versionedHeaders(answer: Positioned & { readonly version: number }): Record<string, string> {
  const headers = freshHeaders(answer);
  headers['x-ns-save-version'] = String(answer.version);
  return headers;
}

/** Answer of a management route, which no cache stores. */
export function managed<Body>(answer: ManageAnswer<Body> | (ManageAnswer<Body> & AnswerOfPast)): {
  readonly body: Body;
  readonly headers: Headers;
} {
  const headers = 'at' in answer ? pastHeaders(answer) : freshHeaders(answer);
  return {
    body: answer.result,
    headers: answer.published === undefined ? headers : { ...headers, 'x-ns-published': String(answer.published) },
  };
}
