import type { ComponentProps } from 'react';
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

export function Button({ look = 'plain', isSmall = false, className, ...rest }: ButtonProps) {
  return <button type="button" {...rest} className={classes(buttonClass(look, isSmall), className)} />;
}
