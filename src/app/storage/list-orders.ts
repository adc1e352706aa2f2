import type { SharedAccess } from '../../domain/access/context.ts';
import type { CollectionModel, FieldModel, QueryModel, SchemaModel } from '../../domain/model.ts';
import { type BoardPlan, queryPlan } from '../../domain/query/plan.ts';
import { boardOf } from './query-boards.ts';

/** By what the documents of a collection are ordered and found without looking at all of them: what an index keeps. */

const BY_KEY = '_key';
const BY_TIME = '_time';

export type ListOrder =
  | { readonly by: string; readonly kind: 'key' }
  | { readonly by: string; readonly kind: 'time' }
  | { readonly by: string; readonly kind: 'unique' }
  | { readonly by: string; readonly kind: 'number'; readonly query: QueryModel; readonly board: BoardPlan };

/** Keys; the time of records; numbers that a leaderboard keeps in order; values that one document alone may have. */
export function listOrders(access: SharedAccess, collection: CollectionModel): readonly ListOrder[] {
  const { definitions } = access;
  const numbers = new Map<string, ListOrder>();
  for (const query of definitions.queries) {
    const plan = queryPlan(query);
    const board = typeof plan === 'string' ? null : boardOf(plan, access);
    if (board === null || numbers.has(board.field) || definitions.collection(board.collectionId)?.id !== collection.id) continue;
    numbers.set(board.field, { by: board.field, kind: 'number', query, board });
  }
  return [
    { by: BY_KEY, kind: 'key' },
    ...(collection.type === 'global' ? [{ by: BY_TIME, kind: 'time' } as const] : []),
    ...numbers.values(),
    ...collection.schema.unique.map(({ path }) => ({ by: path, kind: 'unique' }) as const),
  ];
}

/** A field that holds one value, by its dotted path. */
interface Leaf {
  readonly path: string;
  readonly field: FieldModel;
}

/** Deeper fields are found in the document itself. */
const MAX_DEPTH = 4;
const MAX_LEAVES = 200;

/** The fields of a schema that hold a value and no members of their own, in its order. */
export function leavesOf({ root }: SchemaModel): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const add = (field: FieldModel, prefix: string, depth: number) => {
    for (const [name, child] of field.properties ?? []) {
      if (leaves.length >= MAX_LEAVES) return;
      const path = `${prefix}${name}`;
      // A name with a dot is not reached by a path.
      if (name.includes('.')) continue;
      if ((child.properties?.size ?? 0) > 0 && depth < MAX_DEPTH) add(child, `${path}.`, depth + 1);
      else leaves.push({ path, field: child });
    }
  };
  if (root !== null) add(root, '', 1);
  return leaves;
}

/** Columns that are shown unless others are asked for. */
const FIRST = 6;

/** The first columns of a schema: single values before lists and objects, without those that are `isHidden`. */
export function firstColumns(schema: SchemaModel, isHidden: (field: FieldModel) => boolean): readonly string[] {
  const leaves = leavesOf(schema).filter(({ field }) => !isHidden(field));
  const isPlain = ({ field: { type } }: Leaf) => type !== 'array' && type !== 'object';
  const chosen = new Set([...leaves.filter(isPlain), ...leaves.filter((leaf) => !isPlain(leaf))].slice(0, FIRST));
  return leaves.filter((leaf) => chosen.has(leaf)).map(({ path }) => path);
}
