import { Children, type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './page.module.css';
import { tellPage } from './title.ts';

interface PageProps {
  readonly title: ReactNode;
  /** The name of the page in the browser's title. */
  readonly name: string;
  readonly sub?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page: its heading gets the focus when one arrives, so that a reader of screens is told where. */
export function Page({ title, name, sub, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    tellPage(name);
    // Whoever focuses something has the page laid out at once, and what comes meanwhile lays it out again.
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body || document.activeElement?.closest('nav') != null)
        heading.current?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [name]);
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div className={styles.title}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {sub !== undefined && <p className={styles.sub}>{sub}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A part of a page with a heading. */
export function Card({
  title,
  actions,
  children,
}: {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={styles.card}>
      <div className={styles.cardHead}>
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

export function CardBody({ children }: { readonly children: ReactNode }) {
  return <div className={styles.cardBody}>{children}</div>;
}

interface EmptyProps {
  readonly title: string;
  /** It stands in place of a page. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}

/** Nothing is there: why, and how the first thing is made. */
export function Empty({ title, isPage = false, children }: EmptyProps) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className={styles.empty}>
      <Title className={styles.emptyTitle}>{title}</Title>
      {children !== undefined && <div className={styles.emptyText}>{children}</div>}
    </div>
  );
}

/** A page of a list that holds nothing, though others may follow. */
export function NothingSoFar() {
  return <Empty title="Nothing in the part that was looked at">Older ones may follow: go on below.</Empty>;
}

interface WaitingProps {
  readonly what: string;
  /** A long table comes. */
  readonly isTall?: boolean;
  /** One line comes. */
  readonly isLine?: boolean;
}

/** It takes the room of what comes, so that nothing jumps. */
export function Waiting({ what, isTall = false, isLine = false }: WaitingProps) {
  return (
    <div className={classes(styles.waiting, isTall && styles.tall, isLine && styles.line)} role="status">
      <span className="visually-hidden">Loading {what}</span>
      <span className={styles.bar} />
      <span className={styles.bar} />
      <span className={styles.bar} />
    </div>
  );
}

/** Holds the place of a part of which it is not known yet whether there is one: what stands below waits a moment, so that nothing jumps. */
export function Ahead() {
  return <div className={styles.ahead} hidden />;
}

interface MoreProps {
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly load: () => void;
  readonly label?: string;
  readonly children?: ReactNode;
}

/** The end of a list that is read page by page. */
export function More({ hasMore, isLoading, load, label = 'Show older', children }: MoreProps) {
  if (!hasMore && Children.toArray(children).length === 0) return null;
  return (
    <div className={styles.more}>
      {hasMore && (
        <Button isSmall onClick={load} disabled={isLoading}>
          {isLoading ? 'Loading…' : label}
        </Button>
      )}
      {children}
    </div>
  );
}
