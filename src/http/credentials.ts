import type { App, Caller, PresentedCredentials } from '../app/app.ts';
import { type KeyRules, needOfPerson, takesSecretKey } from '../contract/credentials.ts';
import type { Route } from '../contract/route.ts';
import type { PublishTarget } from '../domain/events.ts';
import { readLine } from '../domain/said.ts';
import { type Awaitable, andThen } from '../kernel/awaitable.ts';
import { accepted, refusal } from '../kernel/errors.ts';
import { isObject, type Json } from '../kernel/json.ts';
import {
  type Context,
  type Exchange,
  firstHeader,
  firstQuery,
  headerText,
  param,
  queryOf,
  queryText,
  type WithParams,
} from './exchange.ts';
import { keyedRequestOf } from './keyed-request.ts';
import { CLAIM_HEADERS, CLAIM_MEMBERS, CLAIM_QUERIES, SECRET_HEADERS } from './names.ts';
import { claimText, RequestProof } from './proof.ts';
import { isMasked } from './reveal.ts';

// Without `secret-key`, which clients send as a marker without a value.
const SECRET_QUERIES: readonly string[] = ['secretKey', 'networkStorageSecret', 'network_storage_secret_key'];

/** A route that takes a key of the project. */
type Keyed = Partial<Pick<Route, 'idempotent' | 'refusesKey'>> & { readonly keys: KeyRules };

/** Resolves the key of a request to its caller before any byte of the body is read. Throws as `App.authenticate`. */
export function authenticate(app: Pick<App, 'authenticate'>, ctx: Context & WithParams<'project'>, route: Keyed): Awaitable<Caller> {
  const { exchange } = ctx.state;
  return andThen(app.authenticate(param(ctx, 'project'), present(exchange, route)), (found) => {
    const caller: Caller = isMasked(exchange) ? { ...found, isMasked: true } : found;
    exchange.caller = caller;
    return markUnproven(ctx, caller);
  });
}

/** Marks the answer if the player was claimed but not proven, and the project allows that. */
function markUnproven(ctx: Context, caller: Caller): Caller {
  if (caller.takesUnproven === undefined || (caller.platformId ?? caller.onBehalfOf) === null) return caller;
  const { family } = ctx.state.exchange;
  // These routes always prove the player.
  if (family === 'sessions' || family === 'guests') return caller;
  // An open stream is authenticated repeatedly, after its headers were sent.
  if (caller.proof?.sessionToken != null || ctx.res.headersSent) return caller;
  ctx.res.setHeader('x-ns-player-proof', 'none');
  return caller;
}

/** The credentials of a request: keys, claims and proof, from the carriers that the route allows. Nothing is verified yet. */
export function present(exchange: Exchange, route: Keyed): PresentedCredentials {
  const rules = route.keys;
  const extraSecret = rules.carriers === 'queries' ? secretOf(exchange) : null;
  return {
    key: keyOf(exchange, rules.carriers) ?? extraSecret,
    person: exchange.person ?? null,
    management: takesSecretKey(rules),
    extraSecret,
    disabledKey: rules.disabledKey,
    disabledProject: rules.disabledProject,
    needs: exchange.person ? needOfPerson(rules, exchange.family === 'storage', exchange.method) : rules.needs,
    platformId: claimOf(exchange),
    onBehalfOf: headerText(exchange, 'x-on-behalf-of'),
    proof: new RequestProof(exchange),
    position: positionOf(exchange),
    base: takesSecretKey(rules) && exchange.method !== 'GET' ? baseOf(exchange) : null,
    message: saidIn(exchange, 'message'),
    ticket: saidIn(exchange, 'ticket'),
    keyed: keyedRequestOf(exchange, targetOf, route),
    request: exchange,
    revision: revisionOf(exchange),
    clientType: headerText(exchange, 'x-ns-client-type'),
  };
}

/** What a manager says of a change in the query; `null`: nothing, or it is none. */
function saidIn(exchange: Exchange, name: 'message' | 'ticket'): string | null {
  return exchange.family === 'manage' && exchange.method !== 'GET' ? accepted(readLine(name, queryText(exchange, name))) : null;
}

function keyOf(exchange: Exchange, carriers: KeyRules['carriers']): string | null {
  const header = headerText(exchange, 'x-api-key');
  if (header) return header;
  switch (carriers) {
    case 'management':
      return headerText(exchange, 'x-secret-key') ?? queryText(exchange, 'apiKey');
    case 'management headers':
      return headerText(exchange, 'x-secret-key');
    case 'queries':
      return publicKeyOf(exchange);
    case 'endpoints':
      return secretOf(exchange) ?? publicKeyOf(exchange);
    case 'runtime':
      // A secret key sent beside the public key must win, or a dedicated server would count as a player.
      return firstHeader(exchange, SECRET_HEADERS) ?? publicKeyOf(exchange);
  }
}

