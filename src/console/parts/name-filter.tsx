import styles from './field.module.css';
import { Field } from './field.tsx';

interface NameFilterProps {
  /** What is typed; it stands in the address of its page. */
  readonly find: string;
  readonly change: (find: string | undefined) => void;
}

/** Narrows a list by name or id, above it. */
export function NameFilter({ find, change }: NameFilterProps) {
  return (
    <div className={styles.filter}>
      <Field label="Name or id" type="search" value={find} maxLength={128} onChange={({ target }) => change(target.value || undefined)} />
    </div>
  );
}
