/** The options of a client, and of a single request. */

export type PublishTarget = 'live' | 'next';
export type ClientType = 'game' | 'editor' | 'dedicated';

/** The address of a project and its keys. */
export interface Credentials {
  /** Address of the installation, such as `https://play.example.com`. The client appends `/v3`. */
  readonly url: string;
  readonly projectId: string;
  /** Ships with the game. */
  readonly publicKey: string;
  /** Of a dedicated server (`clientType: 'dedicated'`). Never in a game that players have. */
  readonly secretKey?: string;
}

/** Who plays. */
export interface Player {
  readonly id: string;
  /** Proves the player, if the project demands it. A function is called whenever a token is needed. */
  readonly token?: string | (() => string | Promise<string>);
}

/** One entry of the client's log. The library prints nothing by itself. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [more: string]: unknown;
}

/** Reads and prints JSON. Documents with integers beyond 2^53 need a library that keeps them exact. */
export interface JsonCodec {
  parse(text: string): unknown;
  stringify(value: unknown): string;
}

/** A report before it is sent. */
export interface FilteredReport {
  readonly type: string;
  readonly severity?: string;
  readonly [more: string]: unknown;
}

/** Decides about a report of the game: what it returns is sent; `null`: nothing. `isLocal`: an editor runs the game. */
export type ReportFilter = (report: FilteredReport, isLocal: boolean) => FilteredReport | null;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions extends Partial<Credentials> {
  /** Called before the first request if `url`, `projectId` or a key is missing. Default: `credentials()`. */
  readonly credentials?: () => Partial<Credentials> | null | Promise<Partial<Credentials> | null>;
  /**
   * Another address, of a CDN, that documents are read from which anybody may read. It gets the public key alone; what it refuses, `url` is
   * asked for.
   */
  readonly cdnUrl?: string;
  /** `v3`, which is also what counts when left out. The legacy routes lack some of what this library needs. */
  readonly apiVersion?: string;
  readonly player?: Player | string | null;
  /** Which definitions and data requests use; `next`: the staged ones. Default: `live`. `client.publishTarget` changes it. */
  readonly publishTarget?: PublishTarget;
  /** What the program is: `game` when left out. Only `dedicated` and `editor` may have a secret key. */
  readonly clientType?: ClientType;
  /** The revision of the game, if the project tracks revisions. 0 is none, as of a local session. */
  readonly revision?: number;
  /** Names the game's package in reports: `org.game`. */
  readonly packageIdent?: string;
  /** Which reports are made: `analyticsSwitches({ … })`. Default: all that the project wants. */
  readonly analytics?: ReportFilter;
  /** Whether to use sessions, and to encrypt calls, while the project's security config cannot be loaded. */
  readonly sessions?: boolean;
  readonly encryption?: boolean;
  /** How long one attempt may take, ms; 15 000 when left out. */
  readonly timeoutMs?: number;
  /** The most bytes of one answer; 64 MiB when left out. A larger one is `RESPONSE_TOO_LARGE`. */
  readonly maxAnswerBytes?: number;
  /** How often a request is sent again; 3 when left out. */
  readonly retries?: number;
  /** Called for each log entry. Without it the client logs nothing. */
  readonly log?: (entry: LogEntry) => void;
  readonly json?: JsonCodec;
  readonly fetch?: Fetch;
}

/** The revision that is sent. An editor and a local session (revision 0) run what nobody has published, so they send none. */
export function liveRevision({ revision, clientType }: Pick<ClientOptions, 'revision' | 'clientType'>): number | undefined {
  return clientType === 'editor' ? undefined : revision || undefined;
}

/** Options of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly retries?: number;
}

/** Options of a request that changes something. */
export interface WriteOptions extends RequestOptions {
  /** Requests with the same key happen once. Default: a new key for each call. */
  readonly idempotencyKey?: string;
}

/** Options of an endpoint call. */
export interface CallOptions extends WriteOptions {}
