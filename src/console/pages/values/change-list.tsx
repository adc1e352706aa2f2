import type { Sheet } from '../../words/sheet.ts';
import type { SheetChanges } from '../../words/sheet-changes.ts';
import { linesOf } from '../../words/sheet-lines.ts';
import styles from './values.module.css';

/** Changes that are listed. */
const MOST = 200;

interface ListProps {
  readonly changes: SheetChanges;
  readonly before: Sheet;
  readonly after: Sheet;
}

/** What becomes of a sheet, cell by cell. */
export function SheetChangeList({ changes, before, after }: ListProps) {
  const lines = linesOf(changes, before, after);
  if (lines.length === 0) return null;
  return (
    <ul className={styles.changes} aria-label="What changes">
      {lines.slice(0, MOST).map(({ key, what, from, to }) => (
        <li key={key} className={styles.change}>
          <span>{what}</span>
          <span>
            {from !== '' && <span className={styles.from}>{from}</span>} {from !== '' && to !== '' && '→ '}
            <span className={styles.to}>{to}</span>
          </span>
        </li>
      ))}
      {lines.length > MOST && <li>And {lines.length - MOST} more.</li>}
    </ul>
  );
}
