import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { askedByCode, confirmCode, refuseCode } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Done, Failed } from '../parts/notice.tsx';
import { Card, CardBody, Page } from '../parts/page.tsx';
import { placeOf } from '../words/device.ts';
import styles from './account/account.module.css';

/** The code as the server writes it: capitals, four and four. */
function codeIn(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[^A-Z]/g, '');
  return letters.length === 8 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : null;
}

/** Signs a command line in. The code is typed and never in an address: a link of somebody else could not make anybody confirm. */
export function ConfirmPage() {
  const [typed, setTyped] = useState('');
  const looking = useMutation({ mutationFn: askedByCode });
  const deciding = useMutation({
    mutationFn: ({ code, isMine }: { readonly code: string; readonly isMine: boolean }) => (isMine ? confirmCode(code) : refuseCode(code)),
    onSuccess: () => {
      setTyped('');
      looking.reset();
    },
  });
  const code = codeIn(typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    deciding.reset();
    if (code !== null) looking.mutate(code);
  };
  const found = looking.data;
  return (
    <main className={styles.page}>
      <Page
        name="Sign in a command line"
        title="Sign in a command line"
        sub={
          <>
            <code>savepoint login --console</code> shows a code. Whoever shows it acts as you. <Link to="/account">Your account</Link>
          </>
        }
      >
        <Card title={found === undefined ? 'The code' : 'Is this you?'}>
          <CardBody>
            {found === undefined || code === null ? (
              <form className={styles.form} onSubmit={submit}>
                <Field
                  label="Code"
                  hint="As BCDF-GHJK, and only one that your own command line shows now"
                  value={typed}
                  maxLength={16}
                  required
                  autoCapitalize="characters"
                  onChange={({ target }) => setTyped(target.value)}
                />
                <Button type="submit" look="main" disabled={code === null || looking.isPending}>
                  Look who asks
                </Button>
              </form>
            ) : (
              <div className={styles.form}>
                <p>
                  <strong>{found.machine}</strong>, from {placeOf(found.address)}, shows the code <strong>{code}</strong> and asks to act as
                  you, for 30 days at most. If somebody sent you the code, refuse it.
                </p>
                <div className={styles.row}>
                  <Button look="main" disabled={deciding.isPending} onClick={() => deciding.mutate({ code, isMine: true })}>
                    It is mine: sign it in
                  </Button>
                  <Button look="bad" disabled={deciding.isPending} onClick={() => deciding.mutate({ code, isMine: false })}>
                    Refuse it
                  </Button>
                </div>
              </div>
            )}
            {looking.isError && <Failed error={looking.error} />}
            {deciding.isError && <Failed error={deciding.error} />}
            {deciding.isSuccess && (
              <Done>
                <p>
                  {deciding.variables.isMine
                    ? 'It is signed in: go on where you began. Your account lists it, and ends it.'
                    : 'It is refused, and nothing was signed in.'}
                </p>
              </Done>
            )}
          </CardBody>
        </Card>
      </Page>
    </main>
  );
}
