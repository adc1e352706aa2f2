import { type ReactNode, useEffect, useRef } from 'react';
import type { TestReport, Tried } from '../../api/trying.ts';
import type { Target } from '../../api/view.ts';
import { Beside } from '../../parts/beside.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Card, CardBody, Empty } from '../../parts/page.tsx';
import { refusalSaid } from '../../words/calls.ts';
import { exactJson } from '../../words/exact.ts';
import { type WorkedOut, workedOut } from '../../words/trying.ts';
import { cut, linesOfValue, saidValue } from '../../words/value.ts';
import { PlayerLink } from '../named.tsx';
import styles from './calls.module.css';
import { Steps } from './steps.tsx';

interface OutcomeProps {
  readonly tried: Tried;
  /** As whom it was tried; empty: as nobody. */
  readonly player: string;
  /** As it is written. */
  readonly endpoint: Readonly<Record<string, unknown>>;
  readonly target: Target;
  /** What the player was taken to have; left out: what is stored. */
  readonly pretends?: string | undefined;
  /** What is said of other players, and how it is tried for them. */
  readonly others: ReactNode;
  /** Where to go on. */
  readonly children?: ReactNode;
}

/** What would come of it. Whoever tries it is led here. */
export function Outcome({ tried, player, endpoint, target, pretends, others, children }: OutcomeProps) {
  const place = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each run leads here
  useEffect(() => {
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: 'start' });
  }, [tried]);
  return (
    <section ref={place} tabIndex={-1} className={styles.outcome} aria-label="What would come of it">
      <Report tried={tried} player={player} endpoint={endpoint} target={target} pretends={pretends} others={others}>
        {children}
      </Report>
      {tried.live !== undefined && <BesideLive next={tried.report} live={tried.live} />}
    </section>
  );
}

/** What would be another for players: the answer, and what is stored. */
function BesideLive({ next, live }: { readonly next: TestReport; readonly live: TestReport | null }) {
  if (live === null)
    return (
      <Card title="On live">
        <Empty title="Live has no such endpoint">It comes once next is made live.</Empty>
      </Card>
    );
  return (
    <Card
      title={
        <>
          The same call on <Chip tone="live">live</Chip> and on <Chip tone="next">next</Chip>
        </>
      }
    >
      <Beside
        name="What live and next answer and write"
        sides={['live', 'next']}
        before={outcomeText(live)}
        after={outcomeText(next)}
        same={<Empty title="Both come to the same">Another player, or other input, may show what differs.</Empty>}
      />
    </Card>
  );
}

function outcomeText(report: TestReport): string {
  const refusal = refusalSaid(report);
  const stored = (report.pendingWrites ?? []).flatMap(({ collection, key, op, data }) =>
    op === 'delete' ? [`Deleted: ${collection}/${key}`] : [`Stored: ${collection}/${key}`, ...linesOfValue(data, '  ')],
  );
  return ['The game is told', ...(refusal === null ? linesOfValue(report.result?.body, '  ') : [`  ${refusal.why}`]), ...stored].join('\n');
}

function Report({ tried: { report, live }, player, endpoint, target, pretends, others, children }: OutcomeProps) {
  const { result, steps = [], pendingWrites = [], warnings } = report;
  const worked = workedOut(endpoint, steps, live?.steps ?? null);
  const refusal = refusalSaid(report);
  const onLive = live === undefined || live === null ? null : refusalSaid(live);
  const where = target === 'next' ? 'With what is staged, it' : 'It';
  return (
    <Card
      title={`${where} would ${refusal === null ? 'go through' : 'be refused'}`}
      actions={
        <div className={styles.row}>
          <Chip tone={refusal === null ? 'live' : 'bad'}>{result?.status}</Chip>
          {children}
        </div>
      }
    >
      <dl className={styles.came}>
        <dt>For the player</dt>
        <dd>
          {player === '' ? 'nobody' : <PlayerLink player={player} />}
          {pretends !== undefined && <span className={styles.soft}> taken to have {pretends}</span>}
        </dd>
        <dt>The game is told</dt>
        <dd>
          {refusal !== null && onLive !== null && onLive.why !== refusal.why && (
            <>
              <span className={styles.refused}>{onLive.why}</span> →{' '}
            </>
          )}
          {refusal === null ? cut(saidValue(result?.body), 600) : refusal.why}
          {refusal !== null && refusal.code !== '' && <span className={styles.soft}> {refusal.code}</span>}
        </dd>
        {worked.map((line, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step may run many times, and the order is what happened
          <Worked key={place} line={line} />
        ))}
        {pendingWrites.map(({ collection, key, op, data }) => (
          <div key={`${collection}/${key}`} className={styles.stored}>
            <dt>
              {op === 'delete' ? 'Deleted' : 'Stored'}: {collection}/{key}
            </dt>
            <dd>{op === 'delete' ? 'all of it' : cut(saidValue(data), 600)}</dd>
          </div>
        ))}
        {pendingWrites.length === 0 && (
          <div className={styles.stored}>
            <dt>Stored</dt>
            <dd>Nothing would be.</dd>
          </div>
        )}
      </dl>
      {others}
      {warnings.length > 0 && (
        <CardBody>
          {warnings.map((warning) => (
            <p key={warning} className={styles.refused}>
              {warning}
            </p>
          ))}
        </CardBody>
      )}
      <details className={styles.inside}>
        <summary>Each step, and the answer as JSON, for developers{result === undefined ? '' : ` (${result.timing.total} ms)`}</summary>
        {steps.length === 0 && <CardBody>No step ran.</CardBody>}
        <Steps steps={steps} />
        <CardBody>
          <pre className={styles.source}>{exactJson(result?.body, 2)}</pre>
        </CardBody>
      </details>
    </Card>
  );
}

/** What a step worked out, by which formula, and what live comes to. */
function Worked({ line: { name, formula, value, live } }: { readonly line: WorkedOut }) {
  return (
    <div className={styles.stored}>
      <dt>Worked out: {name}</dt>
      <dd>
        {live !== null && (
          <>
            <span className={styles.refused}>{live}</span> →{' '}
          </>
        )}
        {live === null ? value : <strong className={styles.passed}>{value}</strong>}
        {formula !== null && <span className={styles.soft}> = {formula}</span>}
      </dd>
    </div>
  );
}
