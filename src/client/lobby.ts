import { isObject } from './answer.ts';
import { requireClient, requireKind } from './arguments.ts';
import type { Client } from './client.ts';
import type { AnyGame, GameTypes } from './game.ts';
import { liveRevision } from './options.ts';
import { revisionOf } from './revision.ts';
import { outdatedOf, unknownStatus } from './revision-status.ts';

/** What a lobby of the game's own network says of its host's revision, under the specification's keys. The values are texts. */

/** The metadata of a lobby. */
export interface LobbyMetadata {
  /** The host's revision; `0`: an editor, or a build that has none. */
  readonly ns_rev: string;
  /** `1`: the host is outdated. */
  readonly ns_stale: '0' | '1';
  /** When the host's grace period ends, unix seconds; `0`: there is none. */
  readonly ns_grace_end: string;
  /** `1`: the lobby can move to a host of a newer revision. */
  readonly ns_mig: '0' | '1';
  /** The revision that it would move to; `0`: none. */
  readonly ns_mig_rev: string;
  /** The lobby that this one was made from, when its players changed to a new game. */
  readonly ns_src?: string;
}

export interface LobbyOptions {
  /** The lobby can move to a host of this revision. */
  readonly migratesTo?: number;
  /** The id of the lobby that its players come from. */
  readonly source?: string;
}

/** A lobby as its metadata tells it. */
export interface Lobby {
  /** `null`: none, as of an editor. */
  readonly revision: number | null;
  readonly isStale: boolean;
  readonly graceEndsAtUnixSeconds: number | null;
  readonly canMigrate: boolean;
  readonly migratesTo: number | null;
  readonly source: string | null;
}

/** How a lobby's revision is to this client's. `unknown`: one of the two has none. */
export type LobbyRevision = 'same' | 'newer' | 'older' | 'unknown';

const SECONDS_PER_MINUTE = 60;

/**
 * The metadata that a host writes to its lobby. Write it again when the status changes (`revisionOf(client).onChange`).
 *
 * @example
 * ```ts
 * const host = createClient({ url, projectId, publicKey, revision: 7 });
 * lobbyMetadata(host); // → { ns_rev: '7', ns_stale: '0', ns_grace_end: '0', ns_mig: '0', ns_mig_rev: '0' }
 * ```
 */
export function lobbyMetadata<G extends GameTypes = AnyGame>(client: Client<G>, { migratesTo, source }: LobbyOptions = {}): LobbyMetadata {
  requireClient(client);
  if (migratesTo !== undefined) requireKind('migratesTo', migratesTo, 'number');
  if (source !== undefined) requireKind('source', source, 'string');
  const { status } = revisionOf(client);
  const minutes = status?.isOutdated ? status.graceRemainingMinutes : null;
  const graceEnd = minutes === null ? 0 : Math.floor(client.security.now() / 1000) + minutes * SECONDS_PER_MINUTE;
  return {
    ns_rev: String(liveRevision(client.connection.options) ?? 0),
    ns_stale: status?.isOutdated ? '1' : '0',
    ns_grace_end: String(graceEnd),
    ns_mig: migratesTo === undefined ? '0' : '1',
    ns_mig_rev: String(migratesTo ?? 0),
    ...(source === undefined ? {} : { ns_src: source }),
  };
}

/**
 * Reads the metadata of a lobby. It comes from another computer, so what is not as it should be counts as missing.
 *
 * @example
 * ```ts
 * const lobby = readLobby({ ns_rev: '7', ns_stale: '1', ns_grace_end: '1760000000' });
 * [lobby.revision, lobby.isStale, lobby.graceEndsAtUnixSeconds]; // → [7, true, 1760000000]
 * ```
 */
export function readLobby(metadata: unknown): Lobby {
  const given = isObject(metadata) ? metadata : {};
  const { ns_src: source } = given;
  return {
    revision: whole(given['ns_rev']),
    isStale: isSet(given['ns_stale']),
    graceEndsAtUnixSeconds: whole(given['ns_grace_end']),
    canMigrate: isSet(given['ns_mig']),
    migratesTo: whole(given['ns_mig_rev']),
    source: typeof source === 'string' && source !== '' ? source : null,
  };
}

/**
 * How the revision of a lobby is to the client's own. A newer one means that this build is outdated: `revisionOf(client).onOutdated` is
 * called, with the source `lobby`.
 *
 * @example
 * ```ts
 * const guest = createClient({ url, projectId, publicKey, revision: 7 });
 * compareLobby(guest, { ns_rev: '7' }); // → 'same'
 * compareLobby(guest, { ns_rev: '8' }); // → 'newer'
 * compareLobby(guest, { ns_rev: '0' }); // → 'unknown'
 * ```
 */
export function compareLobby<G extends GameTypes = AnyGame>(client: Client<G>, metadata: unknown): LobbyRevision {
  requireClient(client);
  const { revision } = readLobby(metadata);
  const own = liveRevision(client.connection.options);
  if (revision === null || own === undefined) return 'unknown';
  if (revision === own) return 'same';
  if (revision < own) return 'older';
  const known = revisionOf(client).status ?? { ...unknownStatus(), playerRevision: own };
  const outdated = outdatedOf({ ...known, isOutdated: true, currentRevision: revision }, {}, client.security.now());
  revisionOf(client).tell({ ...outdated, source: 'lobby', reason: 'LobbyMismatch' });
  return 'newer';
}

function isSet(value: unknown): boolean {
  return String(value) === '1';
}

/** A whole number above 0; `null`: it is none. */
function whole(value: unknown): number | null {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}
