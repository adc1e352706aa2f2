import { useState } from 'react';
import { Button } from './button.tsx';

interface CopyProps {
  /** A long one is made when it is copied. */
  readonly text: string | (() => string);
  readonly what: string;
  /** What the button says and is called; left out: that it copies. */
  readonly name?: string;
}

/** Copies an id or an address, for a ticket or a chat. */
export function CopyButton({ text, what, name }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    setCopied(true);
  };
  return (
    <Button isSmall look="quiet" onClick={() => void copy()} aria-label={name ?? `Copy ${what}`}>
      {isCopied ? 'Copied' : (name ?? 'Copy')}
    </Button>
  );
}
