import type { ReactNode } from 'react';
import { addsDetail, type Notice, noticeOf, Refused } from '../api/refusal.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './notice.module.css';
import { Said } from './said.tsx';

/** What went wrong, what it means, and what to do. */
export function Failed({
  error,
  again,
  words,
  children,
}: {
  readonly error: unknown;
  /** What this page says of it; left out: what is said everywhere. */
  readonly words?: Notice | null;
  readonly again?: () => void;
  readonly children?: ReactNode;
}) {
  const refusal =
    error instanceof Refused
      ? error.refusal
      : { status: 0, code: 'PAGE', message: `This page failed: ${error instanceof Error ? error.message : String(error)}`, details: {} };
  const { happened, means, toDo } = words ?? noticeOf(refusal);
  return (
    <div className={styles.notice} role="alert">
      <p className={styles.happened}>
        <Said text={happened} />
      </p>
      <p>
        {means} {toDo}
      </p>
      {words == null && addsDetail(refusal) && (
        <p className={styles.detail}>
          The server says: <Said text={refusal.message} />
        </p>
      )}
      {words == null && refusal.requestId !== undefined && <p className={styles.detail}>Request {refusal.requestId}</p>}
      {children}
      {again !== undefined && (
        <div className={styles.actions}>
          <Button isSmall onClick={again}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** What was done, what it means, and what may be done next. */
export function Done({ children, actions }: { readonly children: ReactNode; readonly actions?: ReactNode }) {
  return (
    <div className={classes(styles.notice, styles.good)} role="status">
      {children}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
