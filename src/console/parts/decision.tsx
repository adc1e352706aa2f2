import type { ReactNode } from 'react';
import { Button, Held } from './button.tsx';

interface DecisionProps {
  readonly leave: () => void;
  /** What the button that leaves all as it is says. */
  readonly leaving?: string;
  /** What the button of the act says, and what it says while that is done. */
  readonly act: string;
  readonly acting?: string;
  /** `bad`: the act takes something away. */
  readonly look?: 'main' | 'bad';
  readonly isReady?: boolean;
  readonly isBusy: boolean;
  readonly go: () => void;
  /** What else may be done. */
  readonly children?: ReactNode;
}

/** The foot of a dialog that asks whether something is to be done. */
export function Decision({
  leave,
  leaving = 'Cancel',
  act,
  acting = act,
  look = 'main',
  isReady = true,
  isBusy,
  go,
  children,
}: DecisionProps) {
  return (
    <>
      <Button onClick={leave}>{leaving}</Button>
      {children}
      <Button look={look} disabled={!isReady || isBusy} onClick={go}>
        <Held widest={acting.length > act.length ? acting : act}>{isBusy ? acting : act}</Held>
      </Button>
    </>
  );
}
