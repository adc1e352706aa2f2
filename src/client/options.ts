/** How a client is set up, and how one of its requests may differ. */

export type PublishTarget = 'live' | 'next';
export type ClientType = 'game' | 'editor' | 'dedicated';

/** Where the project is, and what opens it. */
export interface Credentials {
  /** Address of the installation, such as `https://play.example.com`; `/v3` comes behind it. */
  readonly url: string;
  readonly projectId: string;
  /** Ships with the game. */
  readonly publicKey: string;
  /** Of a dedicated server. Never in a game that players have. */
  readonly secretKey?: string;
}

/** Who plays. */
export interface Player {
  readonly id: string;
  /** What proves the player, where the project asks for it: asked for anew whenever one is needed. */
  readonly token?: string | (() => string | Promise<string>);
}

/** One line of the client's log. The library prints nothing itself. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [more: string]: unknown;
}

/** Reads and prints JSON: put in a library without loss where documents hold integers beyond 2^53. */
export interface JsonCodec {
  parse(text: string): unknown;
  stringify(value: unknown): string;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions extends Partial<Credentials> {
  /** Read before the first request where `url`, `projectId` and a key are not all given. `credentials()` when left out. */
  readonly credentials?: () => Partial<Credentials> | null | Promise<Partial<Credentials> | null>;
  /** Where documents are read from, when that is another address. */
  readonly cdnUrl?: string;
  /** `v3` when left out. */
  readonly apiVersion?: string;
  readonly player?: Player | string | null;
  /** Which definitions and data: `next` is what is staged. `live` when left out; `client.publishTarget` changes it. */
  readonly publishTarget?: PublishTarget;
  /** `dedicated` with a secret key, else `game`. */
  readonly clientType?: ClientType;
  /** The revision of the game, where the project tracks revisions. */
  readonly revision?: number;
  /** Whether to use sessions and to seal calls while the project's security config cannot be loaded. */
  readonly sessions?: boolean;
  readonly encryption?: boolean;
  /** How long one attempt may take, ms; 15 000 when left out. */
  readonly timeoutMs?: number;
  /** How often a request is sent again; 3 when left out. */
  readonly retries?: number;
  /** Called with what happens; without it the client is silent. */
  readonly log?: (entry: LogEntry) => void;
  readonly json?: JsonCodec;
  readonly fetch?: Fetch;
}

/** What one request may set for itself. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly retries?: number;
}

/** The same of what changes something. */
export interface WriteOptions extends RequestOptions {
  /** Names the intent: whatever is sent under the same key happens once. A new one for each call when left out. */
  readonly idempotencyKey?: string;
}

/** The same of a call of an endpoint. */
export interface CallOptions extends WriteOptions {}
