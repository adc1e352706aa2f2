/** From when on a page that nobody touches asks for itself, and not for a person. */
const UNATTENDED_MS = 5 * 60_000;

let touchedAt = performance.now();
const touch = () => {
  touchedAt = performance.now();
};
for (const event of ['pointerdown', 'keydown', 'wheel']) window.addEventListener(event, touch, { passive: true, capture: true });

/** Whether a person is at the page. */
export function isAttended(): boolean {
  return performance.now() - touchedAt < UNATTENDED_MS;
}
