import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { codeOf } from './code.ts';
import { Failed } from './notice.tsx';

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
