import { useState } from 'react';
import { Button } from './button.tsx';

/** Copies an id, for a ticket or a chat. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <Button isSmall look="quiet" onClick={() => void copy()} aria-label={`Copy ${what}`}>
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  );
}
