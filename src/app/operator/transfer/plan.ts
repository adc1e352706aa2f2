import { randomBytes } from 'node:crypto';
import type { AdoptKey } from '../../../domain/project/decide.ts';
import type { DefinitionsState } from '../../../domain/states.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import type { Unfollowed } from './importer.ts';
import { type DefinitionRow, LISTED_TABLES, nameIn } from './rows.ts';

/** Plans an import before it is done. */

export type Conflicts = 'overwrite' | 'skip' | 'copy';

/** `asNew`: the name, or `null` for the name in the file. */
export type ImportTarget = { readonly asNew: string | null } | { readonly into: string };

export interface TableReport {
  readonly table: string;
  readonly incomingCount: number;
  readonly existingCount: number;
  readonly conflictCount: number;
  readonly newCount: number;
  /** Conflicts between definitions; times are unix ms. */
  readonly conflicts?: readonly {
    readonly id: string;
    readonly name: string;
    readonly existingUpdatedAt: number;
    readonly incomingUpdatedAt: number | null;
  }[];
}

export interface ImportReport {
  /** `null`: a preview of a project that is not made. */
  readonly projectId: string | null;
  readonly publicKey?: string;
  readonly secretKey?: string;
  readonly tables: readonly TableReport[];
  /** The keys that the file brings into a new project, as they come. */
  readonly keys: readonly Omit<AdoptKey, 'hash'>[];
  /** `null`: a preview. */
  readonly written: {
    readonly definitions: number;
    readonly documents: number;
    readonly saveRecords: number;
    readonly keys: number;
    readonly pages: number;
    /** Documents with numbers that no ledger follows: how many, and the first of them. */
    readonly unfollowed: { readonly count: number; readonly first: readonly Unfollowed[] };
  } | null;
}

/** The definitions of a file, compared with those of a project. */
export function definitionTables(rows: readonly DefinitionRow[], state: DefinitionsState | null): readonly TableReport[] {
  const tables = [...new Set(rows.map(({ table }) => table))];
  return tables.map((table) => {
    const own = rows.filter((row) => row.table === table);
    const existing = state?.live[own[0]?.kind ?? 'collection'] ?? new Map();
    const conflicts = own.flatMap((row) => {
      const item = existing.get(row.id);
      const name = nameIn(row.value) ?? row.id;
      return item === undefined ? [] : [{ id: row.id, name, existingUpdatedAt: item.updatedAt, incomingUpdatedAt: row.updatedAt }];
    });
    const counts = { incomingCount: own.length, existingCount: existing.size, conflictCount: conflicts.length };
    return { table, ...counts, newCount: own.length - conflicts.length, conflicts };
  });
}

/** What is published and imported once every conflict is decided. */
export interface Resolved {
  readonly rows: readonly DefinitionRow[];
  /** Ids of collections that get another id. Their documents follow. */
  readonly collections: ReadonlyMap<string, string>;
}

/** The definitions as they will be published. Game values, rules and tests exist once per project and are replaced. */
export function resolved(rows: readonly DefinitionRow[], state: DefinitionsState, how: Conflicts): Resolved {
  const isListed = ({ table }: DefinitionRow) => Object.hasOwn(LISTED_TABLES, table);
  const conflicts = (row: DefinitionRow) => isListed(row) && state.live[row.kind].has(row.id);
  if (how === 'overwrite') return { rows, collections: new Map() };
  if (how === 'skip') return { rows: rows.filter((row) => !conflicts(row)), collections: new Map() };
  const ids = new Map(rows.filter(conflicts).map((row) => [row, randomBytes(8).toString('hex')]));
  const collections = new Map([...ids].flatMap(([row, id]) => (row.kind === 'collection' ? [[row.id, id] as const] : [])));
  const copied = rows.map((row) => {
    const id = ids.get(row);
    const value = row.kind === 'query' ? renamed(row.value, collections) : row.value;
    return id === undefined ? { ...row, value } : { ...row, id, value: identified(row, value, id) };
  });
  return { rows: copied, collections };
}

/**
 * Gives a copy its new id. The source text is dropped: with it the copy would become the old definition again as soon as an editor pushed
 * it.
 */
function identified({ kind, id: before }: DefinitionRow, value: Json, id: string): Json {
  if (!isObject(value)) return value;
  const { sourceText: _, sourcePath: __, ...rest } = value;
  const name = nameIn(value) ?? before;
  return { ...rest, id, ...(kind === 'endpoint' ? { slug: id } : {}), name: `${name} (copy)` };
}

const COLLECTION_NAMES: ReadonlySet<string> = new Set(['collectionId', 'collection_id']);

function renamed(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (isArray(value)) return value.map((item) => renamed(item, ids));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => {
    const id = typeof inner === 'string' && COLLECTION_NAMES.has(name) ? ids.get(inner) : undefined;
    return [name, id ?? renamed(inner, ids)];
  });
  return Object.fromEntries(entries) satisfies JsonObject;
}
