import { useEffect, useState } from 'react';
import { codeOf } from '../parts/code.ts';
import { Later } from '../parts/later.tsx';

const OPENED = codeOf('palette', () => import('./palette-opened.tsx').then(({ OpenedPalette }) => OpenedPalette));

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
  return isOpen && <Later code={OPENED} props={{ close: () => setOpen(false) }} />;
}
