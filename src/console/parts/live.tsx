import type { LiveState } from '../api/live.ts';
import { Button } from './button.tsx';
import { Chip } from './chip.tsx';
import { classes } from './classes.ts';
import styles from './live.module.css';

/** Whether a page follows what happens. `means`: what it then does. */
export function LiveChip({ state, means }: { readonly state: LiveState; readonly means: string }) {
  if (state === 'off') return null;
  return state === 'live' ? (
    <Chip tone="live" title={means}>
      live
    </Chip>
  ) : (
    <Chip tone="past" title="The server cannot be followed now, or too many follow already">
      not live
    </Chip>
  );
}

interface NewProps {
  readonly what: string | null;
  readonly show: () => void;
  /** It is a row of a card, from edge to edge. */
  readonly isInCard?: boolean;
}

/** Something came since the page was read: it is shown when one wants it, so that nothing moves under one's eyes. */
export function NewNote({ what, show, isInCard = false }: NewProps) {
  return (
    <div role="status" className={styles.status}>
      {what !== null && (
        <div className={classes(styles.note, isInCard && styles.inCard)}>
          <span>{what}</span>
          <Button isSmall onClick={show}>
            Show
          </Button>
        </div>
      )}
    </div>
  );
}

/** A word where changes cannot be followed, so that nobody trusts what is old. */
export function NotFollowed({ state }: { readonly state: LiveState }) {
  return (
    <div role="status" className={styles.status}>
      {state === 'lost' && <p className={styles.lost}>Changes cannot be followed just now: this is what was read last.</p>}
    </div>
  );
}
