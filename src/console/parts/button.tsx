import { type ComponentProps, useState } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';

/** `main`: what the page is for. `bad`: takes something away. `quiet`: beside others. */
export type Look = 'plain' | 'main' | 'bad' | 'quiet';

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: Look;
  readonly isSmall?: boolean;
}

export function buttonClass(look: Look = 'plain', isSmall = false): string {
  return classes(styles.button, look !== 'plain' && styles[look], isSmall && styles.small);
}

/** One that is disabled while the keyboard is at it, such as by what it began, stays where one can be: it only does nothing. */
export function Button({ look = 'plain', isSmall = false, className, disabled = false, onClick, onFocus, onBlur, ...rest }: ButtonProps) {
  const [isAt, setAt] = useState(false);
  return (
    <button
      type="button"
      {...rest}
      className={classes(buttonClass(look, isSmall), className)}
      disabled={disabled && !isAt}
      aria-disabled={disabled && isAt ? true : undefined}
      onFocus={(event) => {
        setAt(true);
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setAt(false);
        onBlur?.(event);
      }}
      onClick={(event) => {
        if (disabled) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}

/** The words of a button, in the room that the widest of them need: nothing beside it moves when it says what it does. */
export function Held({ widest, children }: { readonly widest: string; readonly children: string }) {
  return (
    <span className={styles.held} data-widest={widest}>
      {children}
    </span>
  );
}
