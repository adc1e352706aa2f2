import { type ReactNode, useEffect } from 'react';
import { tellPage } from '../parts/title.ts';
import icon from '../style/icon.svg';
import styles from './sign-in.module.css';

/** What stands around signing in, before there is a project. */
export function SignInBox({ children }: { readonly children: ReactNode }) {
  useEffect(() => {
    tellPage('Sign in');
  }, []);
  return (
    <main className={styles.page}>
      <div className={styles.box}>
        <div className={styles.head}>
          <img src={icon} alt="" />
          <h1>Savepoint console</h1>
        </div>
        {children}
      </div>
    </main>
  );
}
