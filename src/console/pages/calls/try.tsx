import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { endpointsQuery, type TestReport, tryEndpoint } from '../../api/calls.ts';
import { exactJson } from '../../api/exact.ts';
import { type Target, useMay, useView } from '../../frame/view.ts';
import { Beside } from '../../parts/beside.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Field, Pair, Select } from '../../parts/field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { fieldsOfInput, inputOf, type Typed } from '../../words/input.ts';
import { cut, valueText } from '../../words/value.ts';
import styles from './calls.module.css';
import { TRY } from './calls.tsx';
import { Steps } from './steps.tsx';

const route = getRouteApi('/signed-in/p/$project/calls/try');

/** Runs an endpoint on what is stored, as a player, and stores nothing of it. */
export function TryPage() {
  const mayDo = useMay();
  const { project } = useView();
  return (
    <Page
      name="Try an endpoint"
      title="Try an endpoint"
      sub="On what is stored now, as a player. Nothing of it is stored, no limit counts it, and no webhook is sent."
      actions={
        <Link to="/p/$project/calls" params={{ project }} className={buttonClass()}>
          All calls
        </Link>
      }
    >
      {TRY.every((scope) => mayDo(scope, 'x')) ? (
        <Try />
      ) : (
        <Card title="Try an endpoint">
          <Empty title="Your role does not run endpoints">An owner can give you a role that does, such as manager.</Empty>
        </Card>
      )}
    </Page>
  );
}

function Try() {
  const view = useView();
  const { slug = '', player = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const endpoints = useQuery(endpointsQuery(view, undefined));
  if (endpoints.isPending)
    return (
      <Card title="Endpoint">
        <Waiting what="the endpoints" />
      </Card>
    );
  if (endpoints.isError) return <Failed error={endpoints.error} again={() => void endpoints.refetch()} />;
  const slugs = endpoints.data.map((each) => each.slug ?? each.id).sort();
  if (slugs.length === 0)
    return (
      <Card title="Endpoint">
        <Empty title="There is no endpoint yet">
          Developers push the first with <code>savepoint push</code>.
        </Empty>
      </Card>
    );
  const chosen = endpoints.data.find((each) => (each.slug ?? each.id) === slug);
  return (
    <>
      <Card title="Endpoint">
        <div className={styles.form}>
          <Select
            label="Endpoint"
            value={chosen === undefined ? '' : slug}
            hint={typeof chosen?.['description'] === 'string' ? chosen['description'] : undefined}
            onChange={({ target }) => void navigate({ search: (before) => ({ ...before, slug: target.value || undefined }) })}
          >
            <option value="">Choose</option>
            {slugs.map((each) => (
              <option key={each} value={each}>
                {each}
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
  readonly player: string;
  readonly schema: unknown;
}

function Run({ slug, player, schema }: RunProps) {
  const view = useView();
  const fields = fieldsOfInput(schema);
  const [as, setAs] = useState({ player, asServer: false });
  const [typed, setTyped] = useState<Typed>({});
  const [isAsked, setAsked] = useState(false);
  const entered = inputOf(fields, typed);
  const run = useMutation({ mutationFn: (input: Readonly<Record<string, unknown>>) => tryEndpoint(view, { slug, ...as, input }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (entered.ok) run.mutate(entered.input);
  };
  return (
    <>
      <Card title="Input">
        <form className={styles.form} onSubmit={submit}>
          <Pair>
            <Field
              label="As the player"
              hint="The id of whoever calls; empty: nobody"
              value={as.player}
              maxLength={128}
              onChange={({ target }) => setAs({ ...as, player: target.value })}
            />
            <label className={styles.check}>
              <input type="checkbox" checked={as.asServer} onChange={({ target }) => setAs({ ...as, asServer: target.checked })} />
              As a game server, with the secret key
            </label>
          </Pair>
          <SchemaForm fields={fields} typed={typed} change={setTyped} problems={isAsked && !entered.ok ? entered.problems : {}} />
          <div>
            <Button type="submit" look="main" disabled={run.isPending}>
              {run.isPending ? 'Running…' : 'Run it dry'}
            </Button>
          </div>
          {run.isError && <Failed error={run.error} />}
        </form>
      </Card>
      {run.data?.live !== undefined && <BesideLive next={run.data.report} live={run.data.live} />}
      {run.isSuccess && <Report report={run.data.report} target={view.target} />}
    </>
  );
}

/** What would be another for players: the answer, and what is written. */
function BesideLive({ next, live }: { readonly next: TestReport; readonly live: TestReport | null }) {
  return (
    <Card title="Live, and next, for the same input">
      {live === null ? (
        <Empty title="Live has no such endpoint">It comes with the promotion.</Empty>
      ) : (
        <Beside
          name="What live and next answer and write"
          sides={['live', 'next']}
          before={outcomeText(live)}
          after={outcomeText(next)}
          same={<Empty title="Both answer and write the same">Another input or another player may show what differs.</Empty>}
        />
      )}
    </Card>
  );
}

function outcomeText({ result, pendingWrites = [] }: TestReport): string {
  const writes = pendingWrites.map(
    ({ collection, key, op, data }) => `${op} ${collection}/${key} ${op === 'delete' ? '' : exactJson(data, 2)}`,
  );
  return [`answers ${result?.status ?? ''}`, exactJson(result?.body, 2), ...writes].join('\n');
}

interface ReportProps {
  readonly report: TestReport;
  readonly target: Target;
}

function Report({ report, target }: ReportProps) {
  const { result, steps = [], pendingWrites = [], warnings } = report;
  return (
    <Card
      title={
        <>
          {target === 'next' ? 'Next' : 'It'} would answer <Chip tone={result?.ok === true ? 'live' : 'bad'}>{result?.status}</Chip>
        </>
      }
      actions={<span className={styles.soft}>{result === undefined ? '' : `${result.timing.total} ms`}</span>}
    >
      <CardBody>
        <pre className={styles.source}>{exactJson(result?.body, 2)}</pre>
        {warnings.map((warning) => (
          <p key={warning} className={styles.refused}>
            {warning}
          </p>
        ))}
      </CardBody>
      <h3 className={styles.part}>Steps</h3>
      {steps.length === 0 && <CardBody>No step ran.</CardBody>}
      <Steps steps={steps} />
      <h3 className={styles.part}>It would write</h3>
      {pendingWrites.length === 0 && <CardBody>Nothing.</CardBody>}
      {pendingWrites.map(({ collection, key, op, data }) => (
        <div key={`${collection}/${key}`} className={styles.step}>
          <span aria-hidden="true">→</span>
          <span>
            {op} {collection}/{key}
          </span>
          <span className={styles.value}>{op === 'delete' ? '' : cut(valueText(data), 600)}</span>
        </div>
      ))}
    </Card>
  );
}
