import { type ReactNode, useId, useRef } from 'react';
import { buttonClass } from './button.tsx';
import { classes } from './classes.ts';
import { codeOf } from './code.ts';
import { Later } from './later.tsx';

const OPENED = codeOf('popup', () => import('./popup-opened.tsx').then(({ OpenedPopup }) => OpenedPopup));

interface PopupProps {
  /** What stands on the button. */
  readonly label: string;
  /** Of the button, when one points at it. */
  readonly says?: string;
  readonly className?: string | undefined;
  readonly title: string;
  readonly about?: string;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** A button, and what opens below it: its code comes when that is opened first. */
export function Popup({ label, says, className, isOpen, setOpen, ...opened }: PopupProps) {
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <>
      <button
        ref={button}
        type="button"
        className={classes(buttonClass(), className)}
        title={says}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && <Later code={OPENED} props={{ ...opened, id, button, close: () => setOpen(false) }} />}
    </>
  );
}
