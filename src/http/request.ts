import { z } from 'zod';
import type { Caller } from '../app/app.ts';
import { takesSecretKey } from '../contract/credentials.ts';
import type { AnswerOf, BodyIn, HeaderOf, KeyedRoute, ParamOf, QueryIn, RequestBody } from '../contract/route.ts';
import type { PublishTarget } from '../domain/events.ts';
import { memberSpellings } from '../domain/wire-names.ts';
import type { Awaitable } from '../kernel/awaitable.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { type BodyBounds, type MakeRefusal, readJson } from './body.ts';
import { authenticate, targetOf } from './credentials.ts';
import { type Context, type Exchange, firstQuery, headerText, queryOf } from './exchange.ts';
import type { Group, Handlers } from './handlers.ts';
import { parsed, parsedBody } from './parsed.ts';
import type { Services } from './routes/services.ts';

/**
 * Requests as the contract describes them: parsed here, once, by the schemas of their route. A member of a body that its schema does not
 * have is refused. The key is checked before the body is read, and the body's size, depth and time are bounded before it is parsed.
 *
 * The hot routes read their requests by hand, since each of them is measured by the microsecond: documents, endpoint calls and queries.
 */

/** A request to a route, parsed. */
export interface RequestOf<R extends KeyedRoute> {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly target: PublishTarget;
  readonly params: { readonly [Name in ParamOf<R>]: string };
  /** A flag stands here wherever it was sent: in the query, or as a member of the body. */
  readonly query: QueryIn<R>;
  /** As they were sent; `null`: absent or empty. */
  readonly headers: { readonly [Name in HeaderOf<R>]: string | null };
  readonly body: BodyIn<R>;
}

/** Routes by name, each of which takes a key. */
type KeyedGroup<G> = { readonly [Name in keyof G]: KeyedRoute };

/** What answers each route of a group. */
export type Answering<G extends KeyedGroup<G>> = {
  readonly [Name in keyof G]: (request: RequestOf<G[Name]>) => Awaitable<AnswerOf<G[Name]>>;
};

/** Refuses a caller whatever the body holds: it is asked before the body is read. */
type Admit = (caller: Caller) => Awaitable<void>;

/** Handlers of a group of routes that get their requests parsed. */
export function answering<G extends Group & KeyedGroup<G>>(
  services: Services,
  group: G,
  answers: Answering<G>,
  admit?: Admit,
): Handlers<G> {
  const handler = <Name extends keyof G>(name: Name): Handlers<G>[Name] => {
    const [route, answer] = [group[name], answers[name]];
    return async (ctx) => answer(await readRequest(services, ctx, route, admit));
  };
  const handlers = Object.keys(group).map((name) => [name, handler(name)]);
  return Object.fromEntries(handlers) as Handlers<G>;
}

/**
 * Checks the key of a request, reads its body, and parses all of it. Throws as `authenticate`, `admit` and `readJson` do, and the route's
 * own refusal for what does not fit.
 */
export async function readRequest<R extends KeyedRoute>(services: Services, ctx: Context, route: R, admit?: Admit): Promise<RequestOf<R>> {
  const { exchange } = ctx.state;
  const caller = await authenticate(services.app, ctx, route);
  await admit?.(caller);
  const refuse = refusing(route);
  const sent = route.body === undefined ? undefined : await sentBody(exchange, route.body, boundsOf(services, route), refuse);
  const request = {
    exchange,
    caller,
    target: targetOf(exchange),
    params: paramsIn(ctx, route, refuse),
    query: queryIn(exchange, route, sent, refuse),
    headers: Object.fromEntries(Object.keys(route.headers ?? {}).map((name) => [name, headerText(exchange, name)])),
    body: bodyIn(route, sent, refuse),
  };
  // The schemas of the route made the values, so they are of its types.
  return request as unknown as RequestOf<R>;
}

/** Makes the refusal of what does not fit a route. */
function refusing({ unfit, body }: KeyedRoute): MakeRefusal {
  const { code, facts = {} } = unfit ?? { code: body === undefined ? 'INVALID_REQUEST' : 'INVALID_BODY' };
  return (message) => refusal(code, message, { body: facts });
}

