import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery, signInWaysQuery } from '../../api/session.ts';
import { SignOut } from '../../frame/sign-out.tsx';
import { Card, CardBody, Page, Waiting } from '../../parts/page.tsx';
import styles from './account.module.css';
import { LinkedAccount } from './linked.tsx';
import { PasswordForm } from './password.tsx';
import { OwnSessions } from './sessions.tsx';

/** A person's own: the password, and where they are signed in. */
export function AccountPage() {
  const { data } = useSuspenseQuery(sessionQuery);
  const { name, hasPassword, isLinked } = data.person;
  const ways = useQuery(signInWaysQuery);
  return (
    <main className={styles.page}>
      <Page
        name="Your account"
        title={name}
        sub={
          <>
            Your account in this console. <Link to="/">Your projects</Link>
          </>
        }
        actions={<SignOut />}
      >
        {ways.isPending ? (
          <Waiting what="your account" />
        ) : (
          <>
            <LinkedAccount isLinked={isLinked} />
            {ways.data?.passwords !== false && (
              <Card title={hasPassword ? 'Change your password' : 'Set a password'}>
                <CardBody>
                  <PasswordForm name={name} hasPassword={hasPassword} />
                </CardBody>
              </Card>
            )}
            <OwnSessions />
          </>
        )}
      </Page>
    </main>
  );
}
