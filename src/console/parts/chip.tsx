import type { ReactNode } from 'react';
import styles from './chip.module.css';
import { classes } from './classes.ts';

export type Tone = 'plain' | 'live' | 'next' | 'past' | 'bad';

/** A word about the thing beside it. */
export function Chip({ tone = 'plain', title, children }: { readonly tone?: Tone; readonly title?: string; readonly children: ReactNode }) {
  return (
    <span className={classes(styles.chip, tone !== 'plain' && styles[tone])} title={title}>
      {children}
    </span>
  );
}
