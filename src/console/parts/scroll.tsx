import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';
import table from './table.module.css';

/** A box that scrolls sideways: an edge that hides something has a shadow. `edges`: the class; `look`: for whenever it scrolls. */
export function useEdges() {
  const box = useRef<HTMLElement>(null);
  const [hidden, setHidden] = useState(NONE);
  const look = useCallback(() => {
    const { current } = box;
    if (current !== null) setHidden((before) => hiddenIn(current, before));
  }, []);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const resized = new ResizeObserver(look);
    for (const each of [current, ...current.children]) resized.observe(each);
    return () => resized.disconnect();
  }, [look]);
  const edges = classes(hidden.before && table.moreBefore, hidden.after && table.moreAfter);
  return { box, look, edges, isWide: hidden.before || hidden.after };
}

/** What is wider than a phone scrolls by itself, by keyboard, too. */
export function Scroll({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const { box, look, edges, isWide } = useEdges();
  return (
    <section
      ref={box}
      className={classes(table.scroll, edges)}
      aria-label={name}
      // Whoever has no pointer scrolls it with the arrow keys.
      tabIndex={isWide ? 0 : undefined}
      onScroll={look}
    >
      {children}
    </section>
  );
}

interface Hidden {
  readonly before: boolean;
  readonly after: boolean;
}

const NONE: Hidden = { before: false, after: false };

/** At which edges something is hidden; the same object where that has not changed. */
function hiddenIn({ scrollLeft, clientWidth, scrollWidth }: HTMLElement, known: Hidden): Hidden {
  const before = scrollLeft > 1;
  const after = scrollLeft + clientWidth < scrollWidth - 1;
  return before === known.before && after === known.after ? known : { before, after };
}
