import { lazy, Suspense, useEffect, useState } from 'react';

const Opened = lazy(() => import('./palette-opened.tsx').then(({ OpenedPalette }) => ({ default: OpenedPalette })));

/** Every page, project and switch by keyboard: Ctrl or ⌘ and K opens it from anywhere. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense>
      <Opened close={() => setOpen(false)} />
    </Suspense>
  );
}
