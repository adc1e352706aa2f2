import type { Address, App, CollectionAddress, ManageAnswer, Positioned, ReadAnswer } from '../../app/app.ts';
import type { TextOf } from '../../contract/values.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import type { BruteForceGuard } from '../../kernel/brute-force-guard.ts';
import { Refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { RoundRobin } from '../../kernel/round-robin.ts';
import { freshHeaders } from '../answer.ts';
import { type BodyBounds, invalidBody, type MakeRefusal, readJson } from '../body.ts';
import type { CallLog } from '../call-log/call-log.ts';
import type { CallReporter } from '../call-reporter.ts';
import { targetOf } from '../credentials.ts';
import type { EventStreams } from '../event-streams.ts';
import { type Context, type Exchange, param, queryOf, type WithParams } from '../exchange.ts';
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

/** Makes the refusal of a management body. It says what kind of body the route wants. */
export function invalidResource(resourceKind: string): MakeRefusal {
  return (message) => new Refusal(400, 'VALIDATION_FAILED', message, { body: { resourceKind } });
}

/** The body of a route that needs one. Throws `invalid` if there is none, and as `readJson`. */
export async function presentBody(exchange: Exchange, bounds: BodyBounds, invalid: MakeRefusal): Promise<Json> {
  const body = await readJson(exchange, bounds, invalid);
  if (body === undefined) throw invalid('Request body is empty.');
  return body;
}

/**
 * Whether the query, or the body's member of this name, says `true`. Values other than true and false are refused, as is a name without a value:
 * counted as false, a dry run would promote, findings would pass, and what was to be removed would stay.
 */
export function flagOf(exchange: Exchange, name: string, body?: Json, invalid: MakeRefusal = invalidBody): boolean {
  const value = queryOf(exchange)[name] ?? 'false';
  const sent = isObject(body) && Object.hasOwn(body, name) ? body[name] : false;
  if ((value !== 'true' && value !== 'false') || typeof sent !== 'boolean') throw invalid(`\`${name}\` must be true or false.`);
  return sent || value === 'true';
}

/**
 * The body of a route that acts; no body counts as an empty one. Unknown members are refused: if `dry_run` were ignored, a dry run would
 * promote, and with a misspelt `slug` every endpoint would be tested.
 */
export function membersOf(body: Json | undefined, known?: readonly string[], invalid: MakeRefusal = invalidBody): JsonObject {
  if (body === undefined) return {};
  if (!isObject(body)) throw invalid('The body must be a JSON object');
  const unknown = Object.keys(body).find((name) => known?.includes(name) === false);
  if (unknown === undefined) return body;
  throw invalid(`The body has no member \`${unknown}\`${known?.length === 0 ? '' : `, only ${known?.join(', ')}`}`);
}

/** Answer of a management route, which no cache stores. */
export function managed<Body>(answer: ManageAnswer<Body>): { readonly body: Body; readonly headers: Headers } {
  const headers = freshHeaders(answer);
  return {
    body: answer.result,
    headers: answer.published === undefined ? headers : { ...headers, 'x-ns-published': String(answer.published) },
  };
}
