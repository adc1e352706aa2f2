import type { PublishTarget } from '../domain/events.ts';
import type { ClientFacts, RevisionStatus } from '../domain/revision/status.ts';
import type { SessionToken } from '../domain/session/token.ts';
import type { ApiKey, AuthSession, PageState } from '../domain/states.ts';
import type { Awaitable } from '../kernel/awaitable.ts';
import type { Json, JsonObject } from '../kernel/json.ts';

/**
 * The use cases, as the transports see them. Every method throws a `Refusal` for what it will not do; anything else thrown is a
 * fault. `create-app.ts` makes it.
 */
export interface App {
  /**
   * Resolves the key a request carried. Throws 401 UNAUTHORIZED for a missing or unknown key and for an unknown or deleted project
   * (one answer for all, so that nobody can probe), 403 or 401 for a disabled key (`disabledKey`), 403 for a disabled project.
   */
  authenticate(projectId: string, presented: Presented): Awaitable<Caller>;

  /**
   * What clients are told of the project's security, signed (security 5). `fresh`: as of the log's end, not of this node's head. Throws
   * 404 SECURITY_CONFIG_NOT_FOUND for a project that does not exist.
   */
  securityConfig(projectId: string, ask: { readonly fresh: boolean }): Promise<SecurityConfigAnswer>;

