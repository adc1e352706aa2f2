import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { LoggedRequest } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { Ago, At, Clock, When } from '../../parts/time.tsx';
import { calledText, msText } from '../../words/calls.ts';
import { toldText } from '../../words/happened.ts';
import { PlayerLink } from '../named.tsx';
import styles from './calls.module.css';
import { WhereRefused } from './failing.tsx';
import { WhatItMeans } from './what-it-means.tsx';

interface RowProps {
  readonly request: LoggedRequest;
  /** The player whose page it is, among all that happened. */
  readonly about?: string;
}

/** One request: what it was in a line, and all that is known of it when it is opened. */
export function CallRow({ request, about }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const { at, status, code, message, platformId, ms } = request;
  return (
    <li className={styles.call}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span className={styles.line}>
            <strong>{calledText(request)}</strong>{' '}
            <Chip tone={code === null ? 'live' : status >= 500 ? 'bad' : 'plain'}>{code ?? status}</Chip>{' '}
            <span className={styles.soft}>{message}</span>
          </span>
          <span className={styles.meta}>
            {platformId !== null && platformId !== about && <span>{platformId}</span>}
            <span>{msText(ms)}</span>
            {about === undefined ? <Ago at={at} /> : <When at={at} />}
          </span>
        </summary>
        {isOpen && <Opened request={request} />}
      </details>
    </li>
  );
}

interface RowsProps {
  /** Neighbours that were refused alike, newest first. */
  readonly requests: readonly [LoggedRequest, ...LoggedRequest[]];
  readonly about: string;
}

/** Several requests to the same that were refused alike: how many, from when until when, and each when it is opened. */
export function CallsRow({ requests, about }: RowsProps) {
  const [isOpen, setOpen] = useState(false);
  const [newest] = requests;
  const { at, status, code } = newest;
  const first = requests.at(-1)?.at ?? at;
  return (
    <li className={styles.call}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span className={styles.line}>
            <strong>{calledText(newest)}</strong> <Chip tone={status >= 500 ? 'bad' : 'plain'}>{code ?? status}</Chip>{' '}
            <Chip tone="plain" title="Refused alike, one after the other">
              {requests.length} times
            </Chip>{' '}
            <span className={styles.soft}>{toldText(requests.map(({ message }) => message))}</span>
          </span>
          <span className={styles.meta}>
            <span>
              <Clock at={first} /> to <When at={at} />
            </span>
          </span>
        </summary>
        {isOpen && (
          <ol className={classes(styles.list, styles.within)}>
            {requests.map((request) => (
              <CallRow key={request.id} request={request} about={about} />
            ))}
          </ol>
        )}
      </details>
    </li>
  );
}

function Opened({ request }: { readonly request: LoggedRequest }) {
  const { project, at: moment } = useView();
  const mayDo = useMay();
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
            <PlayerLink player={platformId} />
          </dd>
        </>
      )}
      <WhereRefused request={request} />
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
