import { MAX_REASON } from '../words/publish.ts';
import { Field } from './field.tsx';

interface WhyFieldProps {
  readonly message: string;
  readonly change: (message: string) => void;
  readonly isNeeded?: boolean;
  /** In place of what the field says of itself. */
  readonly hint?: string | null;
}

/** Why something is published. A dialog begins here, whatever stands above. */
export function WhyField({ message, change, isNeeded = false, hint = null }: WhyFieldProps) {
  return (
    <Field
      label="Why"
      hint={
        hint ?? (isNeeded ? 'Needed: the history tells it for good' : 'May be left out. The history tells it to everybody who looks later')
      }
      value={message}
      required={isNeeded}
      maxLength={MAX_REASON}
      data-begin
      onChange={({ target }) => change(target.value)}
    />
  );
}
