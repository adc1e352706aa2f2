import type { EffectiveDefinitions, QueryModel } from '../model.ts';

/**
 * The hash that identifies a leaderboard's board together with the query's id: the content hash of the query. If the staged collection
 * differs from the live one, `next` has a board of its own, because defaults count on boards, and staged defaults must not show on live
 * boards. `collection`: the id or name in the query.
 */
export function boardHash(query: QueryModel, collection: string, own: EffectiveDefinitions, live: EffectiveDefinitions): string {
  const isShared = own === live || own.collection(collection)?.hash === live.collection(collection)?.hash;
  return isShared ? query.hash : `next/${query.hash}`;
}
