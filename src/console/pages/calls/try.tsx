import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { endpointsQuery, lastCallsQuery } from '../../api/calls.ts';
import { differenceQuery } from '../../api/queries.ts';
import { ofKind } from '../../api/reveal.ts';
import { type DryRunAsked, haveOf, type Searched, type Tried, tryEndpoint, tryInTurn } from '../../api/trying.ts';
import { valuesQuery } from '../../api/values.ts';
import { targetIn } from '../../api/view.ts';
import { OfNow } from '../../frame/then.tsx';
import { useMay, useMayReadCalls, useMayTry, useView } from '../../frame/view.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Pair, Select } from '../../parts/field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { refusalSaid } from '../../words/calls.ts';
import { type Candidate, candidatesOf, spreadOut } from '../../words/candidates.ts';
import { fieldsOfInput, inputOf, type Typed } from '../../words/input.ts';
import { firstUsing, pretendedSaid, workedOn } from '../../words/pretending.ts';
import { listedValues } from '../../words/sheet.ts';
import { isSameOnLive, othersSaid, tellingOf } from '../../words/trying.ts';
import { FailedOrAsked } from '../revealing.tsx';
import styles from './calls.module.css';
import { Outcome } from './outcome.tsx';
import { PlayerPicker } from './player-picker.tsx';
import { Pretend, usePretending } from './pretend.tsx';

const route = getRouteApi('/signed-in/p/$project/calls/try');

/** Runs an endpoint on what is stored, as a player, and stores nothing of it. */
export function TryPage() {
  const mayTry = useMayTry();
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
      {mayTry ? (
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
  return (
    <Link to="/p/$project/publishes" params={{ project }} search={{ target: targetIn(back) }} className={buttonClass()}>
      Back to Publishes
    </Link>
  );
}

function Try() {
  const view = useView();
  const { slug: asked = '', player } = route.useSearch();
  const navigate = route.useNavigate();
  const endpoints = useQuery(endpointsQuery(view, undefined));
  const isStaged = asked === '' && view.target === 'next';
  const staged = useQuery({ ...differenceQuery(view), enabled: isStaged }).data?.difference.changes ?? [];
  const served = useQuery({ ...valuesQuery(view), enabled: isStaged }).data?.served;
  const values = served === undefined ? [] : listedValues(served, null);
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
          Make the first one under{' '}
          <Link to="/p/$project/definitions" params={{ project: view.project }} search={{ kind: 'endpoint' }}>
            Definitions
          </Link>
          , or push a folder of files with <code>savepoint push</code>.
        </Empty>
      </Card>
    );
  // Whoever wants to see what is staged begins with an endpoint that it matters to.
  const slug = asked !== '' || !isStaged ? asked : (firstUsing(found, staged, values)?.slug ?? '');
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
      {chosen !== undefined && <Run key={`${slug} ${player}`} slug={slug} player={player} endpoint={chosen} />}
    </>
  );
}

interface RunProps {
  readonly slug: string;
  readonly player: string | undefined;
  /** As it is written. */
  readonly endpoint: Readonly<Record<string, unknown>>;
}

