import { useEffect, useState } from 'react';

/** What was typed, once nothing more is for so long, ms; until then `first`. */
export function useSettled<Text extends string | null>(text: Text, ms: number, first = text): Text {
  const [settled, settle] = useState(first);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}
