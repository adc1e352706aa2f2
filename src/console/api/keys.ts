import { queryOptions } from '@tanstack/react-query';
import * as api from './generated.ts';
import { answerOf } from './http.ts';

/** The keys of a project, and when each was used last. */

export type ListedKey = api.Key;

export function keysQuery(project: string) {
  return queryOptions({ queryKey: [project, 'keys'], queryFn: () => answerOf(api.listKeys({ project })) });
}
