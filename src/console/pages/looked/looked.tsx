import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { actsQuery, type Look, looksQuery, manyLooksQuery } from '../../api/looks.ts';
import { type Commit, playersQuery } from '../../api/queries.ts';
import { useMoment } from '../../frame/then.tsx';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { Field } from '../../parts/field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, More, NothingSoFar, Page, Waiting } from '../../parts/page.tsx';
import { PeriodFields, usePeriod } from '../../parts/period.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { At } from '../../parts/time.tsx';
import { deedOf } from '../../words/commit.ts';
import { actsAround, isAnyExplained, type LooksAsked, manyText, SAME_CASE_MS, unnamedText, visitsOf, whenText } from '../../words/look.ts';
import { clockTime } from '../../words/time.ts';
import { type Called, CalledSo } from '../called.tsx';
import { PlayerLink, WhySaid } from '../named.tsx';
import styles from './looked.module.css';

const route = getRouteApi('/signed-in/p/$project/looked');
const ofPlayer = getRouteApi('/signed-in/p/$project/players/$player/looked');

/** Which person looked at the data of which player. */
export function LookedPage() {
  const asked = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page
      name="Who looked"
      title="Who looked"
      sub="Whatever people are shown of one player is recorded before they see it: who, whose, what, once a minute; and why, where they had personal values shown. What games read is not."
    >
      <LooksCard asked={asked} change={(search) => void navigate({ search: (before) => ({ ...before, ...search }) })} />
    </Page>
  );
}

/** Which person looked at the data of one player. */
export function PlayerLooks() {
  const { player } = ofPlayer.useParams();
  const asked = ofPlayer.useSearch();
  const navigate = ofPlayer.useNavigate();
  return (
    <LooksCard
      asked={{ ...asked, player }}
      isOfPlayer
      change={({ person, from, to }) => void navigate({ search: (before) => ({ ...before, person, from, to }) })}
    />
  );
}

function LooksCard(props: NarrowProps) {
  const { project } = useView();
  return (
    <Card
      title="Looks"
      actions={
        props.isOfPlayer === true && (
          <Link to="/p/$project/looked" params={{ project }}>
            Looks at all players
          </Link>
        )
      }
    >
      {useMay()('access', 'r') ? (
        <>
          <Filters key={JSON.stringify(props.asked)} {...props} />
          <Looks {...props} />
        </>
      ) : (
        <Empty title="Your role does not see who looked">
          Auditors and owners do. An owner can give you a role with the permission “access”.
        </Empty>
      )}
    </Card>
  );
}

interface NarrowProps {
  readonly asked: LooksAsked;
  /** It stands on the page of the player, who need not be named again. */
  readonly isOfPlayer?: boolean;
  readonly change: (asked: LooksAsked) => void;
}

function Filters({ asked, isOfPlayer = false, change }: NarrowProps) {
  const [player, setPlayer] = useState(asked.player ?? '');
  const period = usePeriod(asked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (period.asked !== null) change({ ...asked, player: player.trim() || undefined, ...period.asked });
  };
  return (
    <form className={classes(styles.filters, isOfPlayer && styles.ofPlayer)} onSubmit={submit} aria-label="Filters">
      {!isOfPlayer && (
        <Field label="Player" value={player} placeholder="name or id" maxLength={128} onChange={({ target }) => setPlayer(target.value)} />
      )}
      <PeriodFields period={period} />
      <Button type="submit" disabled={period.asked === null}>
        Filter
      </Button>
      {asked.of !== undefined && (
        <Button onClick={() => change({ ...asked, of: undefined })}>
          {asked.player === undefined ? 'All looks' : 'Looks that name the player'}
        </Button>
      )}
      {asked.person !== undefined && <Button onClick={() => change({ ...asked, person: undefined })}>Of everybody</Button>}
    </form>
  );
}

