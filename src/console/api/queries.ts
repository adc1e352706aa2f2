import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CommitSaid } from '../words/commit.ts';
import { isAttended } from './attended.ts';
import * as api from './generated.ts';
import { answerOf, datedAnswerOf } from './http.ts';
import { atOf, given, type View } from './view.ts';

/** What pages read. Everything of a project begins with its id, so that an act makes all of it read anew. */

export interface CommitsAsked {
  readonly player?: string;
  /** Of a key, or of a person. */
  readonly key?: string;
  /** Of the support desk, for which it was done. */
  readonly ticket?: string;
  readonly endpoint?: string;
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
}

const PAGE = 30;

export type Commit = api.Commit;
export type Meaning = api.Meaning;
export type Explained = api.Explained;
export type DocumentChange = api.DocumentChange;
export type LoggedRequest = api.LoggedRequest;

export function commitsQuery({ project, at }: View, asked: CommitsAsked) {
  const { from, ...others } = asked;
  const to = asked.to ?? at;
  return infiniteQueryOptions({
    queryKey: [project, 'commits', asked, to],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.listCommits({
          project,
          ...others,
          ...given({ $from: from, to }),
          limit: PAGE,
          ...(pageParam === null ? {} : { before: String(pageParam) }),
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ before }) => before,
  });
}

/** How often a list of commits looks whether there are newer ones, ms. */
export const LOOK_EVERY_MS = 10_000;
/** Newer commits that are counted. */
export const NEWER = 10;

/**
 * Commits after a revision, of which a list that somebody reads tells: only what is new is looked at. Nobody is at the page: nothing is
 * asked.
 */
export function newerCommitsQuery({ project }: View, { key, ticket, endpoint, kind }: CommitsAsked, after: number) {
  return queryOptions({
    queryKey: [project, 'newer commits', key, ticket, endpoint, kind, after],
    queryFn: async ({ client, queryKey }): Promise<number> => {
      if (!isAttended()) return client.getQueryData<number>(queryKey) ?? 0;
      const { commits } = await answerOf(
        api.listCommits({ project, ...given({ key, ticket, endpoint, kind }), $from: String(after + 1), limit: NEWER }),
      );
      return commits.length;
    },
    refetchInterval: LOOK_EVERY_MS,
    staleTime: LOOK_EVERY_MS,
    gcTime: 0,
  });
}

export type PlayerShown = api.PlayerPage;

export function playerQuery(view: View, player: string) {
  const { project, at } = view;
  return queryOptions({
    queryKey: [project, 'player', player, at],
    queryFn: () => answerOf(api.showPlayer({ project, player, ...atOf(view) })),
  });
}

/** What a player is called, for pages that show nothing else of the player's page. */
export function nameQuery(view: View, player: string) {
  const { project, at } = view;
  return queryOptions({
    queryKey: [project, 'player', player, at, 'name'],
    queryFn: () => answerOf(api.showPlayer({ project, player, ...atOf(view), part: 'name' })),
  });
}

/** What a player has used of rate limits, which is known of now alone. */
export function windowsQuery({ project }: View, player: string) {
  return queryOptions({
    queryKey: [project, 'player', player, 'windows'],
    queryFn: () => answerOf(api.showPlayer({ project, player, part: 'windows' })),
  });
}

/** The documents of a player behind those that a page showed, whose `more` says where they go on. */
export function moreDocumentsQuery(view: View, player: string, more: string) {
  const { project, at } = view;
  const after = new URLSearchParams(more.slice(more.indexOf('?'))).get('after') ?? '';
  return queryOptions({
    queryKey: [project, 'player', player, at, 'documents', after],
    queryFn: () => answerOf(api.showPlayer({ project, player, ...atOf(view), part: 'documents', after })),
  });
}

/** What players did next is no part of it: their time lines tell that. */
export function explainQuery({ project }: View, held: string) {
  return queryOptions({
    queryKey: [project, 'explain', held],
    queryFn: () => answerOf(api.explain({ project, held, withoutFollowed: 'true' })),
  });
}

