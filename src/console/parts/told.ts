/** Where the keyboard goes once what it was at is gone: to what tells of the act, whose own actions come next. */

function teller(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-told]');
}

/** What is waited for so long is told when it comes, ms. */
const STANDS_MS = 3_000;

/** Waits until something on the page tells of an act. */
export async function toldStands(): Promise<void> {
  const until = performance.now() + STANDS_MS;
  while (teller() === null && performance.now() < until) await new Promise((done) => setTimeout(done, 30));
}

/** Goes there, where nothing has the focus any more. */
export function focusTold(): void {
  if (document.activeElement === document.body) teller()?.focus();
}
