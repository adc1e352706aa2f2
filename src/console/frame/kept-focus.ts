/** So long it is waited for what was replaced, ms. */
const COMES_MS = 3_000;

const CONTROLS: ReadonlySet<string> = new Set(['A', 'BUTTON', 'INPUT', 'SELECT', 'SUMMARY', 'TEXTAREA']);

interface Place {
  readonly element: HTMLElement;
  /** The address of its page. */
  readonly path: string;
  /** Whether it stands around the page and not in it. */
  readonly isAround: boolean;
  /** How it is called, and which of those that are called so it is. */
  readonly name: string;
  readonly index: number;
}

/**
 * The keyboard stays where it is when a page draws anew what it is at, as lists do with their filters: what is called the same gets the
 * focus. The heading gets it where another page has come, and where what is gone stood around the page.
 */
export function keepFocus(): () => void {
  const at = (target: EventTarget | null) => (target instanceof HTMLElement && CONTROLS.has(target.tagName) ? placeOf(target) : null);
  // Over a slow network somebody types before this comes.
  let last = at(document.activeElement);
  let lostAt: number | null = null;
  let isTouched = false;
  const point = ({ pointerType }: PointerEvent) => {
    isTouched = pointerType === 'touch';
  };
  const arrive = ({ target }: FocusEvent) => {
    lostAt = null;
    last = at(target);
  };
  // Whoever leaves it for nothing wants it so. What is taken away, or hidden while something is loaded, is left by nobody.
  const leave = () =>
    queueMicrotask(() => {
      if (document.activeElement === document.body && last?.element.checkVisibility({ visibilityProperty: true }) === true) last = null;
    });
  const change = () => {
    if (last === null || isTouched || document.activeElement !== document.body) return;
    lostAt ??= performance.now();
    if (performance.now() - lostAt > COMES_MS) {
      last = null;
      return;
    }
    const isHere = location.pathname === last.path;
    const heading = isHere && !last.isAround ? null : document.querySelector<HTMLElement>('#main h1');
    const same = last.element.isConnected ? last.element : alikeOf(last.element.tagName, last.name)[last.index];
    ((isHere ? same : undefined) ?? heading)?.focus({ preventScroll: true });
  };
  const changes = new MutationObserver(change);
  changes.observe(document.body, { childList: true, subtree: true, attributeFilter: ['style'] });
  window.addEventListener('focusin', arrive);
  window.addEventListener('focusout', leave);
  window.addEventListener('pointerdown', point);
  return () => {
    changes.disconnect();
    window.removeEventListener('focusin', arrive);
    window.removeEventListener('focusout', leave);
    window.removeEventListener('pointerdown', point);
  };
}

/** `null`: what stands over the page, which gives the focus back by itself. */
function placeOf(element: HTMLElement): Place | null {
  if (element.closest('#root') === null) return null;
  const name = nameOf(element);
  const index = alikeOf(element.tagName, name).indexOf(element);
  return { element, path: location.pathname, isAround: element.closest('main') === null, name, index };
}

function alikeOf(tag: string, name: string): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`#root ${tag}`)].filter((each) => nameOf(each) === name);
}

function nameOf(element: HTMLElement): string {
  const labels = 'labels' in element && element.labels instanceof NodeList ? [...element.labels] : [];
  return element.getAttribute('aria-label') ?? (labels.length > 0 ? labels : [element]).map(({ textContent }) => textContent).join(' ');
}
