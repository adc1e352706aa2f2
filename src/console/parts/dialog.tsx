import type { ReactNode } from 'react';
import { codeOf, Later } from './later.tsx';

const OPENED = codeOf('dialog', () => import('./dialog-opened.tsx').then(({ OpenedDialog }) => OpenedDialog));

export interface DialogProps {
  readonly title: string;
  readonly sub?: ReactNode;
  readonly close: () => void;
  /** The decision; nothing is to be decided where it is left out, and the dialog is closed. */
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

/** An act over the page. Its code comes when the first one is opened. */
export function Dialog(props: DialogProps) {
  return <Later code={OPENED} props={props} />;
}
