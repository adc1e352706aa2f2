import type { ReactNode } from 'react';
import table from './table.module.css';

/** What is wider than a phone scrolls by itself, by keyboard, too. */
export function Scroll({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer scrolls it with the arrow keys
    <section className={table.scroll} aria-label={name} tabIndex={0}>
      {children}
    </section>
  );
}
