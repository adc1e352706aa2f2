import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { MomentField } from '../parts/moment-field.tsx';
import { Popup } from '../parts/popup.tsx';
import { momentOf, shortMoment, timeBefore } from '../words/time.ts';
import styles from './shell.module.css';
import { useView } from './view.ts';

const HOUR = 3_600_000;
const STEPS = [
  { name: 'An hour ago', ms: HOUR },
  { name: 'Yesterday', ms: 24 * HOUR },
  { name: 'A week ago', ms: 7 * 24 * HOUR },
] as const;

/** Chooses the moment that all pages show. */
export function Moment() {
  const { at } = useView();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const moment = momentOf(typed);
  const go = (to: string | undefined) => {
    setOpen(false);
    void navigate({ to: '.', search: (before: object) => ({ ...before, at: to }) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (moment !== null) go(moment);
  };
  return (
    <Popup
      label={`As of: ${at === undefined ? 'now' : shortMoment(at)}`}
      says="Look at everything as it was"
      className={classes(styles.moment, at !== undefined && styles.ofThen)}
      title="As it was"
      isOpen={isOpen}
      setOpen={setOpen}
    >
      <div className={styles.row}>
        {STEPS.map(({ name, ms }) => (
          <Button key={name} isSmall onClick={() => go(timeBefore(ms))}>
            {name}
          </Button>
        ))}
      </div>
      <form className={styles.row} onSubmit={submit}>
        <MomentField label="A moment" isExplained value={typed} change={setTyped} />
        <Button type="submit" look="main" disabled={moment === null}>
          Show it
        </Button>
        {at !== undefined && <Button onClick={() => go(undefined)}>Back to now</Button>}
      </form>
    </Popup>
  );
}
