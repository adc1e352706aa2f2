import type { BucketGroup } from './settings.ts';

/**
 * Every prefix the server answers under, mapped to a family of routes before any router is asked. Aliases end here: the routes know
 * one path each (runtime-storage 1.1, seed: Versioning 1).
 */

/** A group of routes with one router. The storage aliases serve fewer routes, so they are families of their own. */
export type Family =
  | 'storage'
  | 'storage-api'
  | 'storage-v1'
  | 'canary'
  | 'endpoints'
  | 'queries'
  | 'values'
  | 'manage'
  | 'sessions'
  | 'security-config'
  | 'pages'
  | 'save-failure'
  | 'system';

export interface Prefix {
  readonly family: Family;
  /** What the prefix stands for: the family's routes begin with it. */
  readonly base: string;
  /** Which request buckets count these routes. */
  readonly group: BucketGroup;
}

const prefix = (family: Family, group: BucketGroup, base: string): Prefix => ({ family, group, base });

const SESSIONS = prefix('sessions', 'session', '/v3/auth-sessions');
const ENDPOINTS = prefix('endpoints', 'game', '/v3/endpoints');
const QUERIES = prefix('queries', 'game', '/v3/queries');
const VALUES = prefix('values', 'game', '/v3/values');
const PAGES = prefix('pages', 'game', '/pages');

const PREFIXES: ReadonlyMap<string, Prefix> = new Map([
  ['v3/storage', prefix('storage', 'game', '/v3/storage')],
  ['api/storage', prefix('storage-api', 'game', '/api/storage')],
  ['v1/storage', prefix('storage-v1', 'game', '/v1/storage')],
  ['v3/endpoints', ENDPOINTS],
  ['v1/endpoints', ENDPOINTS],
  ['v3/queries', QUERIES],
  ['v1/queries', QUERIES],
  ['v3/values', VALUES],
  ['v1/values', VALUES],
  ['v3/manage', prefix('manage', 'management', '/v3/manage')],
  ['v3/auth-sessions', SESSIONS],
  ['v3/sessions', SESSIONS],
  ['v1/auth-sessions', SESSIONS],
  ['v1/sessions', SESSIONS],
  ['v3/security-config', prefix('security-config', 'game', '/v3/security-config')],
  ['v3/server-info', prefix('system', 'game', '/v3/server-info')],
  ['api/network-storage', prefix('save-failure', 'game', '/api/network-storage')],
  ['api/pages', PAGES],
]);

/** The same where `/v1` is another name of all of `/v3`, for a client that is set to that version (client-wire 1.7). */
const WITH_WHOLE_V1: ReadonlyMap<string, Prefix> = new Map([
  ...PREFIXES,
  ...[...PREFIXES].flatMap(([name, found]): [string, Prefix][] => (name.startsWith('v3/') ? [[`v1/${name.slice(3)}`, found]] : [])),
]);

// It can never be a project's id (runtime-storage 1.2).
const CANARY = prefix('canary', 'game', '/v3/storage');
const CANARY_PATH = /^\/deploy-canary(?:\/|$)/i;

/** Prefixes of one segment. */
const SHORT_PREFIXES: ReadonlyMap<string, Prefix> = new Map([
  ['pages', PAGES],
  ['health', prefix('system', 'system', '/health')],
  ['ready', prefix('system', 'system', '/ready')],
  ['metrics', prefix('system', 'system', '/metrics')],
]);

// A game's own call among the management routes: counted with the game's (security 8.8).
const REVISION_INIT = prefix('manage', 'game', '/v3/manage');
const REVISION_INIT_PATH = /^\/[^/]+\/revision-init$/i;

export interface Location {
  readonly prefix: Prefix;
  /** What the family's router matches: base and rest, segments escaped in one canonical way. */
  readonly path: string;
}

// An empty segment would let a shorter route match (client-wire 1.5); the names would reach a prototype somewhere.
const REFUSED_SEGMENT = /\/(?:\/|$|(?:__proto__|constructor|prototype)(?:\/|$))/;
const ENDPOINT_WITHOUT_SLUG = /^\/[^/]+\/$/;

/**
 * Finds the family of a request path (as sent, without the query). `null` where nothing can match: an unknown prefix, malformed
 * escapes, an empty or forbidden segment. `wholeV1`: as in the settings.
 */
export function locate(sent: string, wholeV1 = false): Location | null {
  const path = canonical(sent);
  if (path === null || path.charCodeAt(0) !== 47) return null;

  const first = path.indexOf('/', 1);
  const second = first < 0 ? -1 : path.indexOf('/', first + 1);
  const short = SHORT_PREFIXES.get(lower(path, first));
  const found = short ?? (first < 0 ? undefined : (wholeV1 ? WITH_WHOLE_V1 : PREFIXES).get(lower(path, second)));
  if (!found) return null;

  const cut = short ? first : second;
  const rest = cut < 0 ? '' : path.slice(cut);
  if (found.family === 'storage' && CANARY_PATH.test(rest)) return { prefix: CANARY, path: found.base + rest };
  if (REFUSED_SEGMENT.test(rest) && !(found.family === 'endpoints' && ENDPOINT_WITHOUT_SLUG.test(rest))) return null;
  if (found.family === 'manage' && REVISION_INIT_PATH.test(rest)) return { prefix: REVISION_INIT, path: found.base + rest };
  return { prefix: found, path: found.base + rest };
}

function lower(path: string, end: number): string {
  return (end < 0 ? path.slice(1) : path.slice(1, end)).toLowerCase();
}

/** Decodes every segment once and escapes it again, so that a route's literals match however they were escaped. */
function canonical(path: string): string | null {
  if (!path.includes('%')) return path;
  try {
    return path
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join('/');
  } catch {
    return null;
  }
}
