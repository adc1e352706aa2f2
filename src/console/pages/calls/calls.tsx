import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import {
  beginOf,
  type CallsAsked,
  type CallsByEndpoint,
  callsQuery,
  type Followed,
  summaryQuery,
  useFollowed,
  type Window,
} from '../../api/calls.ts';
import type { LoggedRequest } from '../../api/queries.ts';
import { useMoment } from '../../frame/then.tsx';
import { useMayReadCalls, useMayTry, useView } from '../../frame/view.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { LiveChip } from '../../parts/live.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, More, NothingSoFar, Page, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { isOfManagers, isOnlyOfManagers, msText, rateText, SPANS, type Span, shorterReach, spanMs } from '../../words/calls.ts';
import { CallList, OfManagers } from './call-row.tsx';
import styles from './calls.module.css';

const route = getRouteApi('/signed-in/p/$project/calls/');

/** What games called, and what was refused: by endpoint and outcome first, then one by one. */
export function CallsPage() {
  const { project, at } = useView();
  const mayRead = useMayReadCalls();
  const mayTry = useMayTry();
  const { slug } = route.useSearch();
  return (
    <Page
      name="Calls"
      title="Calls and errors"
      sub="What games call, how long it takes, and what is refused or fails."
      actions={
        at === undefined &&
        mayTry && (
          <Link to="/p/$project/calls/try" params={{ project }} search={{ slug }} className={buttonClass()}>
            Try it out…
          </Link>
        )
      }
    >
      {mayRead ? (
        <Calls />
      ) : (
        <Card title="Calls">
          <Empty title="Your role does not see the calls of all players">
            The page of a player has the last calls of that player. An owner can give you a role that reads what the game is made of.
          </Empty>
        </Card>
      )}
    </Page>
  );
}

function Calls() {
  const { at, instead } = useMoment('time');
  return instead ?? <CallsUntil to={at} />;
}

function CallsUntil({ to }: { readonly to: string | undefined }) {
  const view = useView();
  const { slug, code, player, all, span } = route.useSearch();
  const window: Window = { ms: spanMs(span), to };
  const asked: CallsAsked = { slug, code, player, all: all === 'true' };
  // What was refused to somebody in the console is no matter of the game: it is shown when one asks for it.
  const isOfAll = all !== undefined;
  const followed = useFollowed(view, asked, window.to === undefined);
  return (
    <>
      <Grouped window={window} state={followed.state} isOfAll={isOfAll} />
      <Listed asked={asked} window={window} followed={followed} isOfAll={isOfAll} />
    </>
  );
}

interface GroupedProps {
  readonly window: Window;
  readonly state: Followed['state'];
  /** Also what was refused to managers. */
  readonly isOfAll: boolean;
}

