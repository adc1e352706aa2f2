import { queryOptions } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { reach } from '../api/http.ts';

/** The code of a component, which is loaded when it is first shown. */
export function codeOf<Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) {
  const queryFn = async () => {
    try {
      return { Loaded: await load() };
    } catch (error) {
      // Where the server does not answer, that is what is told.
      await reach();
      throw error;
    }
  };
  return queryOptions({ queryKey: ['code', name], queryFn, staleTime: Number.POSITIVE_INFINITY });
}
