import type { COLLECTION_TYPES, collection, OPEN_TO } from '../contract/resources/collection.ts';
import type { endpoint, library, workflow } from '../contract/resources/logic.ts';
import type { Written } from '../contract/resources/member.ts';
import type { NormalConfig, NormalJoin, query } from '../contract/resources/query.ts';
import type { WindowName } from '../contract/resources/rate-limits.ts';
import type { ExactNumber, Json, JsonObject } from '../kernel/json.ts';

/**
 * Definitions as the runtime uses them. They are normalised once per publish, and shared by all requests until the next one.
 * `effectiveDefinitions` in `effective.ts` makes them from a DefinitionsState for a target.
 */

export interface CollectionModel {
  readonly id: string;
  readonly name: string;
  readonly type: (typeof COLLECTION_TYPES)[number];
  readonly access: AccessModel;
  readonly publicAppend: boolean;
  readonly allowRecordDelete: boolean;
  /** Whether a player may read what its own data were. */
  readonly ownHistory: boolean;
  readonly requireSaveVersion: boolean;
  /** At least 1. */
  readonly maxRecords: number;
  /** Writes per UTC day; `null`: unlimited. */
  readonly dailyLimit: { readonly per: 'player' | 'collection'; readonly count: number } | null;
  /** Compiled by `document/schema.ts`. */
  readonly schema: SchemaModel;
  /** Content hash of the stored definition. */
  readonly hash: string;
  /** The definition as written. */
  readonly definition: Written<typeof collection>;
}

/** Who may do something, besides secret keys and endpoints: games, the player who owns the document, or nobody. */
export type OpenTo = (typeof OPEN_TO)[number];

export interface AccessModel {
  readonly read: OpenTo;
  readonly write: OpenTo;
  /** Who may read lists, records and ledgers: as `read` where the definition has `access`, else games. `accessMode` does not apply. */
  readonly records: OpenTo;
}

/** Which values a field may have within its type: of a document, and of an endpoint's input. */
export interface Bounds {
  readonly enum: readonly Json[] | undefined;
  readonly min: number | ExactNumber | undefined;
  readonly max: number | ExactNumber | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
}

/**
 * One compiled field of a schema. Every object of this type has all members, so all have one shape, which is faster: each member of each
 * written document is checked by one.
 */
export interface FieldModel extends Bounds {
  readonly type: string;
  /** Its description: `description`, else `title`. */
  readonly about: string | undefined;
  readonly default: Json | undefined;
  readonly required: boolean;
  readonly ledger: boolean;
  /** Whether people see it masked, until they say why they look. */
  readonly personal: boolean;
  /** The currency that a number with a ledger is an amount of; `null`: the field is one of its own. */
  readonly currency: string | null;
  readonly properties: ReadonlyMap<string, FieldModel> | undefined;
  readonly items: FieldModel | undefined;
  /** Whether there may be members without a definition: `true`: any; `false`: none. A field checks each of them. */
  readonly additional: boolean | FieldModel;
  /** Windows in which the number may not grow by more than a limit. */
  readonly growth: RuleModel['windows'];
  /** `null`: several documents may hold the same value. */
  readonly unique: Omit<UniqueField, 'path'> | null;
  /** Children that a document must have: required, without a default. */
  readonly needed: readonly string[];
  /** Children that may be filled in when a document is read: they have a default, or a field below them has one. */
  readonly filled: readonly (readonly [name: string, child: FieldModel])[];
  /** Whether a field below this one has a default. */
  readonly defaultsBelow: boolean;
  /** Children with a ledger, or with one below them, whose names are parts of paths. */
  readonly tracked: readonly (readonly [name: string, child: FieldModel])[];
  /** Whether a field below this one has a ledger. */
  readonly ledgerBelow: boolean;
  /** Whether a number with a ledger may stand below this field under a name that the ledger cannot follow. */
  readonly opensLedger: boolean;
}

export interface UniqueField {
  readonly path: string;
  /** Whether texts that differ in letter case alone are the same value. */
  readonly caseless: boolean;
  /** JSON text of the value that documents without this field read as; empty: none. */
  readonly default: string;
}

export type PersonalPath = readonly string[];

export interface SchemaModel {
  /** `null`: no schema, everything passes. */
  readonly root: FieldModel | null;
  /** Whether any field, at any depth, has a default. */
  readonly hasDefaults: boolean;
  /** Whether any field has a ledger, at any depth of objects. */
  readonly hasLedger: boolean;
  /** Fields in which no two documents may hold the same value. */
  readonly unique: readonly UniqueField[];
  /** Where personal values stand, from the root down; `*`: any member, or any item of a list. */
  readonly personal: readonly PersonalPath[];
  /** Fields that limit their own growth (`_maxPerDay` and the like). */
  readonly growth: readonly { readonly path: string; readonly windows: RuleModel['windows'] }[];
}

export interface RuleModel {
  readonly id: string;
  readonly name: string;
  /** Unix ms. Earlier counts belong to a deleted rule. */
  readonly since: number;
  /** Collection id, or `*`. */
  readonly collection: string;
  /**
   * Whether a collection has exactly this id, and the rule applies to it alone. If not, it applies to every collection with this id or name
   * in any letter case.
   */
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
    readonly join?: NormalJoin;
  }[];
  /** Under normal names. */
  readonly config: NormalConfig;
  readonly hash: string;
  readonly definition: Written<typeof query>;
}

/** A button of the console that runs an endpoint. */
export interface ButtonModel {
  /** On the page of each player, for that player; or on the first page of the project, for nobody. */
  readonly page: 'player' | 'home';
  readonly label: string;
  /** What is asked before it runs. */
  readonly confirm: string | null;
}

export interface EndpointModel {
  readonly id: string;
  readonly slug: string;
  readonly enabled: boolean;
  readonly deprecated: boolean;
  readonly internal: boolean;
  readonly requiresSecretKey: boolean;
  readonly method: 'GET' | 'POST';
  /** Whether the log keeps the input of calls that store something. */
  readonly recordsInput: boolean;
  /** The button of the console that runs it; `null`: none, or one that does not fit. */
  readonly button: ButtonModel | null;
  /** How often it may be called; `null`: no limit. */
  readonly callLimit: CallLimit | null;
  readonly hash: string;
  readonly definition: Written<typeof endpoint>;
}

/** Blocks that endpoints and workflows call as `library.block`. */
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

/** Game values: `values` in templates, and the answers of the values route. */
export interface GameValuesModel {
  /** Group id → entries object; table id → list of row objects. */
  readonly values: JsonObject;
  /** Answers of the values route without `ok`: for secret keys that may read collections, and for all other callers. */
  readonly full: JsonObject;
  readonly shared: JsonObject;
}

export interface EffectiveDefinitions {
  /** Content hash of the definitions that it is made from. */
  readonly hash: string;
  /** By id, then by name, both in any letter case. */
  collection(idOrName: string): CollectionModel | undefined;
  /** By id, then by slug, in this exact spelling. */
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
