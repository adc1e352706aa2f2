import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { actsQuery, type Look, looksQuery, manyLooksQuery } from '../../api/looks.ts';
import type { Commit } from '../../api/queries.ts';
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
import { actNear, type LooksAsked, manyText, SAME_CASE_MS, unnamedText, visitsOf } from '../../words/look.ts';
import { whySaid } from '../../words/why.ts';
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
      {!isOfPlayer && <Field label="Player" value={player} placeholder="any id" onChange={({ target }) => setPlayer(target.value)} />}
      <PeriodFields period={period} />
      <Button type="submit" disabled={period.asked === null}>
        Filter
      </Button>
      {asked.of !== undefined && <Button onClick={() => change({ ...asked, of: undefined })}>All looks</Button>}
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
      {asked.player !== undefined && <Unnamed asked={{ ...asked, to: asked.to ?? at }} />}
      {looks.length > 0 && (
        <LooksTable looks={looks} player={asked.player} isOfPlayer={isOfPlayer} only={(person) => change({ ...asked, person })} />
      )}
      {looks.length === 0 && list.hasNextPage && <NothingSoFar />}
      {looks.length === 0 &&
        !list.hasNextPage &&
        (isNarrowed ? (
          <Empty title="Nobody looked">
            Take a filter away, or ask for a longer time.
            {!isOfPlayer && asked.player !== undefined && ' A player is named by the id here: who is found by a name has their own list.'}
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

/** Looks that name nobody are in no list of one player: it says so, and leads to them. */
function Unnamed({ asked: { person, from, to } }: { readonly asked: LooksAsked }) {
  const { project } = useView();
  const { data } = useQuery(manyLooksQuery(project, { person, from, to }));
  if (data === undefined) return null;
  return (
    <p className={styles.unnamed}>
      {unnamedText(data, from !== undefined || to !== undefined)}{' '}
      {data.looks > 0 && (
        <Link to="/p/$project/looked" params={{ project }} search={{ of: 'many', person, from, to }}>
          Show them
        </Link>
      )}
    </p>
  );
}

interface LooksTableProps {
  readonly looks: readonly Look[];
  /** The one player whom the list is of, if it is. */
  readonly player: string | undefined;
  readonly isOfPlayer: boolean;
  readonly only: (person: string) => void;
}

function LooksTable({ looks, player, isOfPlayer, only }: LooksTableProps) {
  const { project } = useView();
  const acts = useActs(player, looks);
  return (
    <Table name="Looks" heads={['When', 'Who', ...(isOfPlayer ? [] : ['Whose']), 'Saw', 'Why']}>
      {visitsOf(looks).map(({ look, saw }) => (
        <tr key={look.revision}>
          <td className={table.tight}>
            <At at={look.at} />
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
                <Link to="/p/$project/players/$player" params={{ project, player: look.player }} className={table.mono}>
                  {look.player}
                </Link>
              )}
            </td>
          )}
          <td className={table.wide}>{saw.join(', ')}</td>
          <td className={styles.why}>
            <Why look={look} acts={acts} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** What people did for the player around these looks; nothing where nobody in particular is asked for, or it may not be read. */
function useActs(player: string | undefined, looks: readonly Look[]): readonly Commit[] {
  const { project } = useView();
  const mayRead = useMay()('history', 'r');
  const [newest, oldest] = [looks[0]?.at ?? '', looks.at(-1)?.at ?? ''];
  const near = (at: string, ms: number) => new Date((Date.parse(at) || 0) + ms).toISOString();
  const acts = useQuery({
    ...actsQuery(project, player ?? '', near(oldest, -SAME_CASE_MS), near(newest, SAME_CASE_MS)),
    enabled: mayRead && player !== undefined && looks.length > 0,
  });
  return acts.data ?? [];
}

/** Why personal values were shown; else for what the same person did something for the player just then. */
function Why({ look, acts }: { readonly look: Look; readonly acts: readonly Commit[] }) {
  const { project } = useView();
  if (look.reason !== undefined)
    return (
      <>
        <Chip tone="past">personal values</Chip> {look.reason}
      </>
    );
  const act = actNear(look, acts);
  if (act?.why === undefined) return <span className={table.soft}>–</span>;
  return (
    <>
      {whySaid(act.why)}
      <Link
        to="/p/$project/find/$held"
        params={{ project, held: String(act.revision) }}
        className={styles.act}
        title="The reason of what the same person did for the player within a quarter of an hour"
      >
        {deedOf(act)}
      </Link>
    </>
  );
}
