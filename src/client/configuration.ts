import { rootOf } from './address.ts';
import { requireClient } from './arguments.ts';
import type { Client } from './client.ts';
import type { GameTypes } from './game.ts';
import type { PublishTarget } from './options.ts';

/** The configuration of a client, to be read. */

/** A mode of the project: what the client's option says, and what the server says; `null`: it has not been asked yet. */
export interface ProjectMode {
  readonly option: boolean;
  readonly server: boolean | null;
}

export interface Configuration {
  /** Address of the server, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiVersion: string;
  /** `baseUrl` with the version. */
  readonly apiRoot: string;
  readonly projectId: string;
  readonly publicKey: string;
  readonly cdnUrl: string | null;
  readonly publishTarget: PublishTarget;
  readonly isConfigured: boolean;
  readonly authSessions: ProjectMode;
  readonly encryptedRequests: ProjectMode;
  /** Whether calls go through the game's host. */
  readonly proxyEnabled: boolean;
  /** Whether this is the host, or nobody hosts. */
  readonly isHost: boolean;
}

/**
 * What the client is configured with now. Credentials from a file or the environment are there from the first request on.
 *
 * @example
 * ```ts
 * const { baseUrl, apiRoot, isHost } = configurationOf(client);
 * [apiRoot === `${baseUrl}/v3`, isHost]; // → [true, true]
 * ```
 */
export function configurationOf<G extends GameTypes>(client: Client<G>): Configuration {
  requireClient(client);
  const { options, isConfigured } = client.connection;
  const { url = '', apiVersion = 'v3', projectId = '', publicKey = '', cdnUrl = null, sessions = false, encryption = false } = options;
  const modes = client.security.current;
  const proxyEnabled = client.relay !== null;
  return {
    baseUrl: url.replace(/\/+$/, ''),
    apiVersion,
    apiRoot: rootOf(url, options),
    projectId,
    publicKey,
    cdnUrl,
    isConfigured,
    publishTarget: client.publishTarget,
    authSessions: { option: sessions, server: modes?.sessions ?? null },
    encryptedRequests: { option: encryption, server: modes?.encryption ?? null },
    proxyEnabled,
    isHost: !proxyEnabled,
  };
}
