import { Popover } from '@base-ui/react/popover';
import type { ReactNode, RefObject } from 'react';
import styles from './popup.module.css';

interface OpenedProps {
  readonly id: string;
  /** It stands below this, and gives the focus back to it. */
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly title: string;
  readonly about?: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** What a button opens. Escape, and a press elsewhere, close it. */
export function OpenedPopup({ id, button, title, about, close, children }: OpenedProps) {
  // A press of the button closes it by itself, and must not close it twice.
  const isOfButton = ({ target }: Event) => target instanceof Node && button.current?.contains(target) === true;
  return (
    <Popover.Root open onOpenChange={(isOpen, { event }) => !isOpen && !isOfButton(event) && close()}>
      <Popover.Portal>
        <Popover.Positioner anchor={button} sideOffset={6} align="end" style={{ zIndex: 30 }}>
          <Popover.Popup id={id} className={styles.popup} finalFocus={button}>
            <Popover.Title>{title}</Popover.Title>
            {about !== undefined && <Popover.Description>{about}</Popover.Description>}
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
