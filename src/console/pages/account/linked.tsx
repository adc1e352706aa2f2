import { useMutation, useQuery } from '@tanstack/react-query';
import { goToIssuer, signInWaysQuery } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody } from '../../parts/page.tsx';
import styles from './account.module.css';

/** The account of the issuer that signs a person in; nothing where people sign in at none. */
export function LinkedAccount({ isLinked }: { readonly isLinked: boolean }) {
  const { data: ways } = useQuery(signInWaysQuery);
  const going = useMutation({ mutationFn: () => goToIssuer('link') });
  const issuer = ways?.issuer ?? null;
  if (issuer === null) return null;
  return (
    <Card title={`Sign in with ${issuer}`}>
      <CardBody>
        <div className={styles.form}>
          {isLinked ? (
            <p>Your account there signs you in. An owner can reset you, and then you may link another one.</p>
          ) : (
            <>
              <p className={styles.soft}>Link your account there, and it signs you in from then on.</p>
              <div>
                <Button onClick={() => going.mutate()} disabled={going.isPending}>
                  Link your account…
                </Button>
              </div>
            </>
          )}
          {going.isError && <Failed error={going.error} />}
        </div>
      </CardBody>
    </Card>
  );
}
