import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { calledQuery, type LoggedRequest } from '../../api/queries.ts';
import { useMay, useMayTry, useView } from '../../frame/view.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { codeOf } from '../../parts/code.ts';
import { Later } from '../../parts/later.tsx';
import { Waiting } from '../../parts/page.tsx';
import { Ago, At, Clock, When } from '../../parts/time.tsx';
import { calledText, isOfManagers, msText } from '../../words/calls.ts';
import { foldedCalls, timesText, toldText } from '../../words/happened.ts';
import { utcTime } from '../../words/time.ts';
import { PlayerLink } from '../named.tsx';
import styles from './calls.module.css';
import { WhatItMeans } from './what-it-means.tsx';

interface RowProps {
  readonly request: LoggedRequest;
  /** The player whose page it is, among all that happened. */
  readonly about?: string | undefined;
  /** What the game calls the player. */
  readonly called?: string | undefined;
}

/** One request: what it was in a line, and all that is known of it when it is opened. */
export function CallRow({ request, about, called }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const { at, status, code, message, platformId, ms, route } = request;
  return (
    <li className={styles.call}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span className={styles.line}>
            <strong>{calledText(request)}</strong>{' '}
            <Chip tone={code === null ? 'live' : status >= 500 ? 'bad' : 'plain'}>{code ?? status}</Chip>{' '}
            {isOfManagers(route) && <OfManagers />} <span className={styles.soft}>{message}</span>
          </span>
          <span className={styles.meta}>
            {platformId !== about && <Whose id={platformId} called={called} />}
            <span>{msText(ms)}</span>
            {about === undefined ? <Ago at={at} /> : <When at={at} />}
          </span>
        </summary>
        {isOpen && <Opened request={request} called={called} />}
      </details>
    </li>
  );
}

/** Beside what no client of a player asks for. */
export function OfManagers() {
  return (
    <Chip tone="plain" title="Asked by somebody in the console or on the command line, or by a server: no player’s client asks for it">
      of managers
    </Chip>
  );
}

interface RowsProps {
  /** Of one player to the same, which came to the same, newest first. */
  readonly requests: readonly [LoggedRequest, ...LoggedRequest[]];
  /** There may be more of them behind the end of the list. */
  readonly isGoingOn: boolean;
  readonly about?: string | undefined;
  /** What the game calls the player. */
  readonly called?: string | undefined;
}

/** Requests that are told as one: how many, from when until when, and each when it is opened. */
export function CallsRow({ requests, isGoingOn, about, called }: RowsProps) {
  const [isOpen, setOpen] = useState(false);
  const [newest, another] = requests;
  if (another === undefined) return <CallRow request={newest} about={about} called={called} />;
  const { at, status, code, platformId } = newest;
  const first = requests.at(-1)?.at ?? at;
  return (
    <li className={styles.call}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span className={styles.line}>
            <strong>{calledText(newest)}</strong>{' '}
            <Chip tone={code === null ? 'live' : status >= 500 ? 'bad' : 'plain'}>{code ?? status}</Chip>{' '}
            {isOfManagers(newest.route) && <OfManagers />}{' '}
            <Chip
              tone="plain"
              title={`They came to the same, with nothing else of this list between them${isGoingOn ? '. The list ends here: there may be more' : ''}`}
            >
              {timesText(requests.length, isGoingOn)}
            </Chip>{' '}
            <span className={styles.soft}>{toldText(requests.map(({ message }) => message))}</span>
          </span>
          <span className={styles.meta}>
            {platformId !== about && <Whose id={platformId} called={called} />}
            <span>
              {utcTime(first) !== utcTime(at) && (
                <>
                  <Clock at={first} /> to{' '}
                </>
              )}
              <When at={at} />
            </span>
          </span>
        </summary>
        {isOpen && (
          <ol className={classes(styles.list, styles.within)}>
            {requests.map((request) => (
              <CallRow key={request.id} request={request} about={platformId ?? undefined} called={called} />
            ))}
          </ol>
        )}
      </details>
    </li>
  );
}

/** The player of a request: by name, where the game reports one, and by id. */
function Whose({ id, called }: { readonly id: string | null; readonly called: string | undefined }) {
  if (id === null) return null;
  return (
    <span>
      {called !== undefined && <strong className={styles.called}>{called}</strong>} {id}
    </span>
  );
}

interface ListProps {
  /** Newest first. */
  readonly requests: readonly LoggedRequest[];
  /** There are older ones. */
  readonly isMore?: boolean;
  /** The player whose page it is. */
  readonly about?: string | undefined;
}

/** Requests as rows, those that came to the same as one. */
export function CallList({ requests, isMore = false, about }: ListProps) {
  const ids = about === undefined ? requests.flatMap(({ platformId }) => platformId ?? []) : [];
  const called = useQuery({ ...calledQuery(useView(), ids), enabled: useMay()('players', 'r') && ids.length > 0 }).data;
  return (
    <ol className={styles.list}>
      {foldedCalls(requests, isMore).map((group) => (
        // By the oldest: what comes meanwhile is newer.
        <CallsRow key={group.requests.at(-1)?.id} {...group} called={called?.get(group.requests[0].platformId ?? '')} about={about} />
      ))}
    </ol>
  );
}

/** Definitions of then and what they say come with the first call that is opened. */
const WHERE = codeOf('where refused', () => import('./failing.tsx').then((module) => module.WhereRefused));

function WhereWaiting() {
  return (
    <>
      <dt>Step</dt>
      <dd>
        <Waiting isLine what="the step" />
      </dd>
    </>
  );
}

function Opened({ request, called }: Pick<RowProps, 'request' | 'called'>) {
  const { project, at: moment } = useView();
  const mayTry = useMayTry() && moment === undefined;
  const { at, slug, status, code, message, platformId, requestId, route } = request;
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
      {code !== null && (
        <>
          <dt>It means</dt>
          <dd className={styles.means}>
            <WhatItMeans request={request} />
          </dd>
        </>
      )}
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
            <PlayerLink player={platformId} /> {called}
          </dd>
        </>
      )}
      {slug !== null && code !== null && <Later code={WHERE} waiting={<WhereWaiting />} props={{ request }} />}
      <dt>Request</dt>
      <dd className={styles.acts}>
        <Link to="/p/$project/find/$held" params={{ project, held: requestId }}>
          {requestId}
        </Link>
        {slug !== null && mayTry && (
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