  readonly documents: {
    read(caller: Caller, at: Address): Promise<DocumentAnswer>;
    exists(caller: Caller, at: Address): Promise<boolean>;
    /** `asked` is called once access is granted: a body that may not be written is never read. */
    write(caller: Caller, at: Address, asked: () => Awaitable<AskedWrite>): Awaitable<WriteAnswer>;
    /** `asked`: the save version that the caller has seen; called as that of a write is. */
    remove(caller: Caller, at: Address, asked: () => number | null): Promise<Positioned>;
    /** The ledger answer of the specification (9.2), without `ok`. */
    ledger(caller: Caller, at: Address, query: LedgerQuery): Promise<ReadAnswer>;
  };
  readonly records: {
    /** Access alone, for before a body is read. Answers the caller to append as, whose player is proven where it has to be. */
    mayAppend(caller: Caller, at: CollectionAddress): Promise<Caller>;
    append(caller: Caller, at: CollectionAddress, body: Json, writerId: string): Promise<ReadAnswer>;
    list(
      caller: Caller,
      at: CollectionAddress,
      query: { readonly limit: string | null; readonly after: string | null },
    ): Promise<ReadAnswer>;
    get(caller: Caller, at: Address): Promise<DocumentAnswer>;
  };
  /** Save slots of players; `at.key` is the player (runtime-storage 8). All throw 400 INVALID_KEY for what is no player id. */
  readonly saveRecords: {
    list(caller: Caller, at: Address): Promise<ReadAnswer>;
    /** Access alone, for before a body is read. */
    mayWrite(caller: Caller, at: Address): Promise<Caller>;
    /** `body` is the parsed request body, or anything else where there was none: what names no record gives the default name. */
    create(caller: Caller, at: Address, body: Json | undefined): Promise<ReadAnswer>;
    rename(caller: Caller, at: RecordAddress, body: Json): Promise<ReadAnswer>;
    remove(caller: Caller, at: RecordAddress): Promise<ReadAnswer>;
  };
  readonly pages: {
    /** By anybody. Throws 404 NOT_FOUND for an unknown project or page. */
    read(projectId: string, slug: string): Promise<PageAnswer>;
  };
  readonly endpoints: {
    call(caller: Caller, call: EndpointRequest): Awaitable<EndpointAnswer>;
  };
  readonly values: {
    read(caller: Caller, target: PublishTarget): Promise<ReadAnswer>;
    /** `player`: whose used amounts to tell beside the limits; takes a secret key. */
    rateLimits(caller: Caller, target: PublishTarget, player: string | null): Promise<ReadAnswer>;
  };
  readonly queries: {
    /** `secret` is a second key sent beside a public one: `invalid` when it did not resolve to an enabled secret key. */
    run(
      caller: Caller,
      query: {
        readonly id: string;
        readonly target: PublishTarget;
        readonly fresh: boolean;
        readonly limit: string | null;
        readonly offset: string | null;
        /** Key of the row whose rank is asked for, and how many rows around it in place of a page (leaderboards). */
        readonly player: string | null;
        readonly around: string | null;
        /** Aborts when nobody waits for the answer any more. Asked for where there is something to stop. */
        left?(): AbortSignal;
      },
    ): Promise<ReadAnswer>;
  };
  /**
   * Auth sessions (security 4), by what the caller's proof holds. Throw beside key and project 403 `AUTH_SESSION_DISABLED`, 400
   * `INVALID_PLATFORMID`, 401 `AUTH_SESSION_REQUIRED`, `AUTH_SESSION_INVALID`, `AUTH_SESSION_EXPIRED`, `PLATFORM_AUTH_FAILED`, 403
   * `AUTH_SESSION_PLATFORMID_MISMATCH`.
   */
  readonly sessions: {
    create(caller: Caller): Promise<SessionAnswer>;
    /** A new session beside the old one. */
    refresh(caller: Caller): Promise<SessionAnswer>;
    /** The same, with the player proven anew. */
    reauth(caller: Caller): Promise<SessionAnswer>;
    /** Ends a session and all that were refreshed from it. */
    revoke(caller: Caller): Promise<SessionAnswer>;
  };
  readonly manage: {
    /** Array upsert (PUT and POST) of collections, endpoints, workflows or queries. `strict`, here and below: what the validator finds refuses it. */
    upsertMany(
      caller: Caller,
      kind: ListedKind,
      body: Json,
      options: { readonly target: PublishTarget; readonly replaceAll: boolean; readonly strict?: boolean },
    ): Promise<ManageAnswer>;
    upsertOne(caller: Caller, kind: ListedKind, body: Json, target: PublishTarget, strict: boolean): Promise<ManageAnswer>;
    remove(caller: Caller, kind: ListedKind, id: string, target: PublishTarget): Promise<ManageAnswer>;
    putSingle(caller: Caller, kind: SingleKind, body: Json, target: PublishTarget, strict: boolean): Promise<ManageAnswer>;
    removeSingle(caller: Caller, kind: SingleKind, target: PublishTarget): Promise<ManageAnswer>;
    list(
      caller: Caller,
      kind: ListedKind | SingleKind,
      options: { readonly includeStaged: boolean; readonly target: PublishTarget | null },
    ): Promise<ManageAnswer>;
    validate(caller: Caller, publicKey: string | null): Promise<ManageAnswer>;
    /** Throws 409 PROMOTION_FINDINGS where what is stored does not fit what is staged, unless `force`. */
    promote(caller: Caller, options: { readonly dryRun: boolean; readonly force: boolean }): Promise<ManageAnswer>;
    /** Takes back what is staged: `{}` all of it, `{kind}` or `{kind, id}` a part. */
    discard(caller: Caller, body: Json | undefined, options: { readonly dryRun: boolean }): Promise<ManageAnswer>;
    diff(caller: Caller): Promise<ManageAnswer>;
    /** All sections of a push, or nothing. The key needs every section's permission, whatever the section holds. */
    sync(caller: Caller, body: Json | undefined, target: PublishTarget, strict: boolean): Promise<ManageAnswer>;
    /** What `sync` would do. Writes nothing. */
    preflight(caller: Caller, body: Json | undefined, target: PublishTarget, strict: boolean): Promise<ManageAnswer>;
    upgradeSource(caller: Caller, body: Json | undefined): Promise<ManageAnswer>;
  };
  /** What tools ask of a project as a whole. */
  readonly manifest: {
    /** Everything that a target holds, by name and hash. Needs `r` on every scope. */
    read(caller: Caller, target: PublishTarget): Promise<ManageAnswer>;
    /** What became of a push that asked for a job. Throws 404 NOT_FOUND. */
    job(caller: Caller, jobId: string): Promise<ManageAnswer>;
  };
  /** Writes that went over rules with the action `flag`, newest first. `before`: a revision, as the page before names it. */
  flags(
    caller: Caller,
    target: PublishTarget,
    query: { readonly player: string | null; readonly limit: string | null; readonly before: string | null },
  ): Promise<ManageAnswer>;
  /** What was published, and the way back (decision 8). */
  readonly history: {
    /** Newest first. `before`: a revision, as the page before names it. */
    publishes(caller: Caller, query: { readonly limit: string | null; readonly before: string | null }): Promise<ManageAnswer>;
    /** Live becomes what it was before its last publish or promotion. Throws 409 NOTHING_TO_ROLL_BACK. */
    rollback(caller: Caller, options: { readonly dryRun: boolean; readonly to: number | null }): Promise<ManageAnswer>;
  };
  /** Saved tests and dry runs: what they write is seen by the run alone, and nothing of it is stored (management 9). */
  readonly tests: {
    list(caller: Caller): Promise<ManageAnswer>;
    /** `body`: a list of tests or source items, or `{tests}`. */
    replace(caller: Caller, body: Json | undefined, strict: boolean): Promise<ManageAnswer>;
    /** `{testId}`, or a test itself. */
    testEndpoint(caller: Caller, body: Json | undefined, target: PublishTarget): Promise<ManageAnswer>;
    runTests(caller: Caller, target: PublishTarget): Promise<ManageAnswer>;
    /** `{slug}`, or nothing for every endpoint. */
    autoTest(caller: Caller, body: Json | undefined, target: PublishTarget): Promise<ManageAnswer>;
    /** The same. */
    suggestTests(caller: Caller, body: Json | undefined, target: PublishTarget): Promise<ManageAnswer>;
  };
  /** The game's package and revisions (management 14 and 15). */
  readonly gamePackage: {
    /** `body`: members of a package. Another revision than before promotes what is staged. Needs every scope. */
    sync(caller: Caller, body: Json): Promise<ManageAnswer>;
    read(caller: Caller): Promise<ManageAnswer>;
    /** What a game that starts is told of its `revision`; `null`: it did not say. Any key. */
    init(caller: Caller, revision: number | null): Promise<ManageAnswer>;
  };
  /** Project settings and keys, as far as managers reach them (management 16 and 17). All need the `settings` scope. */
  readonly settings: {
    read(caller: Caller): Promise<ManageAnswer>;
    /** `body`: a flat object of settings, or one under `settings` or `config`. Answers what `read` would answer then. */
    change(caller: Caller, body: Json, strict: boolean): Promise<ManageAnswer>;
    /** By the value of a public key of this project; `null`, and one that is not there, change nothing. */
    revokePublicKey(caller: Caller, publicKey: string | null): Promise<ManageAnswer>;
  };
  /** What players report (runtime-storage 12, 13, 15). Bodies come with neutral names; `claimed` is the player's id out of the query. */
  readonly telemetry: {
    track(caller: Caller, body: Json | undefined, claimed: string | null, target: PublishTarget): Promise<Tracked>;
    /** A body that is missing, or is no object, is no reason to refuse. */
    heartbeat(caller: Caller, body: Json | undefined, claimed: string | null, target: PublishTarget): Promise<HeartbeatAnswer>;
    saveFailed(caller: Caller, body: Json | undefined): Promise<{ readonly recorded: boolean }>;
    /** Of what was reported to this target. */
    stats(caller: Caller, platformId: string, target: PublishTarget): Promise<StatsAnswer>;
  };
}

