import { cut, valueText } from '../../words/value.ts';
import styles from './calls.module.css';

/** The steps of a dry run, in the order in which they ran. */
export function Steps({ steps }: { readonly steps: readonly Readonly<Record<string, unknown>>[] }) {
  return steps.map((step, place) => {
    const hasPassed = step['passed'] !== false;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a step may run many times, and the order is what happened
      <div key={place} className={styles.step}>
        <span className={hasPassed ? styles.passed : styles.refused}>
          <span aria-hidden="true">{hasPassed ? '✓' : '✗'}</span>
          <span className="visually-hidden">{hasPassed ? 'ran' : 'refused the call'}</span>
        </span>
        <span>
          {String(step['id'] ?? '')} <span className={styles.soft}>{String(step['type'] ?? '')}</span>
        </span>
        <span className={styles.value}>{cut(valueText(step['result']), 600)}</span>
      </div>
    );
  });
}
