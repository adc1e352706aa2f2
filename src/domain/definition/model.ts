import type { COLLECTION_TYPES, collection, OPEN_TO } from '../../contract/resources/collection.ts';
import type { endpoint, library, workflow } from '../../contract/resources/logic.ts';
import type { Written } from '../../contract/resources/member.ts';
import type { join, query, queryConfig } from '../../contract/resources/query.ts';
import type { WindowName } from '../../contract/resources/rate-limits.ts';
import type { ExactNumber, Json, JsonObject } from '../../kernel/json.ts';

/**
 * Definitions as the runtime uses them: normalised once per publish, shared by every request until the next one.
 * `effectiveDefinitions` in `effective.ts` makes them out of a DefinitionsState for a publish target.
 */

export interface CollectionModel {
  readonly id: string;
  readonly name: string;
  readonly type: (typeof COLLECTION_TYPES)[number];
  readonly access: AccessModel;
  readonly publicAppend: boolean;
  readonly allowRecordDelete: boolean;
  readonly requireSaveVersion: boolean;
  /** At least 1. */
  readonly maxRecords: number;
  /** Writes per UTC day; `null`: unlimited. */
  readonly dailyLimit: { readonly per: 'player' | 'collection'; readonly count: number } | null;
  /** Compiled by `document/schema.ts`. */
  readonly schema: SchemaModel;
  /** Content hash of the stored definition. */
  readonly hash: string;
  /** As it was written. */
  readonly definition: Written<typeof collection>;
}

/** Whom something is open to, beside secret keys and endpoints: games, the player whose document it is, or nobody (decision 34). */
export type OpenTo = (typeof OPEN_TO)[number];

export interface AccessModel {
  readonly read: OpenTo;
  readonly write: OpenTo;
  /** Whether the definition says so itself, with `access`: `accessMode` is not asked by lists, records and ledgers (runtime-storage 3). */
  readonly stated: boolean;
}

/** One field of a schema, compiled. All fields have all members: every member of every document that is written passes one. */
export interface FieldModel {
  readonly type: string;
  readonly default: Json | undefined;
  readonly required: boolean;
  readonly ledger: boolean;
  readonly enum: readonly Json[] | undefined;
  readonly min: number | ExactNumber | undefined;
  readonly max: number | ExactNumber | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly properties: ReadonlyMap<string, FieldModel> | undefined;
  readonly items: FieldModel | undefined;
  /** `true`: any; `false`: none; a field: checked. */
  readonly additional: boolean | FieldModel;
  /** Children that a document must have: required, and without a default. */
  readonly needed: readonly string[];
  /** Children that reading may fill: with a default of their own or below them. */
  readonly filled: readonly (readonly [name: string, child: FieldModel])[];
  /** Whether a field below this one has a default. */
  readonly defaultsBelow: boolean;
  /** Children that a ledger follows, or something below them. */
  readonly tracked: readonly (readonly [name: string, child: FieldModel])[];
  /** Whether a ledger follows something below this field. */
  readonly ledgerBelow: boolean;
}

export interface UniqueField {
  readonly path: string;
  /** Whether texts that differ in letter case alone are the same value. */
  readonly caseless: boolean;
  /** JSON text of what documents that lack it read; empty for nothing. */
  readonly default: string;
}

export interface SchemaModel {
  /** `null`: no schema, everything passes. */
  readonly root: FieldModel | null;
  /** Whether any field, at any depth, has a default. */
  readonly hasDefaults: boolean;
  /** Whether a ledger follows any field, at any depth of objects. */
  readonly hasLedger: boolean;
  /** Fields of which no two documents hold the same value. */
  readonly unique: readonly UniqueField[];
  /** Fields whose growth is limited by their own definition. */
  readonly growth: readonly { readonly path: string; readonly windows: RuleModel['windows'] }[];
}

export interface RuleModel {
  readonly id: string;
  readonly name: string;
  /** Unix ms: what was counted before is a deleted rule's. */
  readonly since: number;
  /** Collection id, or `*`. */
  readonly collection: string;
  /** Whether a collection has that very id; else the rule is of all that have it for their id or name in any letter case. */
  readonly exact: boolean;
  /** Dotted path, or `*`. */
  readonly field: string;
  readonly scope: 'per_player' | 'global';
  readonly action: 'reject' | 'clamp' | 'flag';
  readonly windows: readonly { readonly window: WindowName; readonly limit: number }[];
}

/** How often an endpoint may be called. */
export interface CallLimit {
  readonly scope: RuleModel['scope'];
  readonly windows: RuleModel['windows'];
}

export interface QueryModel {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly requiresSecretKey: boolean;
  readonly sources: readonly {
    readonly collectionId: string;
    readonly alias: string;
    /** As the definition has it. */
    readonly join?: Written<typeof join>;
  }[];
  readonly config: Written<typeof queryConfig>;
  readonly hash: string;
  readonly definition: Written<typeof query>;
}

export interface EndpointModel {
  readonly id: string;
  readonly slug: string;
  readonly enabled: boolean;
  readonly deprecated: boolean;
  readonly internal: boolean;
  readonly requiresSecretKey: boolean;
  readonly method: 'GET' | 'POST';
  /** How often it may be called; `null`: nothing says. */
  readonly callLimit: CallLimit | null;
  readonly hash: string;
  readonly definition: Written<typeof endpoint>;
}

/** Blocks that endpoints and workflows call as `library.block` (decision 31). */
export interface LibraryModel {
  readonly id: string;
  readonly hash: string;
  readonly definition: Written<typeof library>;
}

export interface WorkflowModel {
  readonly id: string;
  readonly hash: string;
  readonly definition: Written<typeof workflow>;
}

/** Game values: what templates see as `values`, and what the values route shows. */
export interface GameValuesModel {
  /** Group id → entries object; table id → list of row objects. */
  readonly values: JsonObject;
  /** Answers of the values route without `ok`, for secret keys that may read collections, and for everyone else. */
  readonly full: JsonObject;
  readonly shared: JsonObject;
}

export interface EffectiveDefinitions {
  /** Content hash of what this is made of. */
  readonly hash: string;
  /** By id, then by name, both in any letter case. */
  collection(idOrName: string): CollectionModel | undefined;
  /** By id, then by slug, exactly. */
  endpoint(slug: string): EndpointModel | undefined;
  workflow(id: string): WorkflowModel | undefined;
  library(id: string): LibraryModel | undefined;
  query(id: string): QueryModel | undefined;
  readonly collections: readonly CollectionModel[];
  readonly endpoints: readonly EndpointModel[];
  readonly workflows: readonly WorkflowModel[];
  readonly libraries: readonly LibraryModel[];
  readonly queries: readonly QueryModel[];
  readonly values: GameValuesModel;
  readonly rules: readonly RuleModel[];
  /** The rules as they were sent. */
  readonly rawRules: readonly Json[];
}
