import { queryOptions } from '@tanstack/react-query';
import * as api from './generated.ts';
import { answerOf } from './http.ts';

/** Revision and time of a moment, whichever is given. Whoever reads definitions may ask: those of then, compared with themselves. */
export function momentQuery(project: string, at: string) {
  return queryOptions({
    queryKey: [project, 'moment', at],
    queryFn: async () => (await answerOf(api.compareDefinitions({ project, $from: at, to: at }))).from,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