function Looks({ asked, isOfPlayer = false, change }: NarrowProps) {
  const { project } = useView();
  const { at, instead } = useMoment('time');
  const list = useInfiniteQuery({ ...looksQuery(project, { ...asked, to: asked.to ?? at }), enabled: instead === null });
  if (instead !== null) return instead;
  if (list.isPending) return <Waiting what="who looked" />;
  if (list.isError) return <Failed error={list.error} again={() => void list.refetch()} />;
  const looks = list.data.pages.flatMap((page) => page.looks);
  const names: Called = new Map(list.data.pages.flatMap((page) => Object.entries(page.called ?? {})));
  const isOfMany = asked.of === 'many';
  const isNarrowed = Object.entries(asked).some(([name, value]) => value !== undefined && !(isOfPlayer && name === 'player'));
  return (
    <CalledSo names={names}>
      {asked.player !== undefined && !isOfPlayer && (isOfMany || looks.length > 0) && <Whose player={asked.player} isOfMany={isOfMany} />}
      {asked.player !== undefined && !isOfMany && <Unnamed asked={{ ...asked, to: asked.to ?? at }} />}
      {looks.length > 0 && (
        <LooksTable
          pages={list.data.pages.map((page) => page.looks)}
          isMore={list.hasNextPage}
          player={isOfMany ? undefined : asked.player}
          isOfPlayer={isOfPlayer}
          only={(person) => change({ ...asked, person })}
        />
      )}
      {looks.length === 0 && list.hasNextPage && <NothingSoFar />}
      {looks.length === 0 &&
        !list.hasNextPage &&
        (!isOfPlayer && !isOfMany && asked.player !== undefined ? (
          <Sought name={asked.player} choose={(player) => change({ ...asked, player })} />
        ) : isNarrowed ? (
          <Empty title="Nobody looked">Take a filter away, or ask for a longer time.</Empty>
        ) : (
          <Empty title={isOfPlayer ? 'Nobody has looked at this player yet' : 'Nobody has looked at a player yet'}>
            The first look is recorded when somebody opens a player’s page.
          </Empty>
        ))}
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} />
    </CalledSo>
  );
}

/** The player whose looks they are, and that no list of many says which players it showed. */
function Whose({ player, isOfMany }: { readonly player: string; readonly isOfMany: boolean }) {
  const { project } = useView();
  return (
    <p className={styles.unnamed}>
      {isOfMany ? (
        <>
          These may have shown <PlayerLink player={player} />: of a list of more than five players, and of a file, it is recorded how many
          it showed, and not whom.
        </>
      ) : (
        <>
          Looks at <PlayerLink player={player} />, which also stand{' '}
          <Link to="/p/$project/players/$player/looked" params={{ project, player }}>
            on the player’s own page
          </Link>
          .
        </>
      )}
    </p>
  );
}

