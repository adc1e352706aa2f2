import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { reach } from '../api/http.ts';
import { Failed } from './notice.tsx';

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

interface LaterProps<Props extends object> {
  readonly code: ReturnType<typeof codeOf<Props>>;
  /** Stands in its place until it is there. */
  readonly waiting?: ReactNode;
  readonly props: NoInfer<Props>;
}

/** A component that is loaded. React's own `lazy` would show it a third of a second after what stands in its place, at the earliest. */
export function Later<Props extends object>({ code, waiting = null, props }: LaterProps<Props>) {
  const read = useQuery(code);
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  return read.data === undefined ? waiting : <read.data.Loaded {...props} />;
}
