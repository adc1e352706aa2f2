import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import { type LiveState, useIsSeen } from './live.ts';
import type { LoggedRequest } from './queries.ts';
import { definitionsOf, given, type View } from './view.ts';

/** What the page of calls reads. */

export type CallsByEndpoint = api.CallsByEndpoint;

/** A part of time: so long before its end. `to`: its end as routes take it; `undefined`: now. */
export interface Window {
  readonly ms: number;
  readonly to: string | undefined;
}

/** What of the log is listed. */
export interface CallsAsked {
  readonly slug: string | undefined;
  readonly code: string | undefined;
  readonly player: string | undefined;
  /** Also what succeeded. */
  readonly all: boolean;
}

const PAGE = 30;
/** How often what is counted is read anew while it is followed. */
const EVERY_MS = 10_000;

/** When a window begins, ms since 1970. */
export function beginOf({ ms, to }: Window): number {
  const end = to === undefined ? Date.now() : Date.parse(to);
  return end - ms;
}

function rangeOf(window: Window) {
  const { to } = window;
  return { $from: new Date(beginOf(window)).toISOString(), ...(to === undefined ? {} : { to }) };
}

export function summaryQuery({ project, target }: View, window: Window) {
  return queryOptions({
    queryKey: [project, 'calls', 'summary', target, window],
    queryFn: () => answerOf(api.summarizeLogs({ project, target, ...rangeOf(window) })),
    placeholderData: keepPreviousData,
    ...(window.to === undefined ? { refetchInterval: EVERY_MS } : {}),
  });
}

function filterOf({ slug, code, player, all }: CallsAsked) {
  return { ...given({ slug, code, player }), ...(all ? {} : { errors: 'true' as const }) };
}

export function callsQuery({ project }: View, asked: CallsAsked, window: Window) {
  return infiniteQueryOptions({
    queryKey: [project, 'calls', 'list', asked, window],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.readLogs({
          project,
          ...filterOf(asked),
          ...rangeOf(window),
          limit: PAGE,
          ...(pageParam === null ? {} : { cursor: pageParam }),
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    // What came while nobody saw the page was not followed.
    ...(window.to === undefined ? { refetchOnWindowFocus: 'always' as const } : {}),
  });
}

/** Requests of which those who made them are told: of the endpoint, and of all. */
const LAST = 100;

/** Who called an endpoint last, where one is named, and who called anything, oldest first. */
export function lastCallsQuery({ project }: View, slug?: string) {
  return queryOptions({
    queryKey: [project, 'calls', 'last', slug],
    queryFn: async () => {
      const read = (of: { readonly slug?: string }) => answerOf(api.readLogs({ project, ...of, limit: LAST }));
      const [own, all] = await Promise.all([slug === undefined ? { requests: [] } : read({ slug }), read({})]);
      const requests = new Map([...own.requests, ...all.requests].map((request) => [request.id, request]));
      return [...requests.values()].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
    },
    staleTime: 30_000,
  });
}

/** What tells a player apart: what the game calls him, and the first of his documents. */
export function toldApartQuery({ project }: View, player: string) {
  return queryOptions({
    queryKey: [project, 'player', player, 'told apart'],
    queryFn: async () => {
      const part = (name: 'profile' | 'documents') => answerOf(api.showPlayer({ project, player, part: name, limit: 3 }));
      const [{ profile }, { documents }] = await Promise.all([part('profile'), part('documents')]);
      return { name: profile?.name ?? null, document: documents?.items.find(({ document }) => document !== undefined)?.document };
    },
    staleTime: 30_000,
    retry: false,
  });
}

/** The last requests as the page began to follow them, and what came since, newest first; and whether it still follows. */
export interface Followed {
  readonly requests: readonly LoggedRequest[];
  readonly state: LiveState;
}

/** Most that a page keeps of what came. */
const KEPT = 100;
const OFF: Followed = { requests: [], state: 'off' };

/** What comes within this is shown at once, ms: at first those that were there. */
const TOGETHER_MS = 100;

/**
 * Follows the log as it happens, while somebody sees the page. A browser comes back by itself after a fault of the network. It begins with
 * the last ones each time, so nothing is missed between what a page read and this.
 */
export function useFollowed({ project }: View, asked: CallsAsked, isOn: boolean): Followed {
  const [followed, setFollowed] = useState<Followed>(OFF);
  const query = new URLSearchParams({ ...filterOf(asked), follow: 'true', limit: String(PAGE) }).toString();
  const isSeen = useIsSeen();
  useEffect(() => {
    setFollowed(OFF);
    if (!isOn || !isSeen) return;
    const events = new EventSource(`/v3/manage/${encodeURIComponent(project)}/logs?${query}`);
    const tell = (state: Followed['state']) => setFollowed((before) => ({ ...before, state }));
    events.addEventListener('open', () => tell('live'));
    events.addEventListener('error', () => tell('lost'));
    events.addEventListener('refused', () => {
      events.close();
      tell('lost');
    });
    let came: LoggedRequest[] = [];
    let showing: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      const newest = new Map(came.map((request) => [request.id, request]));
      [came, showing] = [[], undefined];
      setFollowed(({ requests }) => {
        const known = new Set(requests.map(({ id }) => id));
        const others = [...newest.values()].filter(({ id }) => !known.has(id));
        return { requests: [...others.toReversed(), ...requests].slice(0, KEPT), state: 'live' };
      });
    };
    events.addEventListener('request', ({ data }: MessageEvent<string>) => {
      came.push(JSON.parse(data) as LoggedRequest);
      showing ??= setTimeout(show, TOGETHER_MS);
    });
    return () => {
      clearTimeout(showing);
      events.close();
    };
  }, [project, query, isOn, isSeen]);
  return followed;
}

interface ListedEndpoint {
  readonly id: string;
  readonly slug?: string;
  readonly name?: string;
  readonly description?: string;
  readonly input?: unknown;
  readonly [member: string]: unknown;
}

/** `at`: as they were at another moment than the page's. */
export function endpointsQuery(view: View, at: string | undefined = view.at) {
  return queryOptions({
    queryKey: [view.project, 'endpoints', view.target, at],
    queryFn: async () => (await answerOf(api.listEndpoints(definitionsOf({ ...view, at })))).data as readonly ListedEndpoint[],
    staleTime: 30_000,
  });
}

/** What endpoints call, as it was at a moment. */
export function logicQuery(view: View, at: string) {
  const asked = definitionsOf({ ...view, at });
  return queryOptions({
    queryKey: [view.project, 'logic', view.target, at],
    queryFn: async () => {
      const [workflows, libraries] = await Promise.all([answerOf(api.listWorkflows(asked)), answerOf(api.listLibraries(asked))]);
      return { workflows: workflows.data, libraries: libraries.data };
    },
    staleTime: 30_000,
  });
}

/** The rate-limit rules. `at`: as they were at another moment than the page's. */
export function rulesQuery(view: View, at: string | undefined = view.at) {
  return queryOptions({
    queryKey: [view.project, 'rules', view.target, at],
    queryFn: async () => {
      const { rules } = await answerOf(api.listRateLimitRules(definitionsOf({ ...view, at })));
      return rules as readonly Readonly<Record<string, unknown>>[];
    },
    staleTime: 30_000,
  });
}