/** `reason`: why not, a word for machines. */
export interface Tracked {
  readonly stored: boolean;
  readonly reason: 'storage_unavailable' | 'capture_disabled' | 'quota_exceeded' | null;
}

export interface HeartbeatAnswer {
  readonly ok: true;
  readonly persisted: boolean;
  readonly platformId: string;
  readonly projectId: string;
  readonly totalSeconds: number;
  /** ISO; `null` when none is known. */
  readonly lastHeartbeat: string | null;
}

export interface StatsAnswer {
  readonly body: JsonObject;
  /** Whether a heartbeat that this node has stored is not in it yet. */
  readonly stale: boolean;
}

export type ListedKind = 'collection' | 'endpoint' | 'workflow' | 'library' | 'query';
export type SingleKind = 'game-values' | 'rate-limit-rules';

/** Permissions of a secret key: scopes such as `collections`, all of them, and what their letters must hold (security 1.4). */
export interface Need {
  readonly scopes: readonly string[];
  readonly level: 'r' | 'rw' | 'x';
}

/** Credentials, claims and what the game says of itself, as the transport found them; nothing in them is trusted. */
export interface Presented extends ClientFacts {
  /** The credential: first non-empty carrier of the route family. */
  readonly key: string | null;
  /** Routes of the management family: anything but a valid, enabled secret key is 401. */
  readonly management: boolean;
  /** Queries: a secret key sent beside a public primary key. */
  readonly extraSecret: string | null;
  /** What a disabled key answers on this family (security 1.3). */
  readonly disabledKey: 'KEY_DISABLED' | 'UNAUTHORIZED';
  /** What a disabled project answers on this family. */
  readonly disabledProject: 'PROJECT_DISABLED' | 'DISABLED';
  /** What a secret key must be permitted: 403 FORBIDDEN, after the key and before the project's state (security 1.3). */
  readonly needs?: Need | null;
  /** First non-empty claim, or `null`. */
  readonly platformId: string | null;
  readonly onBehalfOf: string | null;
  /** Not given: nothing that could prove a player. */
  readonly proof?: PlayerProof;
  /** Caller's watermark out of `x-ns-position`: reads reflect at least this revision. */
  readonly position: number | null;
  /** Not given, as `null`: what it asks for has no name of its own. */
  readonly intent?: Intent | null;
}

