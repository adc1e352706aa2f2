import type { PublishTarget } from '../domain/events.ts';
import type { ApiKey, PageState } from '../domain/states.ts';
import type { Json, JsonObject } from '../kernel/json.ts';

/**
 * The use cases, as the transports see them. Every method throws a `Refusal` for what it will not do; anything else thrown is a
 * fault. `main.ts` builds the one instance.
 */
export interface App {
  /**
   * Resolves the key a request carried. Throws 401 UNAUTHORIZED for a missing or unknown key and for an unknown or deleted project
   * (one answer for all, so that nobody can probe), 403 or 401 for a disabled key (`disabledKey`), 403 for a disabled project.
   */
  authenticate(projectId: string, presented: Presented): Promise<Caller>;

  readonly documents: {
    read(caller: Caller, at: Address): Promise<DocumentAnswer>;
    exists(caller: Caller, at: Address): Promise<boolean>;
    /** Access alone, for before a body is read: throws what {@link write} would throw for it. */
    mayWrite(caller: Caller, at: Address): Promise<void>;
    /** `body` is the parsed request body, any JSON value. */
    write(caller: Caller, at: Address, body: Json, saveVersion: number | null): Promise<WriteAnswer>;
    remove(caller: Caller, at: Address): Promise<Positioned>;
    /** The ledger answer of the specification (9.2), without `ok`. */
    ledger(caller: Caller, at: Address, query: LedgerQuery): Promise<ReadAnswer>;
  };
  readonly records: {
    /** Access alone, for before a body is read. */
    mayAppend(caller: Caller, at: CollectionAddress): Promise<void>;
    append(caller: Caller, at: CollectionAddress, body: Json, idempotencyKey: string | null, writerId: string): Promise<ReadAnswer>;
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
    mayWrite(caller: Caller, at: Address): Promise<void>;
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
    /** `input` is already freed of transport members; strings only when it came from a query text (`fromQuery`). */
    call(
      caller: Caller,
      call: { readonly slug: string; readonly input: JsonObject; readonly fromQuery: boolean; readonly target: PublishTarget },
    ): Promise<EndpointAnswer>;
  };
  readonly values: {
    read(caller: Caller, target: PublishTarget): Promise<ReadAnswer>;
    rateLimits(caller: Caller, target: PublishTarget): Promise<ReadAnswer>;
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
      },
    ): Promise<ReadAnswer>;
  };
  readonly manage: {
    /** Array upsert (PUT and POST) of collections, endpoints, workflows or queries. */
    upsertMany(
      caller: Caller,
      kind: ListedKind,
      body: Json,
      options: { readonly target: PublishTarget; readonly replaceAll: boolean },
    ): Promise<ManageAnswer>;
    upsertOne(caller: Caller, kind: ListedKind, body: Json, target: PublishTarget): Promise<ManageAnswer>;
    remove(caller: Caller, kind: ListedKind, id: string): Promise<ManageAnswer>;
    putSingle(caller: Caller, kind: SingleKind, body: Json, target: PublishTarget): Promise<ManageAnswer>;
    removeSingle(caller: Caller, kind: SingleKind): Promise<ManageAnswer>;
    list(
      caller: Caller,
      kind: ListedKind | SingleKind,
      options: { readonly includeStaged: boolean; readonly target: PublishTarget | null },
    ): Promise<ManageAnswer>;
    validate(caller: Caller, publicKey: string | null): Promise<ManageAnswer>;
    promote(caller: Caller, options: { readonly dryRun: boolean }): Promise<ManageAnswer>;
    diff(caller: Caller): Promise<ManageAnswer>;
  };
  /** Project settings and keys, as far as managers reach them (management 16 and 17). All need the `settings` scope. */
  readonly settings: {
    read(caller: Caller): Promise<ManageAnswer>;
    /** `body`: a flat object of settings, or one under `settings` or `config`. Answers what `read` would answer then. */
    change(caller: Caller, body: Json): Promise<ManageAnswer>;
    /** By the value of a public key of this project; `null`, and one that is not there, change nothing. */
    revokePublicKey(caller: Caller, publicKey: string | null): Promise<ManageAnswer>;
  };
}

export type ListedKind = 'collection' | 'endpoint' | 'workflow' | 'query';
export type SingleKind = 'game-values' | 'rate-limit-rules';

/** A permission of a secret key: a scope such as `collections`, and what its letters must hold (spec: security 1.4). */
export interface Need {
  readonly scope: string;
  readonly level: 'r' | 'rw' | 'x';
}

/** Credentials and claims as the transport found them; nothing in them is trusted. */
export interface Presented {
  /** The credential: first non-empty carrier of the route family. */
  readonly key: string | null;
  /** Routes of the management family: anything but a valid, enabled secret key is 401. */
  readonly management: boolean;
  /** Queries: a secret key sent beside a public primary key. */
  readonly extraSecret: string | null;
  /** What a disabled key answers on this family (spec: security 1.3). */
  readonly disabledKey: 'KEY_DISABLED' | 'UNAUTHORIZED';
  /** What a disabled project answers on this family. */
  readonly disabledProject: 'PROJECT_DISABLED' | 'DISABLED';
  /** What a secret key must be permitted: 403 FORBIDDEN, after the key and before the project's state (spec: security 1.3). */
  readonly needs?: Need | null;
  /** First non-empty claim, or `null`. */
  readonly platformId: string | null;
  readonly onBehalfOf: string | null;
  /** Caller's watermark out of `x-ns-position`: reads reflect at least this revision. */
  readonly position: number | null;
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

export interface WriteAnswer extends Positioned {
  readonly version: number;
}

/** `body` is an object, or its JSON text where that was at hand. */
export interface ReadAnswer extends Positioned {
  readonly body: JsonObject | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EndpointAnswer extends Positioned {
  readonly status: number;
  readonly body: Json;
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
