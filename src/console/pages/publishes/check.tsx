import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { checkQuery, FRESH_MS, type TestRun, testsQuery } from '../../api/publishes.ts';
import { OF_PUBLISHING } from '../../api/reveal.ts';
import { useMay, useMayPublish, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Waiting } from '../../parts/page.tsx';
import { At } from '../../parts/time.tsx';
import { Steps } from '../calls/steps.tsx';
import { AskWhy, FailedOrAsked } from '../revealing.tsx';
import styles from './publishes.module.css';

/** What is wrong with what is staged: the game's own tests, run dry on next, and what players have stored. */

/** Findings that stop nothing: they tell. */
const PERSONAL_UNSEEN = 'PERSONAL_UNSEEN';
const TELLING = ['ACCESS_WIDENED', PERSONAL_UNSEEN];

export function stopping<Found extends { readonly [member: string]: unknown }>(findings: readonly Found[]): readonly Found[] {
  return findings.filter(({ code }) => !TELLING.includes(String(code)));
}

/** Who may run endpoints dry on whatever they read. */
export function useMayTest(): boolean {
  const mayDo = useMay();
  return ['endpoints', 'queries', 'collections'].every((scope) => mayDo(scope, 'x'));
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whoever staged something goes on to see what the tests say. */
    isToCheck?: boolean;
  }
}

interface CheckProps {
  /** What is staged and what is live, by a name. */
  readonly state: string;
  readonly mayLook: boolean;
}

/** Looks when asked, and again when asked again, as it reads up to 20 000 documents. */
export function CheckCard({ state, mayLook }: CheckProps) {
  const view = useView();
  const mayTest = useMayTest();
  const isComing = useLocation({ select: ({ state: come }) => come.isToCheck === true });
  const [checked, setChecked] = useState<string | null>(null);
  const isAsked = checked === state || (isComing && checked === null);
  const data = useQuery({ ...checkQuery(view, state), enabled: isAsked && mayLook });
  const tests = useQuery({ ...testsQuery(view, state), enabled: isAsked && mayTest });
  // What was found stays while one is elsewhere, as long as the same is staged and live.
  const isChecked = isAsked || data.isSuccess || tests.isSuccess;
  if (!(mayTest || mayLook)) return null;
  const isLooking = data.isFetching || tests.isFetching;
  const at = Math.max(data.dataUpdatedAt, tests.dataUpdatedAt);
  const check = () => {
    setChecked(state);
    if (mayLook && data.isFetched) void data.refetch();
    if (mayTest && tests.isFetched) void tests.refetch();
  };
  return (
    <Card
      title="Check what is staged"
      actions={
        <div className={styles.actions}>
          {isChecked && !isLooking && at > 0 && (
            <span className={styles.soft} role="status">
              Checked <At at={new Date(at).toISOString()} />
            </span>
          )}
          <Button isSmall onClick={check} disabled={isLooking}>
            {isLooking
              ? 'Checking…'
              : checked === null && !isChecked
                ? mayTest
                  ? 'Check and run the tests'
                  : 'Check it'
                : 'Check it again'}
          </Button>
        </div>
      }
    >
      {!isChecked && (
        <CardBody>
          <p className={styles.soft}>
            {checked === null
              ? 'Runs the game’s tests on next, and looks whether what players have stored still fits. Nothing goes live.'
              : 'What is staged, or live, is another since this was checked: check it again.'}
          </p>
        </CardBody>
      )}
      {isChecked && mayLook && <DataCheck state={state} />}
      {isChecked && mayTest && (
        <CardBody>
          <TestsOfNext state={state} />
        </CardBody>
      )}
    </Card>
  );
}

/** What the page looked at long ago is looked at anew. */
const ANEW = { staleTime: FRESH_MS, refetchOnWindowFocus: false } as const;

/** The same for whoever decides on what is staged, without being asked for. `state`: `null`: it is not known yet. */
export function useCheckedNow(state: string | null) {
  const view = useView();
  const mayTest = useMayTest();
  const mayLook = useMayPublish();
  const look = useQuery({ ...checkQuery(view, state ?? ''), ...ANEW, enabled: mayLook && state !== null });
  const tests = useQuery({ ...testsQuery(view, state ?? ''), ...ANEW, enabled: mayTest && state !== null });
  const isLooking = (mayLook && (look.isPending || look.isFetching)) || (mayTest && (tests.isPending || tests.isFetching));
  return { look, tests, mayTest, isLooking };
}

