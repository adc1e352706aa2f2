import { queryOptions } from '@tanstack/react-query';
import type { ServedValues } from '../words/sheet.ts';
import * as api from './generated.ts';
import { datedAnswerOf } from './http.ts';
import { atOf, type Target, type View } from './view.ts';

/** Game values as they are served. How they are changed is apart, because the first file of the console asks for these. */

/** All that is served, and the revision that it is of. */
export function valuesQuery(view: View) {
  const { project, target } = view;
  return queryOptions({
    queryKey: [project, 'values', target, view.at],
    queryFn: () => servedValues(project, target, atOf(view)),
  });
}

export interface Served {
  readonly served: ServedValues;
  readonly base: number;
}

export async function servedValues(project: string, target: Target, at: { readonly at?: string } = {}): Promise<Served> {
  const { body, revision } = await datedAnswerOf(api.readValues({ project, ...at, xNsPublishTarget: target }));
  return { served: body, base: revision };
}
