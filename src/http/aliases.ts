import { PREFIXES, type Prefix } from '../contract/families.ts';

/** Maps prefixes of paths to families of routes. Aliases are resolved here, so a route has only one path. */

/** The same with `/v1` as an alias of all of `/v3`, for clients that are configured with that version. */
const WITH_WHOLE_V1: ReadonlyMap<string, Prefix> = new Map([
  ...PREFIXES,
  ...[...PREFIXES].flatMap(([name, found]): [string, Prefix][] => (name.startsWith('v3/') ? [[`v1/${name.slice(3)}`, found]] : [])),
]);

// `deploy-canary` can never be the id of a project.
const CANARY: Prefix = { family: 'canary', group: 'game', base: '/v3/storage' };
const CANARY_PATH = /^\/deploy-canary(?:\/|$)/i;

// Games send this management request, so it counts as a game's request.
const REVISION_INIT: Prefix = { family: 'manage', group: 'game', base: '/v3/manage' };
const REVISION_INIT_PATH = /^\/[^/]+\/revision-init$/i;

export interface Location {
  readonly prefix: Prefix;
  /** The path that the family's router matches: base and rest, each segment escaped in one canonical way. */
  readonly path: string;
}

// An empty segment would match a shorter route: a DELETE of the key `.` arrives as `…/{collection}/`. The three names would reach a
// prototype.
const REFUSED_SEGMENT = /\/(?:\/|$|(?:__proto__|constructor|prototype)(?:\/|$))/;
/** No id of what is managed holds it, and no table can be asked for it. Elsewhere such a name is refused as one that is not there. */
const NO_CHARACTER = '%00';
const ENDPOINT_WITHOUT_SLUG = /^\/[^/]+\/$/;

/**
 * Finds the family of a request path, taken as sent and without the query. `null` if nothing can match: an unknown prefix, malformed
 * escapes, an empty or forbidden segment. `wholeV1`: as in the settings.
 */
export function locate(sent: string, wholeV1 = false): Location | null {
  const path = canonical(sent);
  if (path === null || path.charCodeAt(0) !== 47) return null;

  const first = path.indexOf('/', 1);
  const second = first < 0 ? -1 : path.indexOf('/', first + 1);
  const short = PREFIXES.get(lower(path, first));
  const found = short ?? (first < 0 ? undefined : (wholeV1 ? WITH_WHOLE_V1 : PREFIXES).get(lower(path, second)));
  if (!found) return null;

  const end = short ? first : second;
  const rest = end < 0 ? '' : path.slice(end);
  // `/` is a path of its own and no beginning of others.
  if (found.base === '/' && rest !== '') return null;
  if (found.family === 'system' && rest === '/') return { prefix: found, path: `${found.base}/` };
  if (found.family === 'storage' && CANARY_PATH.test(rest)) return { prefix: CANARY, path: found.base + rest };
  if (REFUSED_SEGMENT.test(rest) && !(found.family === 'endpoints' && ENDPOINT_WITHOUT_SLUG.test(rest))) return null;
  if (found.family === 'manage' && rest.includes(NO_CHARACTER)) return null;
  if (found.family === 'manage' && REVISION_INIT_PATH.test(rest)) return { prefix: REVISION_INIT, path: found.base + rest };
  return { prefix: found, path: found.base + rest };
}

function lower(path: string, end: number): string {
  return (end < 0 ? path.slice(1) : path.slice(1, end)).toLowerCase();
}

/** Decodes every segment once and escapes it again, so a route's literals match however they were escaped. `null`: malformed escapes. */
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