/** What was typed is the id of nobody who was looked at: whoever is called so is looked for. */
function Sought({ name, choose }: { readonly name: string; readonly choose: (player: string) => void }) {
  const view = useView();
  const mayFind = useMay()('players', 'r');
  const found = useQuery({ ...playersQuery(view, name), enabled: mayFind, placeholderData: undefined });
  const players = found.data?.players ?? [];
  const [only, another] = players;
  const isOne = only !== undefined && another === undefined && found.data?.more === false && only.platformId !== name;
  const chosen = isOne ? only.platformId : null;
  useEffect(() => {
    if (chosen !== null) choose(chosen);
  });
  if (mayFind && found.isPending) return <Waiting what="who is called so" />;
  if (found.isError) return <Failed error={found.error} again={() => void found.refetch()} />;
  if (chosen !== null) return null;
  if (players.length === 0)
    return (
      <Empty title={/^\d+$/.test(name) ? `No look at the player ${name}` : `No player “${name}” was found`}>
        No name that the game reports begins so, and no look that is listed here was at a player with this id.{' '}
        <Link to="/p/$project/find/$held" params={{ project: view.project, held: name }}>
          Look for it everywhere
        </Link>
      </Empty>
    );
  return (
    <Table name="Called so" heads={['Whose looks?', 'Id']} folds>
      {players.map(({ platformId, name: called }) => (
        <tr key={platformId}>
          <td>
            <Button look="quiet" isSmall className={styles.person} onClick={() => choose(platformId)}>
              {called}
            </Button>
          </td>
          <td className={table.mono} data-head="Id">
            {platformId}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Looks that name nobody are in no list of one player: it says so, and leads to them. */
function Unnamed({ asked: { player, person, from, to } }: { readonly asked: LooksAsked }) {
  const { project } = useView();
  const { data } = useQuery(manyLooksQuery(project, { person, from, to }));
  if (data === undefined) return null;
  return (
    <p className={styles.unnamed}>
      {unnamedText(data, from !== undefined || to !== undefined)}{' '}
      {data.looks > 0 && (
        <Link to="/p/$project/looked" params={{ project }} search={{ of: 'many', player, person, from, to }}>
          Show them
        </Link>
      )}
    </p>
  );
}

interface LooksTableProps {
  readonly pages: readonly (readonly Look[])[];
  /** There are older ones. */
  readonly isMore: boolean;
  /** The one player whom the list is of, if it is. */
  readonly player: string | undefined;
  readonly isOfPlayer: boolean;
  readonly only: (person: string) => void;
}

function LooksTable({ pages, isMore, player, isOfPlayer, only }: LooksTableProps) {
  const acts = useActs(player, pages);
  const isExplained = isAnyExplained(pages.flat());
  const why = isExplained ? ['Why'] : [];
  const heads = ['When', 'Who', ...(isOfPlayer ? [] : ['Whose']), 'Saw', ...why, ...(acts === null ? [] : ['Did for the player then'])];
  return (
    <Table name="Looks" heads={heads} folds>
      {visitsOf(pages.flat(), isMore).map(({ look, began, saw }) => (
        <tr key={look.revision}>
          <td className={table.tight}>
            <At at={began} />
            {clockTime(began) !== clockTime(look.at) && <span className={table.soft}> to {clockTime(look.at)}</span>}
          </td>
          <td>
            <Button
              look="quiet"
              isSmall
              className={styles.person}
              onClick={() => only(look.person)}
              aria-label={`Only looks of ${look.name ?? look.person}`}
            >
              {look.name ?? look.person}
            </Button>
          </td>
          {!isOfPlayer && (
            <td className={table.tight}>
              {look.player === undefined ? (
                <span className={table.soft}>{manyText(look.players, look.page)}</span>
              ) : (
                <PlayerLink player={look.player} />
              )}
            </td>
          )}
          <td className={table.wide} data-head="Saw">
            {saw.join(', ')}
          </td>
          {isExplained && (
            <td className={styles.why} data-head="Why">
              {look.reason !== undefined && (
                <>
                  <Chip tone="past">personal values</Chip> {look.reason}
                </>
              )}
            </td>
          )}
          {acts !== null && (
            <td className={styles.why} data-head="Did for the player then">
              <Acts began={began} acts={actsAround({ look, began, saw }, acts)} />
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

/** What people did for the player around these looks; `null`: nobody in particular is asked for, or it may not be read. */
function useActs(player: string | undefined, pages: readonly (readonly Look[])[]): readonly Commit[] | null {
  const { project } = useView();
  const isAsked = useMay()('history', 'r') && player !== undefined;
  const near = (at: string, ms: number) => new Date(Date.parse(at) + ms).toISOString();
  return useQueries({
    queries: pages.flatMap((looks) => {
      const [newest, oldest] = [looks[0], looks.at(-1)];
      if (!isAsked || newest === undefined || oldest === undefined) return [];
      return [actsQuery(project, player, near(oldest.at, -SAME_CASE_MS), near(newest.at, SAME_CASE_MS))];
    }),
    combine: (read) => (isAsked ? [...new Map(read.flatMap(({ data = [] }) => data.map((act) => [act.revision, act]))).values()] : null),
  });
}

/** What the person did around a visit: it may be what the look was for. */
function Acts({ began, acts }: { readonly began: string; readonly acts: readonly Commit[] }) {
  const { project } = useView();
  if (acts.length === 0) return <span className={table.soft}>–</span>;
  return acts.map((act) => (
    <span key={act.revision} className={styles.act}>
      {whenText(began, act.at)}{' '}
      <Link
        to="/p/$project/find/$held"
        params={{ project, held: String(act.revision) }}
        title="What the same person did last before this look and first after it, within a quarter of an hour, with a reason"
      >
        {deedOf(act)}
      </Link>
      {act.why !== undefined && (
        <>
          {' '}
          <WhySaid why={act.why} />
        </>
      )}
    </span>
  ));
}
