import { type ReactNode, useId, useRef } from 'react';
import { MOMENT_FORMS, typedMoment, unreadableMoment } from '../words/time.ts';
import { Button } from './button.tsx';
import styles from './field.module.css';
import { Zone } from './zone.tsx';

interface PickedProps {
  readonly label: string;
  readonly zone: ReactNode;
  readonly type: 'datetime-local' | 'date';
  readonly value: string;
  readonly change: (typed: string) => void;
  /** What the calendar begins with, and what it was left with. */
  readonly calendarValue: string;
  readonly pick: (chosen: string) => void;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly leave?: () => void;
  readonly placeholder?: string | undefined;
  readonly hint?: ReactNode;
  readonly isWrong?: boolean;
}

/** A time: typed, or chosen from the browser's own calendar. The zone stands beside its name. */
export function Picked({
  label,
  zone,
  type,
  value,
  change,
  calendarValue,
  pick,
  min,
  max,
  leave,
  placeholder,
  hint,
  isWrong = false,
}: PickedProps) {
  const id = useId();
  const calendar = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.field}>
      <span className={styles.labels}>
        <label className={styles.label} htmlFor={id}>
          {label}
        </label>
        <span className={styles.hint} id={`${id}-zone`} title="Days and times are those of this zone">
          {zone}
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
          onBlur={leave}
          aria-invalid={isWrong}
          aria-describedby={hint === undefined ? `${id}-zone` : `${id}-zone ${id}-hint`}
        />
        {/* The picker opens where this stands; the button is how one gets there. */}
        <input
          ref={calendar}
          type={type}
          className={styles.calendar}
          tabIndex={-1}
          aria-hidden="true"
          value={calendarValue}
          min={min}
          max={max}
          onChange={({ target }) => pick(target.value)}
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
      {hint !== undefined && (
        <span className={styles.hint} id={`${id}-hint`} aria-live="polite">
          {hint}
        </span>
      )}
    </div>
  );
}

interface MomentFieldProps {
  readonly label: string;
  /** What is typed: a revision, day and time, or how long ago. */
  readonly value: string;
  readonly change: (typed: string) => void;
  readonly placeholder?: string;
  /** Tells below the field what may be typed. */
  readonly isExplained?: boolean;
  /** What else is told there. */
  readonly hint?: string;
  readonly isWrong?: boolean;
}

/** A moment, in the reader's time zone. */
export function MomentField({ label, value, change, placeholder, isExplained = false, hint, isWrong = false }: MomentFieldProps) {
  const unreadable = hint === undefined ? unreadableMoment(value) : null;
  const told =
    unreadable === null ? (hint ?? (isExplained ? MOMENT_FORMS : undefined)) : <span className={styles.wrong}>{unreadable}</span>;
  return (
    <Picked
      label={label}
      zone={<Zone />}
      type="datetime-local"
      value={value}
      change={change}
      calendarValue={calendarValue(value)}
      pick={(chosen) => change(chosen.replace('T', ' '))}
      placeholder={placeholder}
      hint={told}
      isWrong={isWrong || unreadable !== null}
    />
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
