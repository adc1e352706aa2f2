import type { EffectiveDefinitions, QueryModel } from '../definition/model.ts';

/**
 * What a leaderboard's board goes by beside the query's id: the query's content hash. Where the collection is staged otherwise than it is
 * live, `next` has a board of its own, as defaults count on boards: what is staged must not show on live ones (decision 8).
 * `collection` is the id or name that the query gives.
 */
export function boardHash(query: QueryModel, collection: string, own: EffectiveDefinitions, live: EffectiveDefinitions): string {
  const isShared = own === live || own.collection(collection)?.hash === live.collection(collection)?.hash;
  return isShared ? query.hash : `next/${query.hash}`;
}
