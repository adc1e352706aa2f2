import { Button } from '../../parts/button.tsx';
import type { Decimal, Unclear } from '../../words/thousands.ts';
import styles from './values.module.css';

interface WhichProps {
  readonly unclear: Unclear;
  readonly choose: (decimal: Decimal) => void;
}

/** Asks which of two numbers is meant, before anything is read. */
export function WhichNumber({ unclear: { text, readings, more }, choose }: WhichProps) {
  return (
    <div className={styles.which} role="alert">
      <span>
        <strong>“{text}”</strong> means {readings['.']} in some countries and {readings[',']} in others
        {more > 0 && `, and ${more === 1 ? 'one number more is like it' : `${more} numbers more are like it`}`}. Nothing is taken over yet.
      </span>
      {(['.', ','] as const).map((decimal) => (
        <Button key={decimal} isSmall onClick={() => choose(decimal)}>
          It is {readings[decimal]}
        </Button>
      ))}
    </div>
  );
}