/** Definitions and values that have it in their name: as one types, so that what was found last stays until there is more. */
export function namesQuery({ project }: View, holds: string) {
  return queryOptions({
    queryKey: [project, 'names', holds],
    queryFn: () => answerOf(api.findNames({ project, holds })),
    enabled: holds.length > 1,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}

export function playersQuery({ project }: View, name: string) {
  return queryOptions({
    queryKey: [project, 'players', name],
    queryFn: () => answerOf(api.findPlayers({ project, name, limit: PAGE })),
    enabled: name !== '',
    placeholderData: keepPreviousData,
  });
}

/** Ids whose names are asked for at once. */
const MOST_CALLED = 100;

/** What players are called, by their ids, as far as the game reports it. */
export function calledQuery({ project }: View, players: readonly string[]) {
  const ids = [...new Set(players)].sort().slice(0, MOST_CALLED);
  return queryOptions({
    queryKey: [project, 'called', ids],
    queryFn: async () => {
      const { players: found } = await answerOf(api.findPlayers({ project, ids: ids.join(',') }));
      return new Map(found.map(({ platformId, name }) => [platformId, name]));
    },
    enabled: ids.length > 0,
    staleTime: 60_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
}

export interface Collection {
  readonly id: string;
  readonly name?: string;
  readonly collectionType?: string;
  readonly maxRecords?: number;
  readonly schema?: unknown;
  readonly [member: string]: unknown;
}

export function collectionsQuery(view: View) {
  const { project, target } = view;
  return queryOptions({
    queryKey: [project, 'collections', target, view.at],
    queryFn: async () => {
      const { data } = await answerOf(api.listCollections({ project, ...atOf(view), xNsPublishTarget: target }));
      return data as readonly Collection[];
    },
    staleTime: 30_000,
  });
}

/** The schema of a collection by its id or name, as far as the person sees it. */
export function schemaOf(collections: readonly Collection[] | undefined, named: string): unknown {
  return collections?.find(({ id, name }) => id === named || name === named)?.schema;
}

export interface DocumentAsked {
  readonly collection: string;
  readonly key: string;
}

export function documentQuery(view: View, { collection, key }: DocumentAsked) {
  const { project, target } = view;
  return queryOptions({
    queryKey: [project, 'document', collection, key, target, view.at],
    queryFn: async () => {
      const answer = await api.readDocument({ project, collection, key, ...atOf(view), xNsPublishTarget: target });
      const version = answer.headers.get('x-ns-save-version');
      return { document: (await answerOf(Promise.resolve(answer))) as unknown, version: version === null ? null : Number(version) };
    },
  });
}

export function historyQuery(view: View, { collection, key }: DocumentAsked) {
  const { project, target } = view;
  return infiniteQueryOptions({
    queryKey: [project, 'history', collection, key, target, view.at],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.readDocumentHistory({
          project,
          collection,
          key,
          ...atOf(view),
          limit: PAGE,
          ...(pageParam === null ? {} : { before: String(pageParam) }),
          xNsPublishTarget: target,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ before }) => before,
  });
}

/** The commit of a change, as far as the history of its document tells it. */
export function commitOfChange({ collection, key }: DocumentAsked, { cause, actor, action }: DocumentChange): CommitSaid {
  return { cause, actor: actor as unknown as CommitSaid['actor'], events: [], documents: [{ collection, key, change: action }] };
}

export function compareQuery({ project, target }: View, { collection, key }: DocumentAsked, from: string, to: string | undefined) {
  return queryOptions({
    queryKey: [project, 'compare', collection, key, target, from, to],
    queryFn: () => answerOf(api.compareDocument({ project, collection, key, $from: from, ...given({ to }), xNsPublishTarget: target })),
  });
}

export type Publish = api.Publish;

/** What is staged and what is live, by a name. */
export function stateOf({ liveHash, nextHash }: { readonly liveHash: string; readonly nextHash: string }): string {
  return `${liveHash} ${nextHash}`;
}

/** What is staged against live, the revision that this is of, and both contents by a name: what was looked at holds while that stays. */
export function differenceQuery({ project }: View) {
  return queryOptions({ queryKey: [project, 'difference'], queryFn: () => readDifference(project) });
}

/** What is staged now, whatever the page shows. */
export async function readDifference(project: string) {
  const { body: difference, revision } = await datedAnswerOf(api.diff({ project }));
  return { difference, state: stateOf(difference), base: revision };
}

/** `until`: up to this revision. */
export function publishesQuery({ project }: View, until?: string) {
  return infiniteQueryOptions({
    queryKey: until === undefined ? [project, 'publishes'] : [project, 'publishes', until],
    queryFn: ({ pageParam }) =>
      answerOf(api.listPublishes({ project, limit: PAGE, ...(pageParam === null ? {} : { before: String(pageParam) }) })),
    initialPageParam: until === undefined ? null : Number(until) + 1,
    getNextPageParam: ({ before }) => before,
  });
}
