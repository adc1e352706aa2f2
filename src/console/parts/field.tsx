import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { keep, kept } from '../api/kept.ts';
import { MAX_TICKET } from '../words/publish.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './field.module.css';

interface LabelledProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is typed into, with the id that the label names, and that of the hint. */
  readonly children: (id: string, hint: string | undefined) => ReactNode;
}

/** Something to type into, under its label and above a hint. */
export function Labelled({ label, hint, children }: LabelledProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children(id, hintId)}
      {hint !== undefined && (
        <span className={styles.hint} id={hintId}>
          {hint}
        </span>
      )}
    </div>
  );
}

interface FieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  readonly label: string;
  readonly hint?: ReactNode;
}

export function Field({ label, hint, ...input }: FieldProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(id, hintId) => (
        <input autoComplete="off" spellCheck={false} {...input} id={id} className={styles.input} aria-describedby={hintId} />
      )}
    </Labelled>
  );
}

interface SelectProps extends Omit<ComponentProps<'select'>, 'id'> {
  readonly label: string;
  readonly hint?: ReactNode;
}

export function Select({ label, hint, children, ...select }: SelectProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(id, hintId) => (
        <select {...select} id={id} className={styles.input} aria-describedby={hintId}>
          {children}
        </select>
      )}
    </Labelled>
  );
}

/** Fields beside one another, where there is room. */
export function Pair({ children }: { readonly children: ReactNode }) {
  return <div className={styles.pair}>{children}</div>;
}

interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choose: (value: Value) => void;
  readonly options: readonly {
    readonly value: Value;
    readonly name: string;
    readonly means: string;
  }[];
}

/** One of a few, each with what it means. */
export function Choices<Value extends string>({ label, value, choose, options }: ChoicesProps<Value>) {
  const name = useId();
  return (
    <fieldset className={styles.field} style={{ border: 0, margin: 0, padding: 0 }}>
      <legend className={styles.label} style={{ padding: 0, marginBottom: 6 }}>
        {label}
      </legend>
      <div className={styles.choices}>
        {options.map((option) => (
          <label key={option.value} className={styles.choice}>
            <input type="radio" name={name} checked={option.value === value} onChange={() => choose(option.value)} />
            <span>
              {option.name} <span className={styles.hint}>{option.means}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface WhyProps {
  readonly reason: string;
  readonly ticket: string;
  readonly change: (why: { readonly reason: string; readonly ticket: string }) => void;
}

/** Reason and ticket of an act, for whoever reads the log later. */
export function Why({ reason, ticket, change }: WhyProps) {
  return (
    <WithTicket ticket={ticket} change={(named) => change({ reason, ticket: named })}>
      <Field
        label="Reason"
        hint="Needed: the log and the ledger tell it for good"
        value={reason}
        maxLength={256}
        required
        onChange={({ target }) => change({ reason: target.value, ticket })}
      />
    </WithTicket>
  );
}

interface TicketProps {
  readonly ticket: string;
  readonly change: (ticket: string) => void;
  /** The field of the reason. */
  readonly children: ReactNode;
}

/** A reason, and beside it what asked for an act: at once where tickets are used, which the browser keeps, else when it is wanted. */
export function WithTicket({ ticket, change, children }: TicketProps) {
  const [isWanted, want] = useState(false);
  const isShown = isWanted || ticket !== '' || kept(TICKETS) !== null;
  const type = (named: string) => {
    if (named.trim() !== '') keep(TICKETS, 'used');
    change(named);
  };
  return (
    <div className={classes(styles.pair, !isShown && styles.alone)}>
      {children}
      {isShown ? (
        <Field
          ref={isWanted ? focus : undefined}
          label="Ticket (may be left out)"
          hint="Of your support desk"
          value={ticket}
          maxLength={MAX_TICKET}
          onChange={({ target }) => type(target.value)}
        />
      ) : (
        <Button look="quiet" onClick={() => want(true)} title="Of your support desk. Once you have named one, its field is always here">
          Ticket…
        </Button>
      )}
    </div>
  );
}

/** Whether somebody named a ticket in this browser. */
const TICKETS = 'savepoint.tickets';

function focus(input: HTMLInputElement | null): void {
  input?.focus();
}
