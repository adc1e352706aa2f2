import { useEffect, useState } from 'react';

/** After so long a page stands, ms. */
const STANDS_MS = 400;

/**
 * Whether a part has stood for a while. What nobody misses before comes then: so the page can be used sooner. `isThere`: what stands has
 * come; a part that waits does not stand yet.
 */
export function useStanding(isThere = true): boolean {
  const [isStanding, setStanding] = useState(false);
  useEffect(() => {
    if (!isThere) return;
    const timer = setTimeout(() => setStanding(true), STANDS_MS);
    return () => clearTimeout(timer);
  }, [isThere]);
  return isStanding;
}

/** Rows of one line that fill a screen. */
const SCREEN = 40;

/** The rows that are drawn: of many a screenful at first, all of them once that stands. `screen`: fewer, where a row has several lines. */
export function useDrawn<Row>(rows: readonly Row[], screen = SCREEN): readonly Row[] {
  const isStanding = useStanding(rows.length > 0);
  return isStanding ? rows : rows.slice(0, screen);
}
