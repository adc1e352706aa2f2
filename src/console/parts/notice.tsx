import type { ReactNode } from 'react';
import { addsDetail, noticeOf, Refused } from '../api/refusal.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './notice.module.css';

/** What went wrong, what it means, and what to do. */
export function Failed({
  error,
  again,
  children,
}: {
  readonly error: unknown;
  readonly again?: () => void;
  readonly children?: ReactNode;
}) {
  const refusal =
    error instanceof Refused
      ? error.refusal
      : { status: 0, code: 'PAGE', message: `This page failed: ${error instanceof Error ? error.message : String(error)}`, details: {} };
  const { happened, means, toDo } = noticeOf(refusal);
  return (
    <div className={styles.notice} role="alert">
      <p className={styles.happened}>{happened}</p>
      <p>
        {means} {toDo}
      </p>
      {addsDetail(refusal) && <p className={styles.detail}>The server says: {refusal.message}</p>}
      {refusal.requestId !== undefined && <p className={styles.detail}>Request {refusal.requestId}</p>}
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
