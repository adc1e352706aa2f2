import { Dialog as Base } from '@base-ui/react/dialog';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { focusTold } from './told.ts';

export interface DialogProps {
  readonly title: string;
  readonly sub?: ReactNode;
  readonly close: () => void;
  /** The decision; nothing is to be decided where it is left out, and the dialog is closed. */
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

const OF_ONE_LINE: ReadonlySet<string> = new Set(['text', 'search', 'email', 'password', 'number', 'url']);

/** An act over the page: what it does above, the decision below. Escape leaves it. It begins at the field that says so, or at the first. */
export function OpenedDialog({ title, sub, close, foot: decision, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  // Once it tells what came of it, the field that had the focus is gone: Enter goes on from there.
  const told = useRef(title);
  useEffect(() => {
    if (told.current === title) return;
    told.current = title;
    const { current } = popup;
    const at = document.activeElement;
    if (at === current || current?.contains(at) !== true) lastOf(foot.current)?.focus();
  }, [title]);
  // Where what opened it is gone, nothing has the focus once it has been given back.
  useEffect(() => () => void setTimeout(focusTold), []);
  // A finger on glass would open the keyboard over what is to be read.
  const begin = (by: string) => (by === 'touch' ? true : (popup.current?.querySelector<HTMLElement>('[data-begin]') ?? true));
  // As in a form, Enter in a field of one line decides: the last button of the foot does.
  const decide = ({ key, target, nativeEvent, isDefaultPrevented }: KeyboardEvent) => {
    if (key !== 'Enter' || nativeEvent.isComposing || isDefaultPrevented()) return;
    if (!(target instanceof HTMLInputElement) || target.form !== null || !OF_ONE_LINE.has(target.type)) return;
    foot.current?.querySelector<HTMLElement>('button:last-of-type')?.click();
  };
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Base.Portal>
        <Base.Backdrop forceRender className={styles.backdrop} />
        <Base.Popup ref={popup} className={styles.popup} initialFocus={begin} onKeyDown={decide}>
          <div className={styles.head}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            {sub !== undefined && (
              <Base.Description className={styles.sub} render={<div />}>
                {sub}
              </Base.Description>
            )}
          </div>
          <div className={styles.body}>{children}</div>
          <div ref={foot} className={styles.foot}>
            {decision ?? (
              <Button look="main" onClick={close}>
                Close
              </Button>
            )}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** What the foot leads to, behind all else of it. */
function lastOf(foot: HTMLElement | null): HTMLElement | undefined {
  return [...(foot?.querySelectorAll<HTMLElement>('button, a') ?? [])].at(-1);
}
