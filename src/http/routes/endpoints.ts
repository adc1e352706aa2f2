import type { Caller, EndpointAnswer, EndpointRequest } from '../../app/app.ts';
import type { CallBody } from '../../contract/resources/call.ts';
import type { AnswerOf } from '../../contract/route.ts';
import { endpoints } from '../../contract/routes/endpoints.ts';
import { inputOfBody, inputOfPayload, securityIn } from '../../domain/security/call-body.ts';
import { sealedIn } from '../../domain/security/envelope.ts';
import { isReservedQuery } from '../../domain/security/reserved-queries.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { notFound, refusal } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { freshHeaders } from '../answer.ts';
import { invalidBody, invalidJson, readJson } from '../body.ts';
import { authenticate, targetOf, withBodyClaim } from '../credentials.ts';
import { sendableStatus } from '../errors.ts';
import { type Context, type Exchange, headerText, param, queryOf } from '../exchange.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import { countedCall } from './counted-call.ts';
import type { Services } from './services.ts';

const NO_SLUG = 'Missing endpoint slug';

/** Endpoint calls. The HTTP method is not compared with the definition's. */
export function endpointHandlers({ app, calls, gameBody }: Services): Handlers<typeof endpoints> {
  const bodyOf = (ctx: Context): Awaitable<JsonObject> =>
    andThen(readJson(ctx.state.exchange, gameBody, invalidJson), (body) => {
      if (body === undefined) return {};
      if (!isObject(body)) throw invalidBody('The body must be a JSON object');
      return body;
    });

  const timed = async (ctx: Context, caller: Caller, request: EndpointRequest): Promise<AnswerOf<typeof endpoints.call>> => {
    const { projectId: project, onBehalfOf, platformId } = caller;
    const { slug, target } = request;
    const called = { project, slug, target, platformId: onBehalfOf ?? platformId };
    const run = () => app.endpoints.call(caller, request);
    return answerOf(await countedCall(calls, ctx.state.exchange, called, run, cameOf));
  };

  const posted = async (ctx: ContextOf<typeof endpoints.callNamed>, slugIn: (body: JsonObject) => string) => {
    const caller = await authenticate(app, ctx, endpoints.callNamed);
    return andThen(bodyOf(ctx), (body) => timed(ctx, withBodyClaim(ctx, caller, body), requestOf(ctx, slugIn(body), body)));
  };

  return {
    call: (ctx) => posted(ctx, () => param(ctx, 'slug')),

    callNamed: (ctx) => posted(ctx, slugOfBody),

    async callNothing(ctx) {
      await authenticate(app, ctx, endpoints.callNothing);
      throw refusal('INVALID_REQUEST', NO_SLUG);
    },

    async callByQuery(ctx) {
      // The router treats HEAD as GET, and a GET here runs the endpoint. A HEAD request must change nothing.
      if (ctx.method === 'HEAD') throw notFound('route');
      const caller = await authenticate(app, ctx, endpoints.callByQuery);
      const { exchange } = ctx.state;
      const plain = { sealed: null, security: null, library: false, pressed: null };
      const input = inputOfQuery(exchange);
      const request = { ...plain, slug: param(ctx, 'slug'), target: targetOf(exchange), input, unproven: () => input, fromQuery: true };
      return timed(ctx, caller, request);
    },
  };
}

function cameOf({ status, body, position }: EndpointAnswer) {
  return { status, body, revision: position };
}

function answerOf(answer: EndpointAnswer): AnswerOf<typeof endpoints.call> {
  const headers = freshHeaders(answer);
  if (answer.publish !== '') headers['x-ns-publish'] = answer.publish;
  return { status: sendableStatus(answer.status), body: answer.body, headers, done: true };
}

/** The endpoint request of a POST: the input or the sealed body, and the body's other members. */
function requestOf(ctx: Context, slug: string, body: JsonObject): EndpointRequest {
  const { exchange } = ctx.state;
  const sealed = sealedIn(body);
  const security = securityIn(body);
  const library = security !== null || headerText(exchange, 'x-ns-security-mode') !== null;
  const input = sealed ? {} : inputOfBody(body);
  const unproven = () => (sealed ? input : inputOfPayload(body));
  return { slug, target: targetOf(exchange), input, unproven, fromQuery: false, sealed, security, library, pressed: null };
}

function slugOfBody({ endpoint, slug: named, _endpointSlug }: CallBody): string {
  for (const slug of [endpoint, named, _endpointSlug]) {
    if (typeof slug === 'string' && slug.trim() !== '') return slug;
  }
  throw refusal('INVALID_REQUEST', NO_SLUG);
}

/** Input from the query. Throws 400 INVALID_INPUT for text that JSON bodies may not contain either: once stored, it could never be read. */
function inputOfQuery(exchange: Exchange): JsonObject {
  const members: [string, string][] = [];
  for (const [name, value] of Object.entries(queryOf(exchange))) {
    if (isReservedQuery(name)) continue;
    const text = (Array.isArray(value) ? value[0] : value) ?? '';
    if (name === '__proto__') throw refusal('INVALID_INPUT', 'A field cannot be called __proto__');
    if (name.includes('\0') || text.includes('\0')) throw refusal('INVALID_INPUT', 'The query holds U+0000');
    members.push([name, text]);
  }
  return Object.fromEntries(members);
}
