import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { endpointsQuery, lastCallersQuery, tryEndpoint } from '../../api/calls.ts';
import { OfNow } from '../../frame/then.tsx';
import { useMay, useView } from '../../frame/view.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Pair, Select } from '../../parts/field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, Page, Waiting } from '../../parts/page.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { fieldsOfInput, inputOf, type Typed } from '../../words/input.ts';
import styles from './calls.module.css';
import { LOG, TRY } from './calls.tsx';
import { Outcome } from './outcome.tsx';
import { PlayerPicker } from './player-picker.tsx';

const route = getRouteApi('/signed-in/p/$project/calls/try');

/** Runs an endpoint on what is stored, as a player, and stores nothing of it. */
export function TryPage() {
  const mayDo = useMay();
  const { project } = useView();
  return (
    <Page
      name="Try it out"
      title="Try it out"
      sub="What would happen if a player did this now. It is a dry run: nothing is stored, no limit counts it, and no webhook is sent."
      actions={
        <Back>
          <Link to="/p/$project/calls" params={{ project }} className={buttonClass()}>
            All calls
          </Link>
        </Back>
      }
    >
      <OfNow>It is tried on what is stored now, not on what was.</OfNow>
      {TRY.every((scope) => mayDo(scope, 'x')) ? (
        <Try />
      ) : (
        <Card title="Try it out">
          <Empty title="Your role does not try endpoints">An owner can give you a role that does, such as manager.</Empty>
        </Card>
      )}
    </Page>
  );
}

/** Back to what is staged, for whoever came from there; else the children. */
function Back({ children = null }: { readonly children?: ReactNode }) {
  const { project } = useView();
  const { back } = route.useSearch();
  if (back === undefined) return children;
  const target = back === 'next' ? back : undefined;
  return (
    <Link to="/p/$project/publishes" params={{ project }} search={{ target }} className={buttonClass()}>
      Back to Publishes
    </Link>
  );
}

function Try() {
  const view = useView();
  const { slug = '', player } = route.useSearch();
  const navigate = route.useNavigate();
  const endpoints = useQuery(endpointsQuery(view, undefined));
  if (endpoints.isPending)
    return (
      <Card title="What the player does">
        <Waiting what="what players can do" />
      </Card>
    );
  if (endpoints.isError) return <Failed error={endpoints.error} again={() => void endpoints.refetch()} />;
  const found = endpoints.data.map((each) => ({ ...each, slug: each.slug ?? each.id })).sort((a, b) => a.slug.localeCompare(b.slug));
  if (found.length === 0)
    return (
      <Card title="What the player does">
        <Empty title="The game has no endpoint yet">
          Developers push the first with <code>savepoint push</code>.
        </Empty>
      </Card>
    );
  const chosen = found.find((each) => each.slug === slug);
  return (
    <>
      <Card title="What the player does">
        <div className={styles.form}>
          <Select
            label="One of the game’s endpoints"
            value={chosen === undefined ? '' : slug}
            hint={chosen?.description ?? 'An endpoint is what a game calls when a player does something'}
            onChange={({ target }) => void navigate({ search: (before) => ({ ...before, slug: target.value || undefined }) })}
          >
            <option value="">Choose</option>
            {found.map(({ slug: each, name = each }) => (
              <option key={each} value={each}>
                {name === each ? each : `${name} (${each})`}
              </option>
            ))}
          </Select>
          {slug !== '' && chosen === undefined && <p className={styles.soft}>There is no endpoint “{slug}” here. It may be on next.</p>}
        </div>
      </Card>
      {chosen !== undefined && <Run key={`${slug} ${player}`} slug={slug} player={player} schema={chosen.input} />}
    </>
  );
}

interface RunProps {
  readonly slug: string;
  readonly player: string | undefined;
  readonly schema: unknown;
}

function Run({ slug, player, schema }: RunProps) {
  const view = useView();
  const mayDo = useMay();
  const fields = fieldsOfInput(schema);
  const callers = useQuery({ ...lastCallersQuery(view, slug), enabled: LOG.every((scope) => mayDo(scope, 'r')) }).data ?? [];
  const [chosen, choose] = useState(player);
  const [asServer, setAsServer] = useState(false);
  const [typed, setTyped] = useState<Typed>({});
  const [isAsked, setAsked] = useState(false);
  const entered = inputOf(fields, typed);
  const run = useMutation({
    mutationFn: (input: Readonly<Record<string, unknown>>) => tryEndpoint(view, { slug, player: as, asServer, input }),
  });
  // Whoever did it last does it again, until another player is chosen.
  const as = chosen ?? callers[0] ?? '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (entered.ok) run.mutate(entered.input);
  };
  const form = <SchemaForm fields={fields} typed={typed} change={setTyped} problems={isAsked && !entered.ok ? entered.problems : {}} />;
  return (
    <>
      <Card title={fields === null ? 'Who does it' : 'Who does it, and with what'}>
        <form className={styles.form} onSubmit={submit}>
          <PlayerPicker player={as} choose={choose} callers={callers} />
          {fields !== null && <Pair>{form}</Pair>}
          <details className={styles.developers}>
            <summary>For developers</summary>
            {fields === null && form}
            <label className={styles.check}>
              <input type="checkbox" checked={asServer} onChange={({ target }) => setAsServer(target.checked)} />
              As a game server, with the secret key
            </label>
          </details>
          <div>
            <Button type="submit" look="main" disabled={run.isPending}>
              {run.isPending ? 'Trying…' : 'Try it'}
            </Button>
          </div>
          {run.isError && <Failed error={run.error} />}
        </form>
      </Card>
      {run.isSuccess && (
        <Outcome tried={run.data} target={view.target}>
          <Back />
        </Outcome>
      )}
    </>
  );
}