/** What it found. */
export function CheckedNow({ state }: { readonly state: string }) {
  const { look, mayTest, isLooking } = useCheckedNow(state);
  const again = () => void look.refetch();
  if (isLooking) return <Waiting isLine what="tests and stored data" />;
  return (
    <>
      {look.isError && <FailedOrAsked error={look.error} of={OF_PUBLISHING} whose="publishing" again={again} />}
      <Findings findings={look.data?.findings ?? []} again={again} />
      {mayTest && <TestsOfNext state={state} />}
    </>
  );
}

function DataCheck({ state }: { readonly state: string }) {
  const read = useQuery(checkQuery(useView(), state));
  if (read.isPending) return <Waiting what="stored data" />;
  const findings = read.data?.findings ?? [];
  const isWrong = stopping(findings).length > 0;
  const isUnseen = findings.some(({ code }) => code === PERSONAL_UNSEEN);
  return (
    <CardBody>
      {read.isError && <FailedOrAsked error={read.error} of={OF_PUBLISHING} whose="publishing" again={() => void read.refetch()} />}
      {read.isSuccess && (
        <p>
          <Chip tone={isWrong ? 'bad' : 'live'}>stored data</Chip>{' '}
          {isWrong
            ? 'What is staged does not fit all that is there'
            : isUnseen
              ? 'What was looked at of what players have stored fits what is staged'
              : 'What players have stored fits what is staged'}
          <span className={styles.soft}>, as of revision {read.data.position}</span>
          {findings.length === 0 ? '.' : ':'}
        </p>
      )}
      <Findings findings={findings} again={() => void read.refetch()} />
    </CardBody>
  );
}

interface FindingsProps {
  readonly findings: readonly { readonly [member: string]: unknown }[];
  /** Looks anew. */
  readonly again: () => void;
}

/** What was found. Whoever may look at personal fields, too, does so here, and says why. */
function Findings({ findings, again }: FindingsProps) {
  return (
    <>
      {findings.map((finding) => (
        <p key={JSON.stringify(finding)} className={styles.warning}>
          {String(finding['message'])}
        </p>
      ))}
      {findings.some(({ code }) => code === PERSONAL_UNSEEN) && <AskWhy of={OF_PUBLISHING} whose="publishing" again={again} />}
    </>
  );
}

/** What is rolled back to is not tested. */
export function Untested() {
  return <p className={styles.soft}>Documents and coins stay. Tests do not run: it was live before.</p>;
}

/** How the tests came out, where they ran in this window. */
export function Tested({ state }: { readonly state: string }) {
  const tests = useQuery({ ...testsQuery(useView(), state), enabled: false });
  return tests.isSuccess && <TestsRun run={tests.data} />;
}

/** How the saved tests come out on next; of those that fail, why and each step. */
function TestsOfNext({ state }: { readonly state: string }) {
  const { data: run, isPending, isError, error } = useQuery(testsQuery(useView(), state));
  if (isPending) return <Waiting what="tests" />;
  if (isError) return <Failed error={error} />;
  return <TestsRun run={run} />;
}

/** How they came out. */
export function TestsRun({ run }: { readonly run: TestRun }) {
  const failing = run.results.filter(({ passed }) => !passed);
  return (
    <div className={styles.second}>
      <p>
        <Chip tone={run.failed > 0 ? 'bad' : run.total > 0 ? 'live' : 'plain'}>tests</Chip>{' '}
        {run.total === 0 ? 'The game has no tests of its own, so nothing was tried.' : `${run.passed} of ${run.total} pass on next.`}
      </p>
      {failing.map(({ id, name, endpoint, reason, steps = [] }) => (
        <details key={id} className={styles.failing}>
          <summary>
            <strong>{name || id}</strong> <span className={styles.soft}>of {endpoint}</span> {reason ?? 'failed'}
          </summary>
          {steps.length === 0 ? <p className={styles.soft}>No step ran.</p> : <Steps steps={steps} />}
        </details>
      ))}
    </div>
  );
}
