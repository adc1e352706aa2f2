import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '../api/session.ts';
import { Button } from '../parts/button.tsx';

/** Ends the session, and forgets what was read in it. */
export function SignOut() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const leave = async () => {
    await signOut().catch(() => undefined);
    await navigate({ to: '/sign-in' });
    queries.clear();
  };
  return <Button onClick={() => void leave()}>Sign out</Button>;
}
