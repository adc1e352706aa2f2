import { type ReactNode, useEffect, useState } from 'react';
import { ALWAYS, addsDetail, mayPass, type Notice, noticeOf, Refused, type Words } from '../words/refusal.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './notice.module.css';
import { Said } from './said.tsx';

type AllWords = Readonly<Record<string, Words>>;

let loaded: AllWords | null = null;

/** Words for codes. They are loaded when something is first refused; `null`: not yet. */
function useWords(): AllWords | null {
  const [words, setWords] = useState(loaded);
  useEffect(() => {
    if (words !== null) return;
    const keep = (known: AllWords) => {
      loaded = known;
      setWords(known);
    };
    // Where they cannot be loaded, the server's own sentence is told.
    import('../words/notices.ts').then(
      ({ NOTICES }) => keep(NOTICES),
      () => setWords(ALWAYS),
    );
  }, [words]);
  return words;
}

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
  const all = useWords();
  const known = all ?? (words != null || Object.hasOwn(ALWAYS, refusal.code) ? ALWAYS : null);
  if (known === null) return null;
  const { happened, means, toDo } = words ?? noticeOf(refusal, known);
  return (
    <div className={styles.notice} role="alert">
      <p className={styles.happened}>
        <Said text={happened} />
      </p>
      <p>
        {means} {toDo}
      </p>
      {words == null && addsDetail(refusal, known) && (
        <p className={styles.detail}>
          The server says: <Said text={refusal.message} />
        </p>
      )}
      {words == null && refusal.requestId !== undefined && <p className={styles.detail}>Request {refusal.requestId}</p>}
      {children}
      {again !== undefined && mayPass(refusal) && (
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
