import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly sub?: ReactNode;
  readonly close: () => void;
  /** The decision; nothing is to be decided where it is left out, and the dialog is closed. */
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

/** An act over the page: what it does above, the decision below. Escape leaves it. */
export function Dialog({ title, sub, close, foot, children }: DialogProps) {
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={styles.popup}>
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
