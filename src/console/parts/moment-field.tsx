import { useId, useRef } from 'react';
import { typedMoment, zoneName } from '../words/time.ts';
import { Button } from './button.tsx';
import styles from './field.module.css';

interface MomentFieldProps {
  readonly label: string;
  /** What is typed: a revision, day and time, or how long ago. */
  readonly value: string;
  readonly change: (typed: string) => void;
  readonly placeholder?: string;
  /** Tells below the field what may be typed. */
  readonly isExplained?: boolean;
}

/** A moment: typed, or chosen from the browser's own calendar, in the reader's time zone, which stands beside its name. */
export function MomentField({ label, value, change, placeholder, isExplained = false }: MomentFieldProps) {
  const id = useId();
  const calendar = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.field}>
      <span className={styles.labels}>
        <label className={styles.label} htmlFor={id}>
          {label}
        </label>
        <span className={styles.hint} id={`${id}-zone`} title="Days and times are those of this zone">
          {zoneName()}
        </span>
      </span>
      <span className={styles.moment}>
        <input
          autoComplete="off"
          spellCheck={false}
          id={id}
          className={styles.input}
          value={value}
          placeholder={placeholder}
          onChange={({ target }) => change(target.value)}
          aria-describedby={isExplained ? `${id}-zone ${id}-hint` : `${id}-zone`}
        />
        {/* The picker opens where this stands; the button is how one gets there. */}
        <input
          ref={calendar}
          type="datetime-local"
          className={styles.calendar}
          tabIndex={-1}
          aria-hidden="true"
          value={calendarValue(value)}
          onChange={({ target }) => change(target.value.replace('T', ' '))}
        />
        <Button
          className={styles.opens}
          aria-label={`${label}: choose from a calendar`}
          title="Calendar"
          onClick={() => calendar.current?.showPicker()}
        >
          <CalendarIcon />
        </Button>
      </span>
      {isExplained && (
        <span className={styles.hint} id={`${id}-hint`}>
          A revision, day and time as 2026-11-27 18:30, or how long ago: 2 h, 3 days
        </span>
      )}
    </div>
  );
}

/** What the calendar begins with: what is typed, where that is a day and a time. */
function calendarValue(typed: string): string {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}/.exec(typedMoment(typed))?.[0].replace(' ', 'T') ?? '';
}

function CalendarIcon() {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentcolor" strokeWidth="1.4" aria-hidden="true">
      <rect x="2" y="3" width="12" height="11" rx="1.5" />
      <path d="M2 6.5h12M5 1.5V4M11 1.5V4" />
    </svg>
  );
}
