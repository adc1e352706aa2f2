import type { EffectiveDefinitions, QueryModel } from '../definition/model.ts';

/**
 * The hash that identifies a leaderboard's board besides the query's id: the query's content hash. If the staged collection differs from the
 * live one, `next` has its own board: defaults count on boards, and staged ones must not show on live boards. `collection`: the id or name in
 * the query.
 */
export function boardHash(query: QueryModel, collection: string, own: EffectiveDefinitions, live: EffectiveDefinitions): string {
  const isShared = own === live || own.collection(collection)?.hash === live.collection(collection)?.hash;
  return isShared ? query.hash : `next/${query.hash}`;
}
