import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { backFromIssuer, sessionQuery } from '../api/session.ts';
import { takeNext } from '../frame/next.ts';
import { Failed } from '../parts/notice.tsx';
import { SignInBox } from './sign-in-box.tsx';

/** What the issuer answered. It leaves the address at once, so that no history and no screenshot has it. */
function takeAnswer(): string {
  const answer = window.location.search.slice(1);
  if (answer !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
  return answer;
}

/** Where a browser comes back to from the issuer. */
export function BackPage() {
  const router = useRouter();
  const queries = useQueryClient();
  const [answer] = useState(takeAnswer);
  const entering = useMutation({
    mutationFn: async () => {
      // Whoever links an account is signed in, and a change takes the token that comes with the session.
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined);
      return backFromIssuer(answer);
    },
    onSuccess: (session) => {
      queries.clear();
      if (session !== null) queries.setQueryData(sessionQuery.queryKey, session);
      router.history.replace(session === null ? '/account' : takeNext());
    },
  });
  const { mutate } = entering;
  useEffect(() => {
    mutate();
  }, [mutate]);
  return (
    <SignInBox>
      {entering.isError ? (
        <>
          <Failed error={entering.error} />
          <p>
            <Link to="/sign-in">Sign in anew</Link>
          </p>
        </>
      ) : (
        <p role="status">Signing you in…</p>
      )}
    </SignInBox>
  );
}
