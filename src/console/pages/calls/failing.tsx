import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { endpointsQuery, logicQuery, rulesQuery } from '../../api/calls.ts';
import { collectionsQuery, type LoggedRequest } from '../../api/queries.ts';
import { useView } from '../../frame/view.ts';
import { Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { SINGLE } from '../../words/definition.ts';
import { exactJson } from '../../words/exact.ts';
import { type Failing, failingStep, fieldLimited, isNested, limitNamed, ruleNamed } from '../../words/failing.ts';
import styles from './calls.module.css';

/** Where a call was refused: the step as it was written then, in what the endpoint called, too; or the rule. */
export function WhereRefused({ request: { slug, step: path, code, message, at } }: { readonly request: LoggedRequest }) {
  if (slug === null || code === null) return null;
  const limit = code === 'RATE_LIMIT' ? limitNamed(message) : null;
  if (limit === null) return <Step slug={slug} path={path} code={code} at={at} />;
  if ('rule' in limit) return <Rule name={limit.rule} at={at} />;
  return <EndpointLimit slug={limit.endpoint} at={at} />;
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
              : <code>{condition}</code>
            </>
          )}
        </p>
      )}
      {step === null && condition !== null && (
        <p>
          Checked before its steps: <code>{condition}</code>
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
    </>
  );
}

/** A rule by its name, else the limit that a field of a collection has itself. */
function Rule({ name, at }: { readonly name: string; readonly at: string }) {
  const view = useView();
  const rules = useQuery(rulesQuery(view, at));
  const rule = rules.data === undefined ? null : ruleNamed(rules.data, name);
  const isOfField = rules.isSuccess && rule === null;
  const collections = useQuery({ ...collectionsQuery({ ...view, at }), enabled: isOfField });
  const field = fieldLimited(collections.data ?? [], name);
  const { project } = view;
  return (
    <>
      <dt>Rule</dt>
      <dd>
        {rule !== null && (
          <Link to="/p/$project/definitions/$kind/$id" params={{ project, kind: 'rate-limit-rules', id: SINGLE }}>
            {name}
          </Link>
        )}
        {field !== null && (
          <Link to="/p/$project/definitions/$kind/$id" params={{ project, kind: 'collection', id: field.id }}>
            the limit of {field.field} in {field.id}
          </Link>
        )}
        {rule === null && field === null && name}
        {(rules.isPending || (isOfField && collections.isPending)) && <Waiting what="the rule" />}
        {rules.isError && <Failed error={rules.error} again={() => void rules.refetch()} />}
        {rule !== null && (
          <details className={styles.inner}>
            <summary>The rule as it was then</summary>
            <pre className={styles.source}>{exactJson(rule, 2)}</pre>
          </details>
        )}
      </dd>
    </>
  );
}

/** How often the endpoint may be called, as it says itself. */
function EndpointLimit({ slug, at }: { readonly slug: string; readonly at: string }) {
  const view = useView();
  const read = useQuery(endpointsQuery(view, at));
  const definition = read.data?.find((each) => (each.slug ?? each.id) === slug);
  const limits = definition?.['rateLimits'] ?? definition?.['rateLimit'];
  return (
    <>
      <dt>Rule</dt>
      <dd>
        How often{' '}
        <Link to="/p/$project/definitions/$kind/$id" params={{ project: view.project, kind: 'endpoint', id: definition?.id ?? slug }}>
          endpoint {slug}
        </Link>{' '}
        may be called
        {limits !== undefined && (
          <>
            : <code>{exactJson(limits)}</code>
          </>
        )}
      </dd>
    </>
  );
}
