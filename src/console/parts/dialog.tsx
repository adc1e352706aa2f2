import type { DialogProps } from './dialog-opened.tsx';
import { codeOf, Later } from './later.tsx';

const OPENED = codeOf('dialog', () => import('./dialog-opened.tsx').then(({ OpenedDialog }) => OpenedDialog));

/** An act over the page. Its code comes when the first one is opened. */
export function Dialog(props: DialogProps) {
  return <Later code={OPENED} props={props} />;
}
