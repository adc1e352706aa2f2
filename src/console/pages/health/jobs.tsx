import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Health, healthQuery, retryJobs } from '../../api/health.ts';
import { useIsPast } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import styles from './health.module.css';

/** Background jobs: those at work, and those that failed for good, which may run again. */
export function Jobs({ jobs }: { readonly jobs: Health['jobs'] }) {
  const queries = useQueryClient();
  const isPast = useIsPast();
  const retry = useMutation({
    mutationFn: retryJobs,
    onSuccess: () => queries.invalidateQueries({ queryKey: healthQuery.queryKey }),
  });
  const { listed, counts, status, reason } = jobs;
  const failed = listed.filter(({ state }) => state === 'failed').length;
  return (
    <Card
      title="Background jobs"
      actions={
        failed > 1 &&
        !isPast && (
          <Button isSmall onClick={() => retry.mutate('all')} disabled={retry.isPending}>
            Retry all
          </Button>
        )
      }
    >
      {status === 'unavailable' && (
        <Empty title="The store of jobs does not answer">
          Games go on, but grants, tests and retention wait. {reason === null ? '' : `It says: ${reason}.`} The checks say what to do.
        </Empty>
      )}
      {retry.isError && (
        <CardBody>
          <Failed error={retry.error} />
        </CardBody>
      )}
      {retry.isSuccess && (
        <CardBody>
          <Done>
            {retry.data.retried.length === 1 ? 'It waits' : `${retry.data.retried.length} wait`} to run again; this page shows how that
            goes.
          </Done>
        </CardBody>
      )}
      {counts !== null && (
        <p className={styles.counts}>
          {(['active', 'waiting', 'delayed', 'failed', 'completed'] as const).map((state) => (
            <span key={state}>
              <strong>{counts[state] ?? 0}</strong> {SAYS[state]}
            </span>
          ))}
        </p>
      )}
      {counts !== null && listed.length === 0 && <Empty title="No job is at work, and none has failed for good" />}
      <ul className={styles.checks}>
        {listed.map(({ id, name, state, attempts, of, progress, error, enqueuedAt }) => (
          <li key={id}>
            <span className={styles.what}>
              {name} <Chip tone={state === 'failed' ? 'bad' : 'plain'}>{state === 'failed' ? 'failed' : 'at work'}</Chip>
            </span>
            <span className={styles.found}>
              {id}, enqueued <Ago at={enqueuedAt} />, {attempts} of {of} tries{progress === null ? '' : `, ${Math.round(progress)} %`}
              {error !== null && <span className={styles.cure}>{error}</span>}
            </span>
            {state === 'failed' && !isPast && (
              <Button isSmall onClick={() => retry.mutate(id)} disabled={retry.isPending} aria-label={`Retry ${id}`}>
                Retry
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const SAYS = { active: 'at work', waiting: 'waiting', delayed: 'between two tries', failed: 'failed for good', completed: 'done' } as const;
