import type { AnswerShape } from './answer.ts';
import type { Result, SavepointError } from './errors.ts';
import type { ExactNumbers } from './json-text.ts';
import type { ClientOptions, Credentials, Player, RequestOptions } from './options.ts';

/** Requests as the parts of the library ask for them. */

/** A request that a part of the library sends. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly family:
    | 'storage'
    | 'endpoints'
    | 'queries'
    | 'values'
    | 'auth-sessions'
    | 'guests'
    | 'security-config'
    | 'manage'
    | 'live'
    | 'pages'
    | 'server-info';
  /** Segments of the path after the project's id. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly headers?: HeaderMap;
  readonly body?: unknown;
  /** It reads a document, which `cdnUrl` may answer if anybody may read it. */
  readonly isDocument?: true;
  /** Whether the request names the player, or also proves it; `token`: by the player's own token, even if there is a session. */
  readonly player?: 'named' | 'proven' | 'token';
  /** The idempotency key. */
  readonly key?: string;
  /** Whether the request may be sent again when its outcome is unknown: a read, or a write with a key. */
  readonly isRepeatable: boolean;
  /** A refusal may come with status 200. */
  readonly refusesWith200?: boolean;
  /** What its answer has; left out: it is an object. */
  readonly answer?: AnswerShape;
  /** Numbers of the body that keep the digits with which they were read. */
  readonly exact?: ExactNumbers | undefined;
  readonly options?: RequestOptions | undefined;
  /** Called for each attempt. Its headers and body override `headers` and `body`. */
  prepare?(settings: Settings): Promise<Result<Prepared>>;
  /** Removes the cause of a refusal. If it resolves to `true`, the request is sent again at once. Called once for each code. */
  recover?(error: SavepointError): Promise<boolean>;
}

/** The address and content of a request. */
export interface Addressed {
  readonly url: string;
  readonly init: RequestInit;
}

export interface PreparedRequest extends Addressed {
  readonly settings: Settings;
}

export interface Prepared {
  readonly headers?: HeaderMap;
  readonly body?: unknown;
}

export type HeaderMap = Readonly<Record<string, string>>;

export type Settings = Omit<ClientOptions, keyof Credentials | 'player'> & Credentials & { readonly player: Player | null };
