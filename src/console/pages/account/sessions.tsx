import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { endOwnSession, ownSessionsQuery } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, Waiting } from '../../parts/page.tsx';
import { SessionTable } from '../../parts/session-table.tsx';

/** Where the person is signed in, to be ended. */
export function OwnSessions() {
  const queries = useQueryClient();
  const sessions = useQuery(ownSessionsQuery);
  const ending = useMutation({
    mutationFn: endOwnSession,
    onSettled: () => queries.invalidateQueries({ queryKey: ownSessionsQuery.queryKey }),
  });
  const others = (sessions.data ?? []).filter(({ current }) => !current);
  return (
    <Card
      title="Where you are signed in"
      actions={
        others.length > 0 && (
          <Button isSmall look="bad" disabled={ending.isPending} onClick={() => ending.mutate(null)}>
            End all others
          </Button>
        )
      }
    >
      {ending.isError && <Failed error={ending.error} />}
      {sessions.isPending && <Waiting what="your sessions" />}
      {sessions.isError && <Failed error={sessions.error} again={() => void sessions.refetch()} />}
      {sessions.isSuccess && <SessionTable sessions={sessions.data} isBusy={ending.isPending} end={ending.mutate} />}
    </Card>
  );
}
