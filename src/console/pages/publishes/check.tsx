import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { checkQuery, testsQuery } from '../../api/publishes.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Waiting } from '../../parts/page.tsx';
import { Steps } from '../calls/steps.tsx';
import styles from './publishes.module.css';

/** What is wrong with what is staged: the game's own tests, run dry on next, and what players have stored. */

/** Findings that stop nothing: they tell. */
const TELLING = ['ACCESS_WIDENED'];

export function stopping<Found extends { readonly [member: string]: unknown }>(findings: readonly Found[]): readonly Found[] {
  return findings.filter(({ code }) => !TELLING.includes(String(code)));
}

/** Who may run endpoints dry on whatever they read. */
export function useMayTest(): boolean {
  const mayDo = useMay();
  return ['endpoints', 'queries', 'collections'].every((scope) => mayDo(scope, 'x'));
}

/** Looks when asked, as it reads up to 20 000 documents. `base`: the revision that what is staged is of. */
export function CheckCard({ base, mayLook }: { readonly base: number; readonly mayLook: boolean }) {
  const [checked, setChecked] = useState<number | null>(null);
  const mayTest = useMayTest();
  if (!(mayTest || mayLook)) return null;
  return (
    <Card
      title="Check what is staged"
      actions={
        <Button isSmall onClick={() => setChecked(base)} disabled={checked === base}>
          {checked === null || checked === base ? 'Check it' : 'Check it again'}
        </Button>
      }
    >
      {checked === null && (
        <CardBody>
          <p className={styles.soft}>
            Runs the game’s own tests on next, and looks whether what players have stored still fits. Nothing is stored and nothing goes
            live.
          </p>
        </CardBody>
      )}
      {checked !== null && checked !== base && (
        <CardBody>
          <p className={styles.soft}>Something was published since: check it again.</p>
        </CardBody>
      )}
      {checked === base && mayLook && <DataCheck base={base} />}
      {checked === base && mayTest && (
        <CardBody>
          <TestsOfNext base={base} />
        </CardBody>
      )}
    </Card>
  );
}

function DataCheck({ base }: { readonly base: number }) {
  const read = useQuery(checkQuery(useView(), base));
  if (read.isPending) return <Waiting what="stored data" />;
  const findings = read.data?.findings ?? [];
  return (
    <CardBody>
      {read.isError && <Failed error={read.error} />}
      {read.isSuccess && (
        <p>
          <Chip tone={findings.length === 0 ? 'live' : 'bad'}>stored data</Chip>{' '}
          {findings.length === 0 ? 'What players have stored fits what is staged.' : 'What is staged does not fit all that is there:'}
        </p>
      )}
      <Findings findings={findings} />
    </CardBody>
  );
}

export function Findings({ findings }: { readonly findings: readonly { readonly [member: string]: unknown }[] }) {
  return findings.map((finding) => (
    <p key={JSON.stringify(finding)} className={styles.warning}>
      {String(finding['message'])}
    </p>
  ));
}

/** How the saved tests come out on next; of those that fail, why and each step. */
export function TestsOfNext({ base }: { readonly base: number }) {
  const { data: run, isPending, isError, error } = useQuery(testsQuery(useView(), base));
  if (isPending) return <Waiting what="tests" />;
  if (isError) return <Failed error={error} />;
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
