import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Scroll } from './scroll.tsx';
import styles from './table.module.css';

interface Head {
  readonly name: string;
  /** Where another head may have the same name. */
  readonly id?: string;
  /** Of numbers: they stand at the right. */
  readonly isNumber?: boolean;
  /** For readers of screens alone. */
  readonly isHidden?: boolean;
  readonly title?: string;
  readonly className?: string | undefined;
}

interface TableProps {
  /** What it lists, for readers of screens. */
  readonly name: string;
  readonly heads: readonly (string | Head)[];
  /** On a phone each row is a card: below one another stand its cells, with what `data-head` calls them. */
  readonly folds?: boolean;
  readonly className?: string | undefined;
  /** What stands below its rows, such as a sum. */
  readonly foot?: ReactNode;
  /** Its rows. */
  readonly children: ReactNode;
}

/** A table that scrolls sideways by itself where it is wider than its page, or folds on a phone. */
export function Table({ name, heads, folds = false, className, foot, children }: TableProps) {
  return (
    <Scroll name={name}>
      <table className={classes(styles.table, folds && styles.folds, className)}>
        <thead>
          <tr>
            {heads.map((head) =>
              typeof head === 'string' ? <HeadCell key={head} name={head} /> : <HeadCell key={head.id ?? head.name} {...head} />,
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </Scroll>
  );
}

function HeadCell({ name, isNumber = false, isHidden = false, title, className }: Head) {
  return (
    <th scope="col" className={isNumber ? styles.number : className} title={title}>
      {isHidden ? <span className="visually-hidden">{name}</span> : name}
    </th>
  );
}
