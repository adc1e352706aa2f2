import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type Look, type LooksAsked, looksQuery } from '../../api/looks.ts';
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
import { lookedAt, manyText } from '../../words/look.ts';
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
      sub="Whatever people are shown of one player is recorded before they see it: who, whose, what, once a minute. What games read is not."
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
      {!isOfPlayer && <Field label="Player" value={player} placeholder="any" onChange={({ target }) => setPlayer(target.value)} />}
      <PeriodFields period={period} />
      <Button type="submit" disabled={period.asked === null}>
        Filter
      </Button>
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
  const isNarrowed = Object.entries(asked).some(([name, value]) => value !== undefined && !(isOfPlayer && name === 'player'));
  return (
    <>
      {looks.length > 0 && <LooksTable looks={looks} isOfPlayer={isOfPlayer} only={(person) => change({ ...asked, person })} />}
      {looks.length === 0 && list.hasNextPage && <NothingSoFar />}
      {looks.length === 0 &&
        !list.hasNextPage &&
        (isNarrowed ? (
          <Empty title="Nobody looked">
            Take a filter away, or ask for a longer time. A list of many players tells how many they were, and names none.
          </Empty>
        ) : (
          <Empty title={isOfPlayer ? 'Nobody has looked at this player yet' : 'Nobody has looked at a player yet'}>
            The first look is recorded when somebody opens a player’s page.
          </Empty>
        ))}
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} />
    </>
  );
}

interface LooksTableProps {
  readonly looks: readonly Look[];
  readonly isOfPlayer: boolean;
  readonly only: (person: string) => void;
}

function LooksTable({ looks, isOfPlayer, only }: LooksTableProps) {
  const { project } = useView();
  return (
    <Table name="Looks" heads={isOfPlayer ? ['When', 'Who', 'Saw'] : ['When', 'Who', 'Whose', 'Saw']}>
      {looks.map(({ revision, at, person, name, player, players, page, reason }) => (
        <tr key={revision}>
          <td className={table.tight}>
            <At at={at} />
          </td>
          <td>
            <Button
              look="quiet"
              isSmall
              className={styles.person}
              onClick={() => only(person)}
              aria-label={`Only looks of ${name ?? person}`}
            >
              {name ?? person}
            </Button>
          </td>
          {!isOfPlayer && (
            <td className={table.tight}>
              {player === undefined ? (
                <span className={table.soft}>{manyText(players, page)}</span>
              ) : (
                <Link to="/p/$project/players/$player" params={{ project, player }} className={table.mono}>
                  {player}
                </Link>
              )}
            </td>
          )}
          <td className={table.wide}>
            {lookedAt(page)}
            {reason !== undefined && (
              <p className={styles.reason}>
                <Chip tone="past">personal values</Chip> {reason}
              </p>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
