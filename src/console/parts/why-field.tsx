import { MAX_REASON } from '../words/publish.ts';
import { Field } from './field.tsx';

interface WhyFieldProps {
  readonly message: string;
  readonly change: (message: string) => void;
  readonly isNeeded?: boolean;
  /** It goes to next: whoever makes it live is asked for a reason, too, and is offered this one. */
  readonly isStaged?: boolean;
  /** In place of what the field says of itself. */
  readonly hint?: string | null;
}

const NEEDED = 'Needed: the history tells it for good';
const OPTIONAL = 'May be left out. The history tells it to everybody who looks later';
const STAGED = 'Kept, and offered again when this goes live';

/** Why something is published. A dialog begins here, whatever stands above. */
export function WhyField({ message, change, isNeeded = false, isStaged = false, hint = null }: WhyFieldProps) {
  return (
    <Field
      label="Why"
      hint={hint ?? (isNeeded ? NEEDED : isStaged ? STAGED : OPTIONAL)}
      value={message}
      required={isNeeded}
      maxLength={MAX_REASON}
      data-begin
      onChange={({ target }) => change(target.value)}
    />
  );
}
