import { queryOptions } from '@tanstack/react-query';
import { LOOK } from '../frame/acting.ts';
import { atOf, type View } from '../frame/view.ts';
import { lookAtPromotion } from './acts.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';

/** What is wrong with what is staged, and earlier publishes. */

/** What a promotion would change and find, of what was staged at a revision. */
export function checkQuery({ project }: View, base: number) {
  return queryOptions({ queryKey: [project, 'look', 'promote', base], queryFn: () => lookAtPromotion(project), ...LOOK });
}

/** How the saved tests come out on next. Nothing of them is stored. */
export function testsQuery({ project }: View, base: number) {
  return queryOptions({
    queryKey: [project, 'look', 'tests', base],
    queryFn: () => answerOf(api.runTests({ project, xNsPublishTarget: 'next', body: {} })),
    ...LOOK,
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

/** What differs in live between two publishes. `to` left out: now. */
export function comparePublishesQuery(view: View, from: number, to: number | undefined) {
  const { project } = view;
  const until = to === undefined ? atOf(view).at : String(to);
  return queryOptions({
    queryKey: [project, 'compare publishes', from, until],
    queryFn: () => answerOf(api.compareDefinitions({ project, $from: String(from), ...(until === undefined ? {} : { to: until }) })),
  });
}
