import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { endpointsQuery, logicQuery } from '../../api/calls.ts';
import type { LoggedRequest } from '../../api/queries.ts';
import { useView } from '../../frame/view.ts';
import { Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { exactJson } from '../../words/exact.ts';
import { conditionSaid, type Failing, failingStep, isNested, limitNamed } from '../../words/failing.ts';
import styles from './calls.module.css';
import { EndpointLimitLink, LeftNow, Rule } from './limits.tsx';

/** Where a call was refused: the step as it was written then, in what the endpoint called, too; or the rule. */
export function WhereRefused({ request: { slug, step: path, code, message, at, platformId } }: { readonly request: LoggedRequest }) {
  if (slug === null || code === null) return null;
  const limit = code === 'RATE_LIMIT' ? limitNamed(message) : null;
  if (limit === null) return <Step slug={slug} path={path} code={code} at={at} />;
  if ('rule' in limit) return <Rule name={limit.rule} at={at} player={platformId} />;
  return <EndpointLimit slug={limit.endpoint} at={at} player={platformId} />;
}

interface StepProps {
  readonly slug: string;
  /** Where the log says that the call was refused; `null`: it does not, as where a condition refused it. */
  readonly path: string | null;
  readonly code: string;
  readonly at: string;
}

function Step({ slug, path, code, at }: StepProps) {
  const view = useView();
  const endpoints = useQuery(endpointsQuery(view, at));
  const logic = useQuery({ ...logicQuery(view, at), enabled: isNested(path) });
  const isPending = endpoints.isPending || (isNested(path) && logic.isPending);
  const error = endpoints.error ?? logic.error;
  const failing =
    isPending || endpoints.data === undefined
      ? null
      : failingStep({ endpoints: endpoints.data, workflows: [], libraries: [], ...logic.data }, slug, path, code);
  return (
    <>
      <dt>Step</dt>
      <dd>
        <code>{path ?? String(failing?.step?.['id'] ?? '–')}</code>
        {isPending && <Waiting what="the step" />}
        {error !== null && <Failed error={error} again={() => void Promise.all([endpoints.refetch(), logic.refetch()])} />}
        {failing !== null && <Written failing={failing} />}
        <p className={styles.soft}>
          Values of a refused call are kept nowhere. Trying it as the player shows each step with what is stored now.
        </p>
      </dd>
    </>
  );
}

function Written({ failing: { places, step, condition } }: { readonly failing: Failing }) {
  const { project } = useView();
  const last = places.at(-1);
  return (
    <>
      {step !== null && (
        <p>
          {places.length > 1 && <code>{String(step['id'])}</code>} {String(step['type'])}
          {condition !== null && (
            <>
              : <strong>{conditionSaid(condition)}</strong>
            </>
          )}
        </p>
      )}
      {step === null && condition !== null && (
        <p>
          Checked before its steps: <strong>{conditionSaid(condition)}</strong>
        </p>
      )}
      {step === null && condition === null && (
        <p className={styles.soft}>
          No one step of {last === undefined || last.kind === 'endpoint' ? 'the endpoint itself' : `${last.kind} ${last.block ?? last.id}`}{' '}
          refuses so: one of several steps with this code did, or what it calls.
        </p>
      )}
      <p>
        {places.map(({ kind, id, block }, place) => (
          <span key={`${kind} ${id} ${block ?? ''}`}>
            {place > 0 && ' › '}
            <Link to="/p/$project/definitions/$kind/$id" params={{ project, kind, id }}>
              {kind} {id}
              {block !== undefined && `, block ${block}`}
            </Link>
          </span>
        ))}
      </p>
      {step !== null && (
        <details className={styles.inner}>
          <summary>The step as it was then</summary>
          <pre className={styles.source}>{exactJson(step, 2)}</pre>
        </details>
      )}
      {step === null && condition !== null && conditionSaid(condition) !== condition && (
        <details className={styles.inner}>
          <summary>The condition as it was written then</summary>
          <pre className={styles.source}>{condition}</pre>
        </details>
      )}
    </>
  );
}

/** How often the endpoint may be called, as it says itself. */
function EndpointLimit({ slug, at, player }: { readonly slug: string; readonly at: string; readonly player: string | null }) {
  const view = useView();
  const read = useQuery(endpointsQuery(view, at));
  const definition = read.data?.find((each) => (each.slug ?? each.id) === slug);
  const limits = definition?.['rateLimits'] ?? definition?.['rateLimit'];
  return (
    <>
      <dt>Rule</dt>
      <dd>
        How often <EndpointLimitLink slug={slug} id={definition?.id} /> may be called
        {limits !== undefined && (
          <>
            : <code>{exactJson(limits)}</code>
          </>
        )}
      </dd>
      {player !== null && <LeftNow name={slug} player={player} />}
    </>
  );
}
