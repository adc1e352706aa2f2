import { Button } from './button.tsx';

interface DecisionProps {
  readonly leave: () => void;
  /** What the button of the act says, and what it says while that is done. */
  readonly act: string;
  readonly acting?: string;
  /** `bad`: the act takes something away. */
  readonly look?: 'main' | 'bad';
  readonly isReady?: boolean;
  readonly isBusy: boolean;
  readonly go: () => void;
}

/** The foot of a dialog that asks whether something is to be done. */
export function Decision({ leave, act, acting = act, look = 'main', isReady = true, isBusy, go }: DecisionProps) {
  return (
    <>
      <Button onClick={leave}>Cancel</Button>
      <Button look={look} disabled={!isReady || isBusy} onClick={go}>
        {isBusy ? acting : act}
      </Button>
    </>
  );
}
