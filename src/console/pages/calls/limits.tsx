import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { rulesQuery } from '../../api/calls.ts';
import { collectionsQuery, type PlayerShown, windowsQuery } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { Clock } from '../../parts/time.tsx';
import { SINGLE } from '../../words/definition.ts';
import { exactJson } from '../../words/exact.ts';
import { fieldLimited, ruleNamed } from '../../words/failing.ts';
import { leftSaid, usedOf } from '../../words/limit.ts';
import styles from './calls.module.css';

interface LimitProps {
  /** As messages, flags and counts have it. */
  readonly name: string;
  /** As it was at another moment than the page's. */
  readonly at?: string;
}

/** A rule by its name, else the limit that a field of a collection has itself. */
function useLimit({ name, at }: LimitProps) {
  const view = useView();
  const rules = useQuery(rulesQuery(view, at));
  const rule = rules.data === undefined ? null : ruleNamed(rules.data, name);
  const isOfField = rules.isSuccess && rule === null;
  const collections = useQuery({ ...collectionsQuery({ ...view, at: at ?? view.at }), enabled: isOfField });
  const field = fieldLimited(collections.data ?? [], name);
  return { rules, rule, field, isPending: rules.isPending || (isOfField && collections.isPending) };
}

/** A rate limit by its name, which leads to where it is defined. */
export function LimitLink({ name, at }: LimitProps) {
  const { project } = useView();
  const { rule, field } = useLimit({ name, ...(at === undefined ? {} : { at }) });
  if (rule !== null)
    return (
      <Link to="/p/$project/definitions/$kind/$id" params={{ project, kind: 'rate-limit-rules', id: SINGLE }}>
        {name}
      </Link>
    );
  if (field === null) return name;
  return (
    <Link to="/p/$project/definitions/$kind/$id" params={{ project, kind: 'collection', id: field.id }}>
      the limit of {field.field} in {field.id}
    </Link>
  );
}

/** How often an endpoint may be called, which leads to the endpoint. */
export function EndpointLimitLink({ slug, id = slug }: { readonly slug: string; readonly id?: string | undefined }) {
  const { project } = useView();
  return (
    <Link to="/p/$project/definitions/$kind/$id" params={{ project, kind: 'endpoint', id }}>
      endpoint {slug}
    </Link>
  );
}

/** The rule that refused a call, as it was then, and what the player has left of it now. */
export function Rule({ name, at, player }: { readonly name: string; readonly at: string; readonly player: string | null }) {
  const { rules, rule, isPending } = useLimit({ name, at });
  return (
    <>
      <dt>Rule</dt>
      <dd>
        <LimitLink name={name} at={at} />
        {isPending && <Waiting what="the rule" />}
        {rules.isError && <Failed error={rules.error} again={() => void rules.refetch()} />}
        {rule !== null && (
          <details className={styles.inner}>
            <summary>The rule as it was then</summary>
            <pre className={styles.source}>{exactJson(rule, 2)}</pre>
          </details>
        )}
      </dd>
      {player !== null && <LeftNow name={name} player={player} />}
    </>
  );
}

/** What the player has left of a limit now, for whoever sees what players have. */
export function LeftNow({ name, player }: { readonly name: string; readonly player: string }) {
  const view = useView();
  const isAsked = useMay()('players', 'r') && view.at === undefined && view.target === 'live';
  const read = useQuery({ ...windowsQuery(view, player), enabled: isAsked });
  if (!read.isSuccess) return null;
  const used = usedOf(read.data.windows?.items ?? [], name);
  return (
    <>
      <dt>Left now</dt>
      <dd>
        {used.length === 0 && 'All of it: nothing is used.'}
        {used.map((each) => (
          <div key={JSON.stringify(each)}>
            <LeftUntil of={each} />
          </div>
        ))}
      </dd>
    </>
  );
}

type UsedWindow = NonNullable<PlayerShown['windows']>['items'][number];

/** What is left of a limit, and until when. */
export function LeftUntil({ of }: { readonly of: UsedWindow }) {
  return (
    <>
      {leftSaid(of)} until <Clock at={of.resetsAt} />
    </>
  );
}
