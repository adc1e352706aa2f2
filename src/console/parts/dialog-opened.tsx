import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';

export interface DialogProps {
  readonly title: string;
  readonly sub?: ReactNode;
  readonly close: () => void;
  /** The decision; nothing is to be decided where it is left out, and the dialog is closed. */
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

/** An act over the page: what it does above, the decision below. Escape leaves it. It begins at the field that says so, or at the first. */
export function OpenedDialog({ title, sub, close, foot, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  // A finger on glass would open the keyboard over what is to be read.
  const begin = (by: string) => (by === 'touch' ? true : (popup.current?.querySelector<HTMLElement>('[data-begin]') ?? true));
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Base.Portal>
        <Base.Backdrop forceRender className={styles.backdrop} />
        <Base.Popup ref={popup} className={styles.popup} initialFocus={begin}>
          <div className={styles.head}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            {sub !== undefined && (
              <Base.Description className={styles.sub} render={<div />}>
                {sub}
              </Base.Description>
            )}
          </div>
          <div className={styles.body}>{children}</div>
          <div className={styles.foot}>
            {foot ?? (
              <Button look="main" onClick={close}>
                Close
              </Button>
            )}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
