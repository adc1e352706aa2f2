import { useEffect, useState } from 'react';

/** What was typed, once nothing more is for so long, ms; until then `first`. */
export function useSettled(text: string, ms: number, first = text): string {
  const [settled, settle] = useState(first);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}
