import { useEffect, useSyncExternalStore } from 'react';
import { codeOf } from './code.ts';
import type { DialogProps } from './dialog-opened.tsx';
import { Later } from './later.tsx';

const OPENED = codeOf('dialog', () => import('./dialog-opened.tsx').then(({ OpenedDialog }) => OpenedDialog));

/** An act over the page. Its code comes when the first one is opened. */
export function Dialog(props: DialogProps) {
  const isDecided = props.foot !== undefined;
  useEffect(() => {
    if (!isDecided) return;
    count(1);
    return () => count(-1);
  }, [isDecided]);
  return <Later code={OPENED} props={props} />;
}

let open = 0;
const readers = new Set<() => void>();

function count(more: 1 | -1): void {
  open += more;
  for (const reader of readers) reader();
}

function follow(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** Whether a dialog is open in which something is decided: what it was opened over stays as it is meanwhile. */
export function useIsDialogOpen(): boolean {
  return useSyncExternalStore(follow, () => open > 0);
}
