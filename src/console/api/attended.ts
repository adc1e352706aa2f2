/** From when on a page that nobody touches asks for itself, and not for a person. */
const UNATTENDED_MS = 5 * 60_000;

let touchedAt = performance.now();
const waiting = new Set<() => void>();
const touch = () => {
  const isBack = !isAttended();
  touchedAt = performance.now();
  if (isBack) for (const back of waiting) back();
};
for (const event of ['pointerdown', 'keydown', 'wheel']) window.addEventListener(event, touch, { passive: true, capture: true });

/** Whether a person is at the page. */
export function isAttended(): boolean {
  return performance.now() - touchedAt < UNATTENDED_MS;
}

/** Calls `back` whenever a person sees the page again, or is at it again. Returns what ends that. */
export function whenBack(back: () => void): () => void {
  waiting.add(back);
  document.addEventListener('visibilitychange', back);
  return () => {
    waiting.delete(back);
    document.removeEventListener('visibilitychange', back);
  };
}
