import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { type Collection, collectionsQuery, moreDocumentsQuery, type PlayerShown, playerQuery, schemaOf } from '../../api/queries.ts';
import { useMay, useMayCorrect, useMayReadDocuments, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { codeOf } from '../../parts/code.ts';
import { Later } from '../../parts/later.tsx';
import { NewNote, NotFollowed } from '../../parts/live.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { partsLeftOut } from '../../words/left-out.ts';
import { movedText, topicOf } from '../../words/live.ts';
import { isUnknown } from '../../words/refusal.ts';
import { valueText } from '../../words/value.ts';
import { GameButtons } from '../buttons/buttons.tsx';
import { CallList } from '../calls/call-row.tsx';
import { PlayerLink } from '../named.tsx';
import { Fields } from './fields.tsx';
import styles from './player.module.css';
import { Reports } from './reports.tsx';
import { Boards, Flags, Guest, Sessions, Slots, Windows } from './tables.tsx';

const route = getRouteApi('/signed-in/p/$project/players/$player');

const MAKE = codeOf('make', () => import('./make.tsx').then((module) => module.MakeDialog));

/** What a player has, how they come in, where they stand, and what happened last. */
export function Overview() {
  const { player } = route.useParams();
  const view = useView();
  const mayRead = useMay()('players', 'r');
  const shown = useQuery({ ...playerQuery(view, player), enabled: mayRead });
  if (!mayRead)
    return (
      <Card title="Player">
        <Empty title="Your role does not see what players have">
          Support, auditors, managers and owners see it. An owner can give you such a role.
        </Empty>
      </Card>
    );
  if (shown.isPending)
    return (
      <Card title="Player">
        <Waiting what="the player" />
      </Card>
    );
  if (isUnknown(shown.error))
    return (
      <Card title="Player">
        <Empty title={view.at === undefined ? 'Nothing is known of this player' : 'Nothing was known of this player then'}>
          A player is known from the first write, session or report on. Look whether the id is whole.
        </Empty>
      </Card>
    );
  if (shown.isError) return <Failed error={shown.error} again={() => void shown.refetch()} />;
  return (
    <>
      <GameButtons page="player" player={player} />
      <Moved page={shown.data} show={() => void shown.refetch()} />
      <Shown page={shown.data} />
    </>
  );
}

/** Documents that a page follows: each is sent whole once. */
const FOLLOWED = 5;

/** Tells that documents of the player changed since the page was read; shows it when one wants it. */
function Moved({ page, show }: { readonly page: PlayerShown; readonly show: () => void }) {
  const view = useView();
  const mayRead = useMayReadDocuments();
  const [now, setNow] = useState<ReadonlyMap<string, number>>(new Map());
  const followed = (page.documents?.items ?? []).slice(0, FOLLOWED);
  // The overview is of live, whatever the switch says.
  const state = useLive({ ...view, target: 'live' }, followed.map(topicOf), mayRead && view.at === undefined, ({ topic, version }) => {
    if (version !== undefined) setNow((before) => new Map(before).set(topic, version));
  });
  return (
    <>
      <NewNote what={movedText(followed, now)} show={show} />
      <NotFollowed state={state} />
    </>
  );
}

function Shown({ page }: { readonly page: PlayerShown }) {
  const { target } = useView();
  const { profile, balances, documents, slots, sessions, guest, accountOf, windows, flags, boards, calls, reports, leftOut } = page;
  return (
    <div className={styles.stack}>
      {target === 'next' && (
        <CardBody>
          <Chip tone="next">next</Chip> This overview is of live. Documents of next are read one by one, from the links below.
        </CardBody>
      )}
      {profile != null && (
        <p>
          {profile.online ? (
            <Chip tone="live">online</Chip>
          ) : (
            <>
              Seen <Ago at={profile.lastSeen} />
            </>
          )}{' '}
          <span className={styles.soft}>
            · played {hours(profile.playedSeconds)} in {profile.playSessions} {profile.playSessions === 1 ? 'sitting' : 'sittings'}
          </span>
        </p>
      )}
      {accountOf !== undefined && (
        <p>
          This account lets devices into <PlayerLink player={accountOf.guest} />.
        </p>
      )}
      {balances !== undefined && balances.items.length > 0 && (
        <dl className={styles.balances}>
          {balances.items.map(({ collection, key, field, currency, amount }) => (
            <div key={`${collection}/${key}/${field}`} className={styles.balance}>
              <dt>
                {currency ?? field} <span title={key}>· {collection}</span>
              </dt>
              <dd>
                <Balance player={page.player} amount={amount} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {documents !== undefined && <Documents documents={documents} player={page.player} />}
      <div className={styles.columns}>
        {slots !== undefined && slots.items.length > 0 && <Slots slots={slots.items} player={page.player} />}
        {sessions !== undefined && sessions.items.length > 0 && <Sessions sessions={sessions.items} />}
        {guest != null && <Guest guest={guest} />}
        {boards !== undefined && boards.items.length > 0 && <Boards boards={boards.items} player={page.player} />}
        {flags !== undefined && flags.items.length > 0 && <Flags flags={flags.items} />}
        {windows !== undefined && windows.items.length > 0 && <Windows windows={windows.items} />}
      </div>
      {calls !== undefined && calls.items.length > 0 && (
        <Card title="Last calls">
          <CallList requests={calls.items.toReversed()} isMore={calls.more !== undefined} about={page.player} />
        </Card>
      )}
      {reports !== undefined && reports.items.length > 0 && <Reports reports={reports.items} player={page.player} />}
      {leftOut.length > 0 && <p className={styles.soft}>{partsLeftOut(leftOut)}</p>}
    </div>
  );
}

function hours(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function Documents({ documents, player }: { readonly documents: NonNullable<PlayerShown['documents']>; readonly player: string }) {
  const view = useView();
  const mayDo = useMay();
  const mayChange = useMayCorrect();
  const collections = useQuery({ ...collectionsQuery(view), enabled: mayDo('collections', 'r') });
  if (documents.items.length === 0)
    return (
      <Card title="Documents">
        <Empty title="No document">
          The first is made by a call of the game, or here. <Make player={player} documents={[]} />
        </Empty>
      </Card>
    );
  return (
    <>
      {documents.items.map(({ collection, key, version, updatedAt, deleted, document }) => (
        <Card
          key={`${collection}/${key}`}
          title={
            <Link to="/p/$project/players/$player/documents/$collection/$key" params={{ project: view.project, player, collection, key }}>
              {collection}
              {key === player ? '' : `/${key}`}
            </Link>
          }
          actions={
            <span className={styles.soft}>
              version {version}, <Ago at={updatedAt} /> {deleted === true && <Chip tone="bad">deleted</Chip>} ·{' '}
              <Link to="/p/$project/players/$player/documents/$collection/$key" params={{ project: view.project, player, collection, key }}>
                {mayChange ? 'its history, and how to change it' : 'its history'}
              </Link>
            </span>
          }
        >
          {document === undefined ? (
            <CardBody>
              <span className={styles.soft}>
                {deleted === true ? 'It was deleted; its history is still there.' : 'Too large to be shown here: open it.'}
              </span>
            </CardBody>
          ) : (
            <Fields document={document} player={player} schema={schemaOf(collections.data, collection)} />
          )}
        </Card>
      ))}
      {documents.more === undefined ? (
        <Make player={player} documents={documents.items} />
      ) : (
        <MoreDocuments key={documents.more} player={player} more={documents.more} />
      )}
    </>
  );
}

interface MakeProps {
  readonly player: string;
  readonly documents: NonNullable<PlayerShown['documents']>['items'];
}

/** Offers a document in a collection of players in which the player has none. */
function Make({ player, documents }: MakeProps) {
  const view = useView();
  const mayRead = useMay()('collections', 'r');
  const isOffered = useMayCorrect() && mayRead;
  const collections = useQuery({ ...collectionsQuery(view), enabled: isOffered });
  // Once it is made there may be none left to offer, and the dialog says what was done.
  const [making, setMaking] = useState<readonly Collection[] | null>(null);
  const has = new Set(documents.filter(({ deleted }) => deleted !== true).map(({ collection }) => collection));
  // A save slot is made by the game, which gives it a name.
  const free = (collections.data ?? []).filter(
    ({ id, collectionType, maxRecords = 1 }) => collectionType !== 'global' && maxRecords <= 1 && !has.has(id),
  );
  return (
    <>
      {isOffered && free.length > 0 && (
        <div>
          <Button isSmall onClick={() => setMaking(free)}>
            Make a document…
          </Button>
        </div>
      )}
      {making !== null && <Later code={MAKE} props={{ collections: making, player, close: () => setMaking(null) }} />}
    </>
  );
}

function MoreDocuments({ player, more }: { readonly player: string; readonly more: string }) {
  const [isAsked, setAsked] = useState(false);
  const read = useQuery({ ...moreDocumentsQuery(useView(), player, more), enabled: isAsked });
  if (read.data?.documents !== undefined) return <Documents documents={read.data.documents} player={player} />;
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  return (
    <div>
      <Button onClick={() => setAsked(true)} disabled={isAsked}>
        {isAsked ? 'Loading…' : 'Show more documents'}
      </Button>
    </div>
  );
}

/** What the player has of a currency. It leads to how it came to be so. */
function Balance({ player, amount }: { readonly player: string; readonly amount: unknown }) {
  const { project } = useView();
  if (!useMay()('history', 'r')) return valueText(amount);
  return (
    <Link
      to="/p/$project/players/$player/timeline"
      params={{ project, player }}
      search={{ what: 'coins' }}
      title="How it came to be so, commit by commit"
    >
      {valueText(amount)}
    </Link>
  );
}
