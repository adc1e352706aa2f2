import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { goToIssuer, sessionQuery, signIn, signInWaysQuery } from '../api/session.ts';
import { keepNext, pathOf } from '../frame/next.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Failed } from '../parts/notice.tsx';
import { linkNoticeOf } from '../words/refusal.ts';
import styles from './sign-in.module.css';
import { SignInBox } from './sign-in-box.tsx';

const route = getRouteApi('/sign-in');

/** The token of a link. It leaves the address at once, so that no history and no screenshot has it. */
function takeToken(): string | null {
  const token = window.location.hash.slice(1);
  if (token !== '') window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  return token === '' ? null : token;
}

export function SignInPage() {
  const { next, over } = route.useSearch();
  const router = useRouter();
  const queries = useQueryClient();
  const [link, setLink] = useState(takeToken);
  useEffect(() => {
    // A link that is pasted into this tab changes what stands behind the # alone, and loads nothing.
    const take = () => {
      const token = takeToken();
      if (token !== null) setLink(token);
    };
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  const entering = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, session);
      router.history.replace(pathOf(next));
    },
  });
  const { mutate } = entering;
  useEffect(() => {
    if (link !== null) mutate({ link });
  }, [link, mutate]);
  // A link that is opened again lets nobody in, and ends no session.
  const stillIn = useQuery({ ...sessionQuery, enabled: link !== null && entering.isError }).data;
  const ways = useQuery(signInWaysQuery);
  const { issuer = null, passwords = true } = ways.data ?? {};
  const going = useMutation({
    mutationFn: () => {
      keepNext(next);
      return goToIssuer('sign-in');
    },
  });
  const isByLink = link !== null && (entering.isIdle || entering.isPending);
  const isWaiting = isByLink || ways.isPending;
  return (
    <SignInBox>
      {over !== undefined && entering.isIdle && (
        <p role="status">Your session is over: it was ended elsewhere, or not used for long. Sign in, and you are where you were.</p>
      )}
      {entering.isError && <Failed error={entering.error} words={linkNoticeOf(entering.error)} />}
      {stillIn !== undefined && (
        <Button look="main" onClick={() => router.history.replace(pathOf(next))}>
          Go on as {stillIn.person.name}
        </Button>
      )}
      {going.isError && <Failed error={going.error} />}
      <div className={styles.ways}>
        {isWaiting && (
          <p role="status" className={styles.waiting}>
            {isByLink ? 'Signing you in…' : 'One moment…'}
          </p>
        )}
        {/* It holds its place before it is known which ways there are, so that the box does not grow. */}
        <div className={styles.ways} hidden={isWaiting}>
          {issuer !== null && (
            <Button look={passwords ? 'plain' : 'main'} onClick={() => going.mutate()} disabled={going.isPending}>
              Sign in with {issuer}
            </Button>
          )}
          {passwords && <PasswordForm isBusy={entering.isPending} enter={mutate} />}
          <div className={styles.other}>
            <p>
              {passwords ? 'No password yet, or forgotten?' : 'It does not let you in?'} A link signs you in, once and within ten minutes.
              An owner makes one on the page People (<b>Reset</b>), or whoever has the server:
            </p>
            <pre className={styles.command}>savepoint console link NAME</pre>
            <p className={styles.hint}>
              Without a name it is for the first owner. Open what it prints in this browser. A session lasts for seven days, or until you
              sign out or do not use it for twelve hours.
            </p>
          </div>
        </div>
      </div>
    </SignInBox>
  );
}

interface PasswordFormProps {
  readonly isBusy: boolean;
  readonly enter: (entry: { readonly name: string; readonly password: string }) => void;
}

function PasswordForm({ isBusy, enter }: PasswordFormProps) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPassword('');
    enter({ name: name.trim(), password });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field
        label="Name"
        autoComplete="username"
        autoCapitalize="none"
        value={name}
        maxLength={64}
        required
        onChange={({ target }) => setName(target.value)}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        maxLength={200}
        required
        onChange={({ target }) => setPassword(target.value)}
      />
      <Button type="submit" look="main" disabled={isBusy || name.trim() === '' || password === ''}>
        {isBusy ? 'Signing you in…' : 'Sign in'}
      </Button>
    </form>
  );
}