function Grouped({ window, state, isOfAll }: GroupedProps) {
  const view = useView();
  const { slug, span } = route.useSearch();
  const navigate = route.useNavigate();
  const read = useQuery(summaryQuery(view, window));
  const found = read.data?.endpoints.filter((each) => slug === undefined || each.slug === slug) ?? [];
  const asked = found.filter((each) => isOfAll || !isOnlyOfManagers(each));
  const leftOut = found.reduce((count, each) => count + (asked.includes(each) ? 0 : each.requests), 0);
  // What games call comes first.
  const groups = [...asked.filter((each) => !isOfManagers(each.route)), ...asked.filter((each) => isOfManagers(each.route))];
  const reach = read.data === undefined ? null : shorterReach(read.data);
  const isTold = groups.length > 0 || leftOut > 0 || reach !== null || (read.data?.missed ?? 0) > 0 || read.data?.partial === true;
  return (
    <Card
      title={slug === undefined ? 'By endpoint' : `Calls of ${slug}`}
      actions={
        <div className={styles.row}>
          <LiveChip state={state} means="New calls appear as they happen" />
          <select
            className={styles.span}
            aria-label="Time"
            value={span ?? '1h'}
            onChange={({ target }) => void navigate({ search: (before) => ({ ...before, span: target.value as Span }) })}
          >
            {SPANS.map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </div>
      }
    >
      {read.isPending && <Waiting isTall={slug === undefined} what="what was called" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && groups.length === 0 && (
        <Empty title="Nothing was called in this time">
          {slug === undefined
            ? 'Every call of a game stands here within a second, and what was refused before it became one. Choose a longer time, or try it out.'
            : 'Choose a longer time, or show all endpoints.'}
        </Empty>
      )}
      {groups.length > 0 && <Groups groups={groups} />}
      {read.isSuccess && isTold && (
        <CardBody>
          <p className={styles.soft}>
            {reach !== null && (
              <>
                More was called than is counted at once:{' '}
                {reach.succeeded !== null && (
                  <>
                    what succeeded is counted since <At at={reach.succeeded} />
                    {reach.failed !== null && ', '}
                  </>
                )}
                {reach.failed !== null && (
                  <>
                    what was refused or failed since <At at={reach.failed} />
                  </>
                )}
                . Rates are of that time.{' '}
              </>
            )}
            {read.data.more > 0 && `${read.data.more} endpoints and routes with fewer requests are left out. `}
            {(read.data.missed ?? 0) > 0 && `${read.data.missed} requests were not stored, because too many came at once. `}
            {read.data.partial === true && 'The database does not answer: this is only what one node has served. '}
            {leftOut > 0 && (
              <>
                {leftOut === 1 ? 'One request' : `${leftOut} requests`} of people in the console or of servers{' '}
                {leftOut === 1 ? 'was refused and is' : 'were refused and are'} left out:{' '}
                <Link to="/p/$project/calls" params={{ project: view.project }} search={(before) => ({ ...before, all: 'managers' })}>
                  show {leftOut === 1 ? 'it' : 'them'}
                </Link>
                .{' '}
              </>
            )}
            {groups.length > 0 && 'Half of the calls take at most the first time, 95 of 100 the second.'}
          </p>
        </CardBody>
      )}
    </Card>
  );
}

function Groups({ groups }: { readonly groups: readonly CallsByEndpoint[] }) {
  return (
    <Table
      name="Calls by endpoint"
      heads={[
        'Endpoint',
        { name: 'Calls', isNumber: true },
        { name: 'Rate', isNumber: true },
        { name: 'Takes', isNumber: true },
        'Refused and failed, by code',
        'Last',
      ]}
    >
      {groups.map((group) => (
        <Group key={`${group.slug} ${group.route}`} group={group} />
      ))}
    </Table>
  );
}

/** Codes that a row names. */
const SHOWN = 6;

function Group({ group }: { readonly group: CallsByEndpoint }) {
  const { project } = useView();
  const { slug, requests, perMinute, refused, failed, p50, p95, last } = group;
  const codes = group.codes.filter(({ code }) => code !== null);
  const filtered = (code: string | null | undefined) => ({
    ...(slug === null ? {} : { slug }),
    ...(code == null ? {} : { code }),
  });
  return (
    <tr>
      <td>
        {slug === null ? (
          <>
            <span className={table.mono}>{group.route}</span> {isOfManagers(group.route) && <OfManagers />}
          </>
        ) : (
          <Link to="/p/$project/calls" params={{ project }} search={(before) => ({ ...before, code: undefined, ...filtered(null) })}>
            {slug}
          </Link>
        )}
      </td>
      <td className={table.number}>{requests}</td>
      <td className={table.number}>{rateText(perMinute)}</td>
      <td className={table.number}>
        {msText(p50)} {p50 !== null && <span className={table.soft}>· {msText(p95)}</span>}
      </td>
      <td>
        {codes.length === 0 && <span className={table.soft}>none</span>}
        <span className={styles.codes}>
          {codes.slice(0, SHOWN).map(({ code, status, requests: count }) => (
            <Link
              key={`${code} ${status}`}
              to="/p/$project/calls"
              params={{ project }}
              search={(before) => ({ ...before, ...filtered(code) })}
              className={styles.code}
              title={`${count} of ${requests}, with the status ${status}`}
            >
              <Chip tone={status >= 500 ? 'bad' : 'plain'}>
                {code} {count}
              </Chip>
            </Link>
          ))}
          {codes.length > SHOWN && <span className={table.soft}>and {codes.length - SHOWN} more</span>}
        </span>
        <span className="visually-hidden">
          {refused} refused, {failed} failed
        </span>
      </td>
      <td className={table.tight}>
        <Ago at={last} />
      </td>
    </tr>
  );
}

interface ListedProps {
  readonly asked: CallsAsked;
  readonly window: Window;
  readonly followed: Followed;
  readonly isOfAll: boolean;
}

function Listed({ asked, window, followed, isOfAll }: ListedProps) {
  const view = useView();
  const list = useInfiniteQuery(callsQuery(view, asked, window));
  const stored = list.data?.pages.flatMap((page) => page.requests.toReversed()) ?? [];
  const known = new Set(stored.map(({ id }) => id));
  // What is followed begins with the last ones, which may be older than the time that is looked at.
  const since = beginOf(window);
  const followedIn = followed.requests.filter(({ id, at }) => !known.has(id) && Date.parse(at) >= since);
  const isShown = (request: LoggedRequest) => isOfAll || !isOnlyOfManagers({ ...request, failed: request.status >= 500 ? 1 : 0 });
  const requests = [...followedIn, ...stored].filter((request) => request.target === view.target && isShown(request));
  const isFiltered = asked.slug !== undefined || asked.code !== undefined || asked.player !== undefined;
  return (
    <Card title={asked.all ? 'Last calls' : 'Last refused and failed'}>
      <Filters key={JSON.stringify(asked)} asked={asked} isOfAll={isOfAll} />
      {list.isPending && <Waiting what="calls" />}
      {list.isError && (
        <CardBody>
          <Failed error={list.error} again={() => void list.refetch()} />
        </CardBody>
      )}
      {requests.length === 0 && list.hasNextPage && <NothingSoFar />}
      {list.isSuccess && requests.length === 0 && !list.hasNextPage && (
        <Empty title={isFiltered ? 'Nothing like that' : 'Nothing was refused, and nothing failed'}>
          {asked.all ? 'Choose a longer time, or take a filter away.' : 'Show all calls to see those that succeeded, too.'}
        </Empty>
      )}
      <CallList requests={requests} isMore={list.hasNextPage} />
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} />
    </Card>
  );
}

function Filters({ asked, isOfAll }: { readonly asked: CallsAsked; readonly isOfAll: boolean }) {
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState({ slug: asked.slug ?? '', code: asked.code ?? '', player: asked.player ?? '' });
  const clean = (text: string) => text.trim() || undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { slug, code, player } = typed;
    void navigate({ search: (before) => ({ ...before, slug: clean(slug), code: clean(code), player: clean(player) }) });
  };
  const field = (name: keyof typeof typed, label: string) => (
    <Field
      label={label}
      value={typed[name]}
      placeholder="any"
      maxLength={128}
      onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
    />
  );
  return (
    <form className={styles.filters} onSubmit={submit} aria-label="Filters">
      <Select
        label="What"
        value={asked.all ? 'true' : isOfAll ? 'managers' : ''}
        onChange={({ target }) => void navigate({ search: (before) => ({ ...before, all: clean(target.value) }) })}
      >
        <option value="">Refused and failed</option>
        <option value="managers">… of managers, too</option>
        <option value="true">All calls</option>
      </Select>
      {field('slug', 'Endpoint')}
      {field('code', 'Code')}
      {field('player', 'Player')}
      <Button type="submit">Filter</Button>
    </form>
  );
}
