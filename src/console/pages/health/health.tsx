import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { checksQuery, type Health, healthQuery, type ProcessNow } from '../../api/health.ts';
import { sessionQuery } from '../../api/session.ts';
import { OfNow } from '../../frame/then.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import { usePlotsAhead } from '../../parts/plot.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { amountText } from '../../words/amount.ts';
import { bytesText } from '../../words/bytes.ts';
import { behindText, millisText, rateText, runningFor, shareText, statusText } from '../../words/health.ts';
import { Refused } from '../../words/refusal.ts';
import { DayPlots } from './day.tsx';
import styles from './health.module.css';
import { Jobs } from './jobs.tsx';

/** How the whole installation fares: for whoever keeps it running. */
export function HealthPage() {
  const { person } = useSuspenseQuery(sessionQuery).data;
  const isEverywhere = person.everywhere !== null;
  usePlotsAhead();
  const read = useQuery({ ...healthQuery, enabled: isEverywhere });
  const isRefused = !isEverywhere || (read.error instanceof Refused && read.error.refusal.status === 403);
  return (
    <Page
      name="Health"
      title="Health"
      sub="How the whole installation fares, now and over the last day. This page looks again every ten seconds."
    >
      <OfNow>How an installation fares is always told of now and of the last day, and nothing is retried from the past.</OfNow>
      {isRefused && (
        <Card title="Health">
          <Empty title="This shows every project at once">It takes a role in every project. An owner can give you one.</Empty>
        </Card>
      )}
      {read.isPending && !isRefused && <Waiting what="how the installation fares" />}
      {read.isError && !isRefused && <Failed error={read.error} again={() => void read.refetch()} />}
      {read.data !== undefined && !isRefused && (
        <>
          <Now health={read.data} />
          <DayPlots day={read.data.day} />
          <Checks />
          <Jobs jobs={read.data.jobs} />
          <Processes processes={read.data.processes} />
        </>
      )}
    </Page>
  );
}

function Now({ health }: { readonly health: Health }) {
  const { title, means, isGood } = statusText(health);
  const live = health.processes.flatMap(({ seenAt, last }) => (last === null ? [] : [{ seenAt, last }]));
  const behind = Math.max(0, ...live.map(({ last }) => last.behind));
  const most = (of: (last: (typeof live)[number]['last']) => number | null) =>
    live.reduce<number | null>((high, { last }) => (of(last) === null ? high : Math.max(high ?? 0, of(last) ?? 0)), null);
  const rate = live.reduce((sum, { seenAt, last }) => sum + last.requests / Math.max(1, spanOf(seenAt, last.at) / 1000), 0);
  const p99 = most((last) => last.p99);
  const waiting = (health.jobs.counts?.['waiting'] ?? 0) + (health.jobs.counts?.['delayed'] ?? 0);
  return (
    <section className={classes(styles.now, !isGood && styles.bad)} aria-label="Now">
      <div className={styles.state} role="status">
        <p className={styles.title}>{title}</p>
        <p>{means}</p>
      </div>
      <dl className={styles.figures}>
        <Figure name="Requests a second">{rateText(rate, 1000)}</Figure>
        <Figure name="Slowest 1 % take">{p99 === null ? '–' : millisText(p99)}</Figure>
        <Figure name="Read models">{behindText(behind)}</Figure>
        <Figure name="End of the log">{health.log.end === null ? 'not known' : amountText(health.log.end)}</Figure>
        <Figure name="Jobs waiting">{health.jobs.counts === null ? 'not known' : String(waiting)}</Figure>
      </dl>
    </section>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The part of a minute that has been noted, ms. */
function spanOf(seenAt: number, minute: number): number {
  return Math.min(60_000, Math.max(1000, seenAt - minute));
}

const TONES = { ok: 'live', warn: 'past', fail: 'bad' } as const;
const SAYS = { ok: 'fine', warn: 'look at it', fail: 'fails' } as const;
const FIRST = { fail: 0, warn: 1, ok: 2 } as const;

/** What `savepoint doctor` finds, what is wrong first. */
function Checks() {
  const read = useQuery(checksQuery);
  const findings = [...(read.data?.findings ?? [])].sort((one, other) => FIRST[one.state] - FIRST[other.state]);
  return (
    <Card
      title="Checks"
      actions={
        <Button isSmall onClick={() => void read.refetch()} disabled={read.isFetching}>
          {read.isFetching ? 'Checking…' : 'Check again'}
        </Button>
      }
    >
      {read.isPending && <Waiting what="the checks" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && (
        <ul className={styles.checks}>
          {findings.map(({ what, state, found, cure }) => (
            <li key={`${what} ${found}`}>
              <span className={styles.what}>
                {what} <Chip tone={TONES[state]}>{SAYS[state]}</Chip>
              </span>
              <span className={styles.found}>
                {found}
                {cure !== null && <span className={styles.cure}>{cure}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Processes({ processes }: { readonly processes: readonly ProcessNow[] }) {
  return (
    <Card title="Processes">
      {processes.length === 0 ? (
        <Empty title="No process has said anything in the last two minutes">
          A node notes what it does every quarter of a minute. If this one runs, its database may not take it: look at the checks.
        </Empty>
      ) : (
        <Table
          name="Processes"
          heads={[
            'Process',
            'Roles',
            'Version',
            'Runs for',
            { name: 'Requests/s', isNumber: true },
            { name: 'Busy', isNumber: true },
            { name: 'Memory', isNumber: true },
            'Read models',
            'Seen',
          ]}
        >
          {processes.map(({ id, host, pid, roles, version, startedAt, seenAt, last }) => (
            <tr key={id}>
              <td className={table.tight}>
                {host} <span className={table.soft}>{pid}</span>
              </td>
              <td>{roles.replaceAll(',', ', ')}</td>
              <td className={table.tight}>{version}</td>
              <td className={table.tight}>{runningFor(seenAt - startedAt)}</td>
              <td className={table.number}>{last === null ? '–' : rateText(last.requests, spanOf(seenAt, last.at))}</td>
              <td className={table.number}>{last === null ? '–' : shareText(last.busy)}</td>
              <td className={table.number}>{last === null ? '–' : bytesText(last.memory)}</td>
              <td className={table.tight}>{last === null ? '–' : behindText(last.behind)}</td>
              <td className={table.tight}>
                <Ago at={new Date(seenAt).toISOString()} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}
