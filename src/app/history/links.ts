import { DOCUMENT_KEYS, EVERYTHING_READ, managementKeys, type Need, READ_DOCUMENTS, STAGED_READ } from '../../contract/credentials.ts';
import { PLAYERS_LOGS } from '../../contract/routes/logs.ts';
import type { AccessKey } from '../../domain/states.ts';
import { hasNeed } from '../access.ts';

/** Where an answer leads on to: of routes that whoever asks may call alone. */

/** A path behind the project's, or one from the root, and what its route needs. */
interface Link {
  readonly path: string;
  readonly need: Need;
}

/** By name; `null`: there is none. */
export type Links = Readonly<Record<string, Link | null>>;

const HISTORY = managementKeys('r', 'history').needs;

/** Paths by their names, as answers hold them. */
export function linksFor(projectId: string, key: AccessKey, links: Links): Readonly<Record<string, string>> {
  const base = `/v3/manage/${encodeURIComponent(projectId)}/`;
  const open = Object.entries(links).flatMap(([name, link]) => {
    if (link === null || !hasNeed(key, link.need)) return [];
    return [[name, link.path.startsWith('/') ? link.path : `${base}${link.path}`] as const];
  });
  return Object.fromEntries(open);
}

export function toCommits(query: Readonly<Record<string, string>>): Link {
  return { path: `commits?${queryOf(query)}`, need: HISTORY };
}

export function toCallsOf(query: { readonly requestId: string } | { readonly player: string }): Link {
  return { path: `logs?${queryOf(query)}`, need: 'player' in query ? PLAYERS_LOGS.keys.needs : EVERYTHING_READ.needs };
}

export function toPublish(revision: number): Link {
  return { path: `publishes?before=${revision + 1}&limit=1`, need: STAGED_READ.needs };
}

export function toGuest(player: string): Link {
  return { path: `guests/${encodeURIComponent(player)}`, need: managementKeys('r', 'players').needs };
}

/** A document as it is, and what happened to it. */
export function toDocument(key: AccessKey, path: string): Links {
  return {
    document: { path, need: key.kind === 'person' ? READ_DOCUMENTS : DOCUMENT_KEYS.needs },
    history: { path: `${path}/history`, need: HISTORY },
  };
}

/** `scopes`: of what it is the history of. A person who may read what is, may read what was. */
export function toHistory(key: AccessKey, path: string, scopes: Need['scopes']): Link {
  return { path, need: { scopes: key.kind === 'person' ? scopes : [...scopes, ...HISTORY.scopes], level: 'r' } };
}

function queryOf(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}