function Run({ slug, player, endpoint }: RunProps) {
  const view = useView();
  const fields = fieldsOfInput(endpoint['input']);
  const read = useQuery({ ...lastCallsQuery(view, slug), enabled: useMayReadCalls() });
  const calls = read.data ?? [];
  const candidates = candidatesOf(endpoint, calls, slug);
  const [chosen, choose] = useState(player);
  const [asServer, setAsServer] = useState(false);
  const [typed, setTyped] = useState<Typed>({});
  const [isAsked, setAsked] = useState(false);
  const [outcome, setOutcome] = useState<Shown | null>(null);
  const entered = inputOf(fields, typed);
  // Whoever may do it is offered, until another player is chosen.
  const as = chosen ?? candidates[0]?.id ?? '';
  const document = workedOn(endpoint);
  const pretending = usePretending(document, as.trim());
  const mayRead = useMay()('collections', 'r');
  /** Tries it for players who differ from those who were tried: the next ones of who played last are mostly alike. */
  const tryOthers = async (asked: Asked, { refused, same }: Shown, left: readonly string[]) => {
    const has = document === null || !mayRead ? new Map<string, never>() : await haveOf(view, document);
    const tried = [...refused.map((each) => each.player), ...same];
    const players = [...new Set([...left, ...has.keys()])].filter((id) => !tried.includes(id));
    return tryInTurn(view, { ...asked, slug }, spreadOut(players, tried, has, document?.fields ?? []));
  };
  const run = useMutation({
    mutationFn: async (asked: Asked): Promise<Shown> => {
      const tried = await tryEndpoint(view, { slug, ...asked });
      const shown: Shown = { tried, asked, ...endedFor(tried, asked.player) };
      // Whoever chose no player is here to see what becomes another.
      const left = chosen === undefined && asked.instead === undefined && view.target === 'next' ? leftOf(shown, candidates) : [];
      return left.length === 0 ? shown : after(shown, await tryOthers(asked, shown, left));
    },
    onSuccess: (shown, { player: before }) => show(shown, before),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (!entered.ok || !pretending.isWhole) return;
    const { instead, values } = pretending;
    run.mutate({
      player: as.trim(),
      asServer,
      input: entered.input,
      ...(instead === null ? {} : { instead, pretends: pretendedSaid(values) }),
    });
  };
  const show = (shown: Shown, before: string) => {
    setOutcome(shown);
    if (shown.asked.player !== before) choose(shown.asked.player);
  };
  const form = <SchemaForm fields={fields} typed={typed} change={setTyped} problems={isAsked && !entered.ok ? entered.problems : {}} />;
  const title = fields === null ? 'Who does it' : 'Who does it, and with what';
  // Who is offered stands there at once, and moves nothing.
  if (read.isLoading)
    return (
      <Card title={title}>
        <Waiting isTall what="who played last" />
      </Card>
    );
  return (
    <>
      <Card title={title}>
        <form className={styles.form} onSubmit={submit}>
          <PlayerPicker
            player={as}
            isOffered={chosen === undefined}
            choose={choose}
            candidates={candidates}
            telling={document?.fields ?? []}
          >
            {fields !== null && <Pair>{form}</Pair>}
            <Pretend pretending={pretending} isAsked={isAsked} />
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
            {run.isError && (
              <FailedOrAsked error={run.error} of={ofKind('endpoint', slug)} whose="endpoint" again={() => run.mutate(run.variables)} />
            )}
          </PlayerPicker>
        </form>
      </Card>
      {outcome !== null && (
        <Outcome
          tried={outcome.tried}
          player={outcome.asked.player}
          endpoint={endpoint}
          target={view.target}
          pretends={outcome.asked.pretends}
          others={
            <Others slug={slug} shown={outcome} candidates={candidates} show={show} tryOthers={tryOthers} pretend={pretending.begin} />
          }
        >
          <Back />
        </Outcome>
      )}
    </>
  );
}

interface Asked extends Omit<DryRunAsked, 'slug'> {
  /** What the player was taken to have, in words. */
  readonly pretends?: string;
}

/** What is shown: a run, and for whom it was refused, or came to the same as on live, until then. */
interface Shown extends Pick<Searched, 'refused' | 'same'> {
  readonly tried: Tried;
  readonly asked: Asked;
}

function endedFor({ report, live }: Tried, player: string): Pick<Searched, 'refused' | 'same'> {
  const refusal = refusalSaid(report);
  if (refusal !== null) return { refused: [{ player, ...refusal }], same: [] };
  return { refused: [], same: isSameOnLive(report, live) ? [player] : [] };
}

function tellingIn({ report, live }: Tried): number {
  return tellingOf(report, live);
}

/** Whether what is shown tells nothing of what would become another: it was refused, or came to the same as on live. */
function tellsNothing({ report, live }: Tried): boolean {
  const refusal = refusalSaid(report);
  return refusal === null ? isSameOnLive(report, live) : refusal.code !== 'INVALID_INPUT';
}

/** Who may be tried next; nobody where what is shown tells something. */
function leftOf({ tried, refused, same }: Shown, candidates: readonly Candidate[]): readonly string[] {
  const known = new Set([...refused.map(({ player }) => player), ...same]);
  return tellsNothing(tried) ? candidates.map(({ id }) => id).filter((id) => !known.has(id)) : [];
}

/** What is shown once others were tried. */
function after(before: Shown, { refused, same, found }: Searched): Shown {
  const ended = { refused: [...before.refused, ...refused], same: [...before.same, ...same] };
  // Who already shows as much is shown no other of whom that is true.
  const better = found !== null && tellingIn(found.tried) > tellingIn(before.tried) ? found : null;
  return { ...before, ...(better === null ? {} : { ...better, asked: { ...before.asked, player: better.player } }), ...ended };
}

interface OthersProps {
  readonly slug: string;
  readonly shown: Shown;
  readonly candidates: readonly Candidate[];
  readonly show: (shown: Shown, before: string) => void;
  readonly tryOthers: (asked: Asked, shown: Shown, players: readonly string[]) => Promise<Searched>;
  /** Opens what the player is taken to have; `null`: that is not offered. */
  readonly pretend: (() => void) | null;
}

/** Where it is refused for a player, or shows nothing new: tries it for others, the likeliest first, until it does. */
function Others({ slug, shown, candidates, show, tryOthers, pretend }: OthersProps) {
  const { asked, refused, same, tried } = shown;
  const search = useMutation({
    mutationFn: (players: readonly string[]) => tryOthers(asked, shown, players),
    onSuccess: (searched) => show(after(shown, searched), asked.player),
  });
  const refusal = refusalSaid(tried.report);
  const isNothingNew = refusal === null && isSameOnLive(tried.report, tried.live);
  const isOtherwise = refusal !== null && tellingIn(tried) > 0;
  const left = leftOf(shown, candidates);
  const more = refused.length + same.length > 1 ? 'more players' : 'other players';
  if (asked.instead !== undefined) return null;
  if (refusal === null && refused.length === 0 && !isNothingNew) return null;
  return (
    <CardBody>
      <div className={styles.found}>
        <p role="status">
          {othersSaid({
            isRefused: refusal !== null,
            isNothingNew,
            isOtherwise,
            refused,
            same: same.length,
            isElseOffered: pretend !== null,
          })}
        </p>
        {left.length > 0 && (
          <Button isSmall disabled={search.isPending} onClick={() => search.mutate(left)}>
            {search.isPending ? 'Trying others…' : `Try ${more} until ${isNothingNew ? 'live and next differ' : 'it goes through'}`}
          </Button>
        )}
        {tellsNothing(tried) && pretend !== null && (
          <Button isSmall onClick={pretend}>
            Try it as if the player had something else…
          </Button>
        )}
        {search.isError && (
          <FailedOrAsked
            error={search.error}
            of={ofKind('endpoint', slug)}
            whose="endpoint"
            again={() => search.mutate(search.variables)}
          />
        )}
      </div>
    </CardBody>
  );
}
