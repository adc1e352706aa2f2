import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type Look, type LooksAsked, looksQuery } from '../../api/looks.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Field } from '../../parts/field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, More, Page, Waiting } from '../../parts/page.tsx';
import { PeriodFields, usePeriod } from '../../parts/period.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { At } from '../../parts/time.tsx';
import { lookedAt } from '../../words/look.ts';
import styles from './looked.module.css';

const route = getRouteApi('/signed-in/p/$project/looked');

/** Which person looked at the data of which player. */
export function LookedPage() {
  const asked = route.useSearch();
  const navigate = route.useNavigate();
  const change = (search: LooksAsked) => void navigate({ search: (before) => ({ ...before, ...search }) });
  return (
    <Page
      name="Who looked"
      title="Who looked"
      sub="Whatever people are shown of one player is recorded before they see it: who, whose, what, once a minute. What games read is not."
    >
      <Card title="Looks">
        {useMay()('access', 'r') ? (
          <>
            <Filters key={JSON.stringify(asked)} asked={asked} change={change} />
            <Looks asked={asked} change={change} />
          </>
        ) : (
          <Empty title="Your role does not see who looked">
            Auditors and owners do. An owner can give you a role with the permission “access”.
          </Empty>
        )}
      </Card>
    </Page>
  );
}

interface NarrowProps {
  readonly asked: LooksAsked;
  readonly change: (asked: LooksAsked) => void;
}

function Filters({ asked, change }: NarrowProps) {
  const [player, setPlayer] = useState(asked.player ?? '');
  const period = usePeriod(asked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (period.asked !== null) change({ player: player.trim() || undefined, ...period.asked });
  };
  return (
    <form className={styles.filters} onSubmit={submit} aria-label="Filters">
      <Field label="Player" value={player} placeholder="any" onChange={({ target }) => setPlayer(target.value)} />
      <PeriodFields period={period} />
      <Button type="submit" disabled={period.asked === null}>
        Filter
      </Button>
      {asked.person !== undefined && <Button onClick={() => change({ person: undefined })}>Of everybody</Button>}
    </form>
  );
}

function Looks({ asked, change }: NarrowProps) {
  const { project } = useView();
  const list = useInfiniteQuery(looksQuery(project, asked));
  if (list.isPending) return <Waiting what="who looked" />;
  if (list.isError) return <Failed error={list.error} again={() => void list.refetch()} />;
  const looks = list.data.pages.flatMap((page) => page.looks);
  const isNarrowed = Object.values(asked).some((value) => value !== undefined);
  return (
    <>
      {looks.length > 0 && <LooksTable looks={looks} change={change} />}
      {looks.length === 0 &&
        !list.hasNextPage &&
        (isNarrowed ? (
          <Empty title="Nobody looked">
            Take a filter away, or ask for a longer time. Lists that show many players at once stand under no player.
          </Empty>
        ) : (
          <Empty title="Nobody has looked at a player yet">The first look is recorded when somebody opens a player’s page.</Empty>
        ))}
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} />
    </>
  );
}

function LooksTable({ looks, change }: { readonly looks: readonly Look[]; readonly change: NarrowProps['change'] }) {
  const { project } = useView();
  return (
    <Table name="Looks" heads={['When', 'Who', 'Whose', 'Saw']}>
      {looks.map(({ revision, at, person, name, player, page, reason }) => (
        <tr key={revision}>
          <td className={table.tight}>
            <At at={at} />
          </td>
          <td>
            <Button
              look="quiet"
              isSmall
              className={styles.person}
              onClick={() => change({ person })}
              aria-label={`Only looks of ${name ?? person}`}
            >
              {name ?? person}
            </Button>
          </td>
          <td className={table.mono}>
            {player === undefined ? (
              'of many'
            ) : (
              <Link to="/p/$project/players/$player" params={{ project, player }}>
                {player}
              </Link>
            )}
          </td>
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
