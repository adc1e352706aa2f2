import type { App, Caller, Need, Presented } from '../app/app.ts';
import type { PublishTarget } from '../domain/events.ts';
import { RUN_SCOPES, SCOPES } from '../domain/project/permissions.ts';
import type { Awaitable } from '../kernel/awaitable.ts';
import { refusal } from '../kernel/errors.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { type Context, type Exchange, firstHeader, firstQuery, headerText, param, queryText } from './exchange.ts';
import { intentOf } from './intent.ts';
import { CLAIM_HEADERS, CLAIM_MEMBERS, CLAIM_QUERIES, SECRET_HEADERS } from './names.ts';
import { claimText, RequestProof } from './proof.ts';

/** Where a family of routes takes its key from, and what it answers for a disabled one (security 1.2 and 1.3). */
export interface KeyRules {
  readonly carriers: 'runtime' | 'endpoints' | 'queries' | 'management' | 'management headers';
  readonly disabledKey: Presented['disabledKey'];
  readonly disabledProject: Presented['disabledProject'];
  readonly needs: Need | null;
}

export const DOCUMENT_KEYS: KeyRules = {
  carriers: 'runtime',
  disabledKey: 'KEY_DISABLED',
  disabledProject: 'PROJECT_DISABLED',
  needs: { scopes: ['collections'], level: 'x' },
};
/** Save records: the rights of documents, but a disabled key is no key (security 1.3). */
export const RECORD_KEYS: KeyRules = { ...DOCUMENT_KEYS, disabledKey: 'UNAUTHORIZED' };
/** Lists, single records, ledgers, values and rate limits: any valid key. */
export const VIEW_KEYS: KeyRules = { carriers: 'runtime', disabledKey: 'UNAUTHORIZED', disabledProject: 'PROJECT_DISABLED', needs: null };
export const ENDPOINT_KEYS: KeyRules = {
  carriers: 'endpoints',
  disabledKey: 'KEY_DISABLED',
  disabledProject: 'PROJECT_DISABLED',
  needs: { scopes: ['endpoints'], level: 'x' },
};
/** A game that starts asks which revision is current: any enabled key (security 8.8). */
export const INIT_KEYS: KeyRules = VIEW_KEYS;
/** The permission depends on the query (security 1.4), so the use case asks for it. */
export const QUERY_KEYS: KeyRules = { carriers: 'queries', disabledKey: 'UNAUTHORIZED', disabledProject: 'DISABLED', needs: null };

/** A secret key that may do nothing in particular: the route asks for no permission, or the body says for which. */
export const ANY_SECRET_KEY: KeyRules = {
  carriers: 'management',
  disabledKey: 'UNAUTHORIZED',
  disabledProject: 'PROJECT_DISABLED',
  needs: null,
};
/** What concerns the whole project (security 1.4). */
export const EVERYTHING_READ = managementKeys('r', ...SCOPES);
export const EVERYTHING_WRITTEN = managementKeys('rw', ...SCOPES);
/** The game's package, whose sync takes no key out of an address (security 1.2). */
export const PACKAGE_KEYS: KeyRules = { ...EVERYTHING_WRITTEN, carriers: 'management headers' };
/** Dry runs of what a game could call. */
export const RUN_KEYS = managementKeys('x', ...RUN_SCOPES);

/** A secret key with a permission in all of these scopes. */
export function managementKeys(level: Need['level'], ...scopes: readonly string[]): KeyRules {
  return { ...ANY_SECRET_KEY, needs: { scopes, level } };
}

// `secret-key` is not among them: it is a marker without a value (client-wire 2).
const SECRET_QUERIES: readonly string[] = ['secretKey', 'networkStorageSecret', 'network_storage_secret_key'];

/** Resolves the key of a request to its caller, before any byte of the body is read. Throws as `App.authenticate`. */
export function authenticate(app: App, ctx: Context, rules: KeyRules): Awaitable<Caller> {
  return app.authenticate(param(ctx, 'project'), present(ctx.state.exchange, rules));
}

export function present(exchange: Exchange, rules: KeyRules): Presented {
  const extraSecret = rules.carriers === 'queries' ? secretOf(exchange) : null;
  return {
    key: keyOf(exchange, rules.carriers) ?? extraSecret,
    management: rules.carriers === 'management' || rules.carriers === 'management headers',
    extraSecret,
    disabledKey: rules.disabledKey,
    disabledProject: rules.disabledProject,
    needs: rules.needs,
    platformId: firstHeader(exchange, CLAIM_HEADERS) ?? firstQuery(exchange, CLAIM_QUERIES),
    onBehalfOf: headerText(exchange, 'x-on-behalf-of'),
    proof: new RequestProof(exchange),
    position: positionOf(exchange),
    intent: intentOf(exchange, targetOf),
    revision: revisionOf(exchange),
    clientType: headerText(exchange, 'x-ns-client-type'),
  };
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
      // A secret sent beside the public key must win, or a dedicated server would be taken for a player.
      return firstHeader(exchange, SECRET_HEADERS) ?? publicKeyOf(exchange);
  }
}

function publicKeyOf(exchange: Exchange): string | null {
  return queryText(exchange, 'apiKey') ?? headerText(exchange, 'x-public-key');
}

function secretOf(exchange: Exchange): string | null {
  return firstHeader(exchange, SECRET_HEADERS) ?? firstQuery(exchange, SECRET_QUERIES);
}

/** The player's id that the query claims. */
export function claimOfQuery(exchange: Exchange): string | null {
  return firstQuery(exchange, CLAIM_QUERIES);
}

/**
 * The caller with the id that its body claims, where neither header nor query did, and with what else the body says of its player.
 * Numbers count by their exact text.
 */
export function withBodyClaim(caller: Caller, body: Json | undefined): Caller {
  if (!isObject(body)) return caller;
  if (caller.proof instanceof RequestProof) caller.proof.readBody(body);
  if (caller.platformId !== null) return caller;
  for (const name of CLAIM_MEMBERS) {
    const claim = claimText(body[name]);
    if (claim) return { ...caller, platformId: claim };
  }
  return caller;
}

/** `next` when header or query say so, in any letter case (management 13.1). */
export function targetOf(exchange: Exchange): PublishTarget {
  return isNext(headerText(exchange, 'x-ns-publish-target')) || isNext(queryText(exchange, 'revisionTarget')) ? 'next' : 'live';
}

function isNext(text: string | null): boolean {
  return text !== null && text.trim().toLowerCase() === 'next';
}

/** Of a published game; editors and local runs have none, which is 0 in some places (security 8.1). */
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
 * The version a write says it is based on: header, `If-Match`, then query; the body's `_saveVersion`, which comes after them, is the
 * use case's (runtime-storage 7). Throws 400 INVALID_REQUEST for one that is no whole number: ignoring it would drop the guard it asks for.
 */
export function saveVersionOf(exchange: Exchange): number | null {
  return versionOf(
    headerText(exchange, 'x-ns-save-version') ?? unquoted(headerText(exchange, 'if-match')) ?? queryText(exchange, 'saveVersion'),
  );
}

function unquoted(tag: string | null): string | null {
  return tag === null ? null : tag.trim().replace(/^(?:W\/)?"(.*)"$/, '$1');
}

function versionOf(text: string | null): number | null {
  if (text === null) return null;
  if (WHOLE_NUMBER.test(text)) return Number(text);
  throw refusal('INVALID_REQUEST', 'The save version must be a whole number');
}