function boundsOf({ gameBody, managementBody }: Services, { keys }: KeyedRoute): BodyBounds {
  return takesSecretKey(keys) ? managementBody : gameBody;
}

/** The body; `undefined` if there is none, or none that can be read where the route does not mind. */
async function sentBody(exchange: Exchange, body: RequestBody, bounds: BodyBounds, refuse: MakeRefusal): Promise<Json | undefined> {
  const { unreadable, required } = body;
  const { code, message, facts = {} } = unreadable ?? {};
  const refuseUnreadable: MakeRefusal = (fault) => (code === undefined ? refuse(fault) : refusal(code, message, { body: facts }));
  try {
    const sent = await readJson(exchange, bounds, refuseUnreadable);
    if (sent === undefined && required) throw refuse('Request body is empty.');
    return sent;
  } catch (error) {
    if (unreadable === null && error instanceof Refusal && error.status === 400) return undefined;
    throw error;
  }
}

function bodyIn({ body }: KeyedRoute, sent: Json | undefined, refuse: MakeRefusal): unknown {
  if (body === undefined || body.loose) return sent ?? null;
  return parsedBody(body.schema, sent === undefined ? {} : sent, refuse);
}

function paramsIn(ctx: Context, { path, params = {} }: KeyedRoute, refuse: MakeRefusal): Readonly<Record<string, unknown>> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, parsed(params[name] ?? z.string(), ctx.params[name], name, refuse)]));
}

/** The query as its schemas say, with `null` for what is absent and has no default. */
function queryIn(
  exchange: Exchange,
  { query = {}, body }: KeyedRoute,
  sent: Json | undefined,
  refuse: MakeRefusal,
): Readonly<Record<string, unknown>> {
  const values = Object.entries(query).map(([name, schema]) => {
    if (isFlag(schema)) return [name, flagIn(exchange, name, schema, refuse) || saidInBody(body, name, sent, refuse)];
    return [name, valueIn(firstQuery(exchange, memberSpellings(name)), name, schema, refuse)];
  });
  return Object.fromEntries(values);
}

/** A parameter that is `true` or `false`. */
function isFlag(schema: z.ZodType): boolean {
  const inner = withoutDefault(schema);
  return inner instanceof z.ZodEnum && inner.options.every((word) => word === 'true' || word === 'false');
}

/**
 * Whether the query says `true`. Any other word than the schema's is refused, as is a name without a value, or one that is sent twice:
 * counted as false, a dry run would promote, findings would pass, and what was to be removed would stay.
 */
function flagIn(exchange: Exchange, name: string, schema: z.ZodType, refuse: MakeRefusal): boolean {
  return parsed(withoutDefault(schema), queryOf(exchange)[name] ?? 'false', name, refuse) === 'true';
}

/** Whether the body says so, if its schema has a member of this name. */
function saidInBody(body: RequestBody | undefined, name: string, sent: Json | undefined, refuse: MakeRefusal): boolean {
  const schema = body === undefined ? undefined : memberOf(body.schema, name);
  if (schema === undefined || !isObject(sent) || !Object.hasOwn(sent, name)) return false;
  return parsed(schema, sent[name], name, refuse) === true;
}

function memberOf(schema: z.ZodType, name: string): z.ZodType | undefined {
  const objects = schema instanceof z.ZodUnion ? schema.options : [schema];
  return objects.map((each) => (each instanceof z.ZodObject ? each.shape[name] : undefined)).find((found) => found !== undefined);
}

/** A player who cannot be is refused by a code of his own. */
const PLAYERS: ReadonlySet<string> = new Set(['player', 'platformId']);

/** A number above the schema's largest counts as the largest. */
function valueIn(text: string | null, name: string, schema: z.ZodType, refuse: MakeRefusal): unknown {
  const inner = withoutDefault(schema);
  if (text === null) return inner === schema ? null : schema.parse(undefined);
  if (text.includes('\0') && !PLAYERS.has(name)) throw refuse(`\`${name}\` must be a text without U+0000, which nothing stored holds`);
  if (!(inner instanceof z.ZodNumber)) return parsed(inner, text, name, refuse);
  const sent = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  return parsed(inner, Math.min(sent, inner.maxValue ?? sent), name, refuse);
}

function withoutDefault(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema;
}
