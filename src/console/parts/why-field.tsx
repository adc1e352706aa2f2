import type { Why } from '../api/acts.ts';
import { MAX_REASON } from '../words/publish.ts';
import { Field, Pair, TicketField } from './field.tsx';

interface WhyFieldProps {
  readonly why: Why;
  readonly change: (why: Why) => void;
  readonly label?: string;
  readonly isNeeded?: boolean;
  /** It goes to next: whoever makes it live is asked for a reason, too, and is offered this one. */
  readonly isStaged?: boolean;
  /** In place of what the field says of itself. */
  readonly hint?: string | null;
}

const NEEDED = 'Needed: the history tells it for good';
const OPTIONAL = 'May be left out. The history tells it to everybody who looks later';
const STAGED = 'Kept, and offered again when this goes live';

/** Why something is published, and for which ticket. A dialog begins here, whatever stands above. */
export function WhyField({ why, change, label = 'Why', isNeeded = false, isStaged = false, hint = null }: WhyFieldProps) {
  const { reason, ticket } = why;
  return (
    <Pair>
      <Field
        label={label}
        hint={hint ?? (isNeeded ? NEEDED : isStaged ? STAGED : OPTIONAL)}
        value={reason}
        required={isNeeded}
        maxLength={MAX_REASON}
        data-begin
        onChange={({ target }) => change({ reason: target.value, ticket })}
      />
      <TicketField ticket={ticket} change={(named) => change({ reason, ticket: named })} />
    </Pair>
  );
}
