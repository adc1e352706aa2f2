import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { endpointsQuery } from '../../api/calls.ts';
import { exactJson } from '../../api/exact.ts';
import type { LoggedRequest } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { conditionOf, msText, stepOf, stepRefusing } from '../../words/calls.ts';
import { PlayerLink } from '../named.tsx';
import styles from './calls.module.css';

/** One request: what it was in a line, and all that is known of it when it is opened. */
export function CallRow({ request }: { readonly request: LoggedRequest }) {
  const [isOpen, setOpen] = useState(false);
  const { at, slug, method, path, status, code, message, platformId, ms } = request;
  return (
    <li className={styles.call}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span className={styles.line}>
            <strong>{slug ?? `${method} ${path}`}</strong>{' '}
            <Chip tone={code === null ? 'live' : status >= 500 ? 'bad' : 'plain'}>{code ?? status}</Chip>{' '}
            <span className={styles.soft}>{message}</span>
          </span>
          <span className={styles.meta}>
            {platformId !== null && <span>{platformId}</span>}
            <span>{msText(ms)}</span>
            <Ago at={at} />
          </span>
        </summary>
        {isOpen && <Opened request={request} />}
      </details>
    </li>
  );
}

function Opened({ request }: { readonly request: LoggedRequest }) {
  const { project, at: moment } = useView();
  const mayDo = useMay();
  const { at, slug, status, code, message, step, platformId, requestId, route } = request;
  return (
    <dl className={styles.facts}>
      <dt>When</dt>
      <dd>
        <At at={at} />
      </dd>
      <dt>Answer</dt>
      <dd>
        {status} {message}
      </dd>
      {slug === null && (
        <>
          <dt>Route</dt>
          <dd>{route}</dd>
        </>
      )}
      {platformId !== null && (
        <>
          <dt>Player</dt>
          <dd>
            <PlayerLink player={platformId} />
          </dd>
        </>
      )}
      {slug !== null && code !== null && (
        <>
          <dt>Step</dt>
          <dd>
            <Step slug={slug} path={step} code={code} at={at} />
          </dd>
        </>
      )}
      <dt>Request</dt>
      <dd className={styles.acts}>
        <Link to="/p/$project/find/$held" params={{ project, held: requestId }}>
          {requestId}
        </Link>
        {moment === undefined && slug !== null && mayDo('endpoints', 'x') && mayDo('queries', 'x') && mayDo('collections', 'x') && (
          <Link
            to="/p/$project/calls/try"
            params={{ project }}
            search={{ slug, player: platformId ?? undefined }}
            className={buttonClass('plain', true)}
          >
            Try it as this player
          </Link>
        )}
      </dd>
    </dl>
  );
}

interface StepProps {
  readonly slug: string;
  /** Where the log says that the call was refused; `null`: it does not, as where a condition refused it. */
  readonly path: string | null;
  readonly code: string;
  readonly at: string;
}

/** Where the call was refused: the step as it was written then. */
function Step({ slug, path, code, at }: StepProps) {
  const view = useView();
  const read = useQuery(endpointsQuery(view, at));
  const definition = read.data?.find((each) => (each.slug ?? each.id) === slug);
  const step = path === null ? stepRefusing(definition, code) : stepOf(definition, path);
  const condition = step === null ? null : conditionOf(step);
  return (
    <>
      <code>{path ?? String(step?.['id'] ?? '–')}</code>
      {read.isPending && <Waiting what="the step" />}
      {read.isError && <Failed error={read.error} again={() => void read.refetch()} />}
      {step !== null && (
        <>
          <p>
            {String(step['type'])}
            {condition !== null && (
              <>
                : <code>{condition}</code>
              </>
            )}
          </p>
          <Link to="/p/$project/definitions/$kind/$id" params={{ project: view.project, kind: 'endpoint', id: definition?.id ?? slug }}>
            The definition
          </Link>
          <details className={styles.inner}>
            <summary>The step as it was then</summary>
            <pre className={styles.source}>{exactJson(step, 2)}</pre>
          </details>
        </>
      )}
      {read.isSuccess && step === null && (
        <p className={styles.soft}>
          No one step of the endpoint itself refuses so: a rule did, what the endpoint calls, or one of several steps with this code.
        </p>
      )}
      <p className={styles.soft}>
        Values of a refused call are kept nowhere. Trying it as the player shows each step with what is stored now.
      </p>
    </>
  );
}
