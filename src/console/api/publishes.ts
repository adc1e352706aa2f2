import { queryOptions } from '@tanstack/react-query';
import { LOOK } from './acts.ts';
import * as api from './generated.ts';
import { answerOf, datedAnswerOf } from './http.ts';
import { atOf, type Target, type View } from './view.ts';

/** What is wrong with what is staged, and earlier publishes. */

/** How long what was looked at is good enough for whoever promotes, ms: players go on playing. */
export const FRESH_MS = 30_000;

/** What was found is kept so long for whoever goes elsewhere and comes back, ms: it says when it was looked for. */
const KEPT_MS = 30 * 60_000;

/** What a promotion would change and find. `state`: what is staged and what is live, as {@link differenceQuery} names it. */
export function checkQuery({ project }: View, state: string) {
  return queryOptions({
    queryKey: [project, 'look', 'promote', state],
    queryFn: async () => {
      const { body, revision } = await datedAnswerOf(api.promote({ project, body: { dryRun: true } }));
      return { ...body, position: revision };
    },
    ...LOOK,
    gcTime: KEPT_MS,
  });
}

export type TestRun = api.TestRun;

/** How the saved tests come out on next. Nothing of them is stored. */
export function testsQuery({ project }: View, state: string) {
  return queryOptions({
    queryKey: [project, 'look', 'tests', state],
    queryFn: () => answerOf(api.runTests({ project, xNsPublishTarget: 'next', body: {} })),
    ...LOOK,
    gcTime: KEPT_MS,
  });
}

/** One publish, and the one before it. */
export function publishQuery({ project }: View, revision: number) {
  return queryOptions({
    queryKey: [project, 'publish', revision],
    queryFn: async () => {
      const { publishes } = await answerOf(api.listPublishes({ project, limit: 2, before: String(revision + 1) }));
      const [publish, earlier] = publishes;
      return publish?.revision === revision ? { publish, before: earlier?.revision ?? 0 } : null;
    },
  });
}

/** What live after a publish is compared with: live after another one, live now, or what is staged now. */
export type ComparedWith = number | 'live' | 'next';

/** What differs between live after a publish and something else. */
export function comparePublishesQuery(view: View, from: number, other: ComparedWith) {
  const { project } = view;
  const to = typeof other === 'number' ? String(other) : atOf(view).at;
  const until = to === undefined ? {} : { to };
  const staged = other === 'next' ? { toTarget: other } : {};
  return queryOptions({
    queryKey: [project, 'compare publishes', from, other, to],
    queryFn: () => answerOf(api.compareDefinitions({ project, $from: String(from), ...until, ...staged })),
  });
}

/** What a publish changed in its target, whole. `before`: the publish before it, after which nothing changed. */
export function publishDifferenceQuery({ project }: View, target: Target, before: number, revision: number) {
  return queryOptions({
    queryKey: [project, 'publish difference', revision],
    queryFn: () => answerOf(api.compareDefinitions({ project, $from: String(before), to: String(revision), xNsPublishTarget: target })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
