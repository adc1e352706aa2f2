import { type Query, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { newIntent } from '../api/acts.ts';
import { useView } from './view.ts';

/** What all acts have in common: a look first, a key, and pages that are read anew afterwards. */

/**
 * Reads everything of the project anew, but what an act has looked at. Of pages that are not shown nothing is kept: they would show first
 * what was.
 */
export function useRefresh(): () => Promise<void> {
  const { project } = useView();
  const queries = useQueryClient();
  const which = { queryKey: [project], predicate: ({ queryKey }: Query) => queryKey[1] !== 'look' };
  return () => {
    queries.removeQueries({ ...which, type: 'inactive' });
    return queries.invalidateQueries(which);
  };
}

/** A key for an act: the same as long as the same is asked for, so that a request that is sent again happens once. */
export function useIntent(): (asked: unknown) => string {
  const last = useRef({ asked: '', key: '' });
  return (asked) => {
    const text = JSON.stringify(asked);
    if (last.current.asked !== text) last.current = { asked: text, key: newIntent() };
    return last.current.key;
  };
}
