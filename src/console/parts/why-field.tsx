import type { Why } from '../api/acts.ts';
import { MAX_REASON } from '../words/publish.ts';
import { Field, WithTicket } from './field.tsx';

interface WhyFieldProps {
  readonly why: Why;
  readonly change: (why: Why) => void;
  readonly label?: string;
  readonly isNeeded?: boolean;
  /** Another person is asked with it. */
  readonly isAsked?: boolean;
  /** It goes to next: whoever makes it live is asked for a reason, too, and is offered this one. */
  readonly isStaged?: boolean;
  /** Left out: its dialog begins here, whatever stands above. */
  readonly begins?: boolean;
  /** In place of what the field says of itself. */
  readonly hint?: string | null;
}

const NEEDED = 'Needed: the history tells it for good';
const ASKED = 'Needed: told to whoever approves, and kept';
const OPTIONAL = 'May be left out. The history tells it to everybody who looks later';
const STAGED = 'Kept, and offered again when this goes live';

/** Why something is published or done with a person, and for which ticket. */
export function WhyField({ why, change, label = 'Why', begins = true, hint = null, ...of }: WhyFieldProps) {
  const { isNeeded = false, isAsked = false, isStaged = false } = of;
  const { reason, ticket } = why;
  return (
    <WithTicket ticket={ticket} change={(named) => change({ reason, ticket: named })}>
      <Field
        label={label}
        hint={hint ?? (isAsked ? ASKED : isNeeded ? NEEDED : isStaged ? STAGED : OPTIONAL)}
        value={reason}
        required={isNeeded || isAsked}
        maxLength={MAX_REASON}
        data-begin={begins || undefined}
        onChange={({ target }) => change({ reason: target.value, ticket })}
      />
    </WithTicket>
  );
}