function publicKeyOf(exchange: Exchange): string | null {
  return queryText(exchange, 'apiKey') ?? headerText(exchange, 'x-public-key');
}

function secretOf(exchange: Exchange): string | null {
  return firstHeader(exchange, SECRET_HEADERS) ?? firstQuery(exchange, SECRET_QUERIES);
}

/** The player's id that header or query claim; `null`: none. */
export function claimOf(exchange: Exchange): string | null {
  return firstHeader(exchange, CLAIM_HEADERS) ?? firstQuery(exchange, CLAIM_QUERIES);
}

/** The player's id that the query claims. */
export function claimOfQuery(exchange: Exchange): string | null {
  return firstQuery(exchange, CLAIM_QUERIES);
}

/**
 * Adds the body's claims to the caller: the player's id, if neither header nor query claimed one, and the proof. An id sent as a number
 * counts by its exact digits.
 */
export function withBodyClaim(ctx: Context, caller: Caller, body: Json | undefined): Caller {
  if (!isObject(body)) return caller;
  if (caller.proof instanceof RequestProof) caller.proof.readBody(body);
  if (caller.platformId !== null) return caller;
  for (const name of CLAIM_MEMBERS) {
    const claim = claimText(body[name]);
    if (!claim) continue;
    const claimed = { ...caller, platformId: claim };
    ctx.state.exchange.caller = claimed;
    return markUnproven(ctx, claimed);
  }
  return caller;
}

/** `next` if header or query say so, in any letter case; else `live`. */
export function targetOf(exchange: Exchange): PublishTarget {
  return isNext(headerText(exchange, 'x-ns-publish-target')) || isNext(queryText(exchange, 'revisionTarget')) ? 'next' : 'live';
}

function isNext(text: string | null): boolean {
  return text !== null && text.trim().toLowerCase() === 'next';
}

/** The game's revision. A published game sends one; editors and local runs send none, or 0. */
export function revisionOf(exchange: Exchange): number | null {
  const text = headerText(exchange, 'x-ns-revision-id');
  return text !== null && WHOLE_NUMBER.test(text) ? Number(text) || null : null;
}

const WHOLE_NUMBER = /^\d{1,15}$/;

function positionOf(exchange: Exchange): number | null {
  const text = headerText(exchange, 'x-ns-position');
  return text && WHOLE_NUMBER.test(text) ? Number(text) : null;
}

/**
 * The revision that a manager's change is based on; `null`: none is named. Anything but a revision is refused: ignoring it would drop the
 * check that the caller asks for.
 */
function baseOf(exchange: Exchange): number | null {
  const text = headerText(exchange, 'x-ns-base');
  if (text === null) return null;
  if (WHOLE_NUMBER.test(text)) return Number(text);
  throw refusal('INVALID_REQUEST', "`x-ns-base` must be a revision of the project's log, as x-ns-position names it");
}

/**
 * The version that a write is based on: from the header, `If-Match`, or the query, in this order. The use case reads the body's
 * `_saveVersion` last. `If-None-Match: *` is version 0: no document yet. Throws 400 INVALID_REQUEST for anything else, an empty text
 * included: ignoring it would drop the check that the caller asks for.
 */
export function saveVersionOf(exchange: Exchange): number | null {
  const { headers } = exchange;
  const named =
    sentText(headers['x-ns-save-version']) ?? unquoted(sentText(headers['if-match'])) ?? sentText(queryOf(exchange)['saveVersion']);
  const none = sentText(headers['if-none-match']);
  if (none === null) return versionOf(named);
  if (none.trim() !== '*') throw refusal('INVALID_REQUEST', 'Of a write, `If-None-Match` is `*`: there must be no document yet');
  if (named !== null && versionOf(named) !== 0)
    throw refusal('INVALID_REQUEST', '`If-None-Match: *` and a save version contradict each other');
  return 0;
}

/** A header or parameter as it was sent, which may be empty; `null`: it was not. */
function sentText(value: string | readonly string[] | undefined): string | null {
  const text = typeof value === 'object' ? value[0] : value;
  return text ?? null;
}

function unquoted(tag: string | null): string | null {
  return tag === null ? null : tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1');
}

function versionOf(text: string | null): number | null {
  if (text === null) return null;
  if (WHOLE_NUMBER.test(text)) return Number(text);
  throw refusal('INVALID_REQUEST', 'The save version must be a whole number');
}