/** What a caller names a request by that is to happen once (decision 35). Nothing in it is trusted. */
export interface Intent {
  /** The text of its `Idempotency-Key`. */
  readonly key: string;
  readonly requestId: string;
  /** SHA-256 (hex) of method, path, target and body. `body`: what counts in place of the request's. */
  request(body?: Json): string;
}

/** A resolved key, and who it says it acts for. */
export interface Caller {
  readonly projectId: string;
  readonly key: ApiKey;
  readonly isSecret: boolean;
  /** The second key of queries; `null` when none was sent. */
  readonly extraSecret: ApiKey | 'invalid' | null;
  readonly platformId: string | null;
  readonly onBehalfOf: string | null;
  readonly position: number | null;
  /** How the game's revision stands to the current one; `null` where none is known or nothing is enforced. */
  readonly revision: RevisionStatus | null;
  readonly proof?: PlayerProof | undefined;
  readonly intent?: Intent | null | undefined;
  /** The player it acts for, once proven. */
  readonly verified?: string;
  /** The session that helped to prove it: decisions look whether it is still in force. */
  readonly session?: SessionToken;
}

/** What a request sent to prove who plays; nothing in it is trusted, and nothing is looked for before it is asked for. */
export interface PlayerProof {
  /** Every claim of the player's id, from the first that counts to the last. */
  readonly claims: readonly string[];
  /** Of the player's platform, or the studio's own login. */
  readonly token: string | null;
  readonly sessionToken: string | null;
  /** Of the player that a host asks for. */
  readonly onBehalfOfToken: string | null;
  readonly proxySignature: string | null;
  /** The client's address; `null`: on this machine, which is not counted. */
  readonly address: string | null;
}

export interface CollectionAddress {
  /** Id or name as in the path, any letter case. */
  readonly collection: string;
  readonly target: PublishTarget;
}

export interface Address extends CollectionAddress {
  readonly key: string;
}

export interface RecordAddress extends Address {
  readonly recordId: string;
}

export interface Positioned {
  /** Revision of the project's log that this reflects or became: `x-ns-position`. */
  readonly position: number;
  /** True when the answer could not be shown to be current: `x-ns-stale`. */
  readonly stale: boolean;
  /** It is the first answer to a request that was sent again: `idempotent-replay`. */
  readonly replayed?: true | undefined;
}

export interface DocumentAnswer extends Positioned {
  /** JSON text, defaults filled in. */
  readonly text: string;
  /** `x-ns-save-version`. */
  readonly version: number;
}

export interface PageAnswer extends Positioned {
  readonly page: PageState;
}

export interface AskedWrite {
  /** The parsed request body, any JSON value. */
  readonly body: Json;
  /** The version that the writer has seen, where something beside the body says it. */
  readonly saveVersion: number | null;
}

export interface WriteAnswer extends Positioned {
  readonly version: number;
}

/** `body` is an object, or its JSON text where that was at hand. */
export interface ReadAnswer extends Positioned {
  readonly body: JsonObject | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SecurityConfigAnswer {
  readonly version: string;
  readonly config: JsonObject;
}

export interface EndpointRequest {
  readonly slug: string;
  readonly target: PublishTarget;
  /** Already freed of transport members; strings only when it came from a query text (`fromQuery`). Empty where the body is sealed. */
  readonly input: JsonObject;
  readonly fromQuery: boolean;
  /** The envelope of a sealed body, as it was sent. */
  readonly sealed: JsonObject | null;
  /** The body's `security` block, whatever it says. */
  readonly security: JsonObject | null;
  /** Whether it was sent as client libraries send a body: with a security mode or a `security` block. */
  readonly library: boolean;
}

export interface EndpointAnswer extends Positioned {
  readonly status: number;
  /** How the hash of the definitions begins that it ran with: `x-ns-publish`. */
  readonly publish: string;
  readonly body: Json;
}

export interface SessionAnswer extends Positioned {
  /** `null` after a revoke. */
  readonly token: string | null;
  readonly ttlSeconds: number;
  readonly player: string;
  readonly session: AuthSession;
}

export interface ManageAnswer extends Positioned {
  readonly status: number;
  readonly body: JsonObject;
}

export interface LedgerQuery {
  readonly field: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly limit: string | null;
  readonly cursor: string | null;
}
