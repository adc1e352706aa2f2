import { Link } from '@tanstack/react-router';
import styles from '../account/account.module.css';
import { PeoplePage } from './people.tsx';

/** People, outside of any project. */
export function EverybodyPage() {
  return (
    <main className={styles.page}>
      <p>
        <Link to="/">Your projects</Link>
      </p>
      <PeoplePage />
    </main>
  );
}
