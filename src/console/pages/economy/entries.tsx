import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type EconomyEntry, entriesQuery } from '../../api/economy.ts';
import { ofKind } from '../../api/reveal.ts';
import { OfNow, useMoment } from '../../frame/then.tsx';
import { useMay, useView } from '../../frame/view.ts';
import { classes } from '../../parts/classes.ts';
import { Card, Empty, More, NothingSoFar, Page, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { At } from '../../parts/time.tsx';
import { amountText, changeText } from '../../words/amount.ts';
import { whoOf } from '../../words/commit.ts';
import { type Period, periodOf } from '../../words/economy.ts';
import { className, entriesTitle } from '../../words/entries.ts';
import { comeTo } from '../../words/sums.ts';
import { isLess } from '../../words/value.ts';
import { PlayerLink } from '../named.tsx';
import { FailedOrAsked } from '../revealing.tsx';
import { CsvButton } from './csv-button.tsx';
import styles from './economy.module.css';

const route = getRouteApi('/signed-in/p/$project/economy/entries');
const CSV = [
  ...(['at', 'revision', 'player', 'collection', 'key', 'field', 'before', 'after', 'delta', 'source', 'endpoint', 'reason'] as const),
  ...(['eventId', 'by', 'why', 'ticket', 'button', 'part'] as const),
] as const;

function rowOf(entry: EconomyEntry) {
  const { why = { reason: undefined } } = entry;
  const told = {
    part: undefined,
    ...entry,
    by: byOf(entry),
    ticket: undefined,
    button: undefined,
    ...why,
    reason: entry.reason,
    why: why.reason,
  };
  return CSV.map((column) => told[column]);
}

function byOf({ actor, endpoint }: EconomyEntry): string {
  return whoOf({ actor: { ...actor, ...(endpoint === undefined ? {} : { endpoint }) } });
}

/** The entries of ledgers that a number of the economy is made of. */
export function EntriesPage() {
  const { project } = useView();
  const { currency = '', from, to, ...where } = route.useSearch();
  const mayRead = useMay()('economy', 'r');
  const { at, instead } = useMoment('time');
  const period = periodOf({ from, to }, at, Date.now());
  const { at: _, target: __, ...filter } = where;
  return (
    <Page
      name="Entries"
      title={<span className={styles.title}>{currency === '' ? 'Entries' : entriesTitle({ currency, ...filter })}</span>}
      sub={
        <>
          {instead === null &&
            `${filter.alarm === undefined ? '' : 'What it counted when it was raised. '}${daysSaid(period)}, UTC, the newest first. `}
          <Link to="/p/$project/economy" params={{ project }} search={{ currency, from, to }}>
            Back to the economy
          </Link>
        </>
      }
    >
      {instead === null && <OfNow>The economy is told by whole days: these are the entries up to the end of {period.to}.</OfNow>}
      {mayRead && currency === '' && (
        <Card title="Entries">
          <Empty title="Of which currency?">The page Economy names them; each of its sums and bars leads to its entries.</Empty>
        </Card>
      )}
      {mayRead && currency !== '' && (instead ?? <Entries asked={{ currency, ...period, ...filter }} />)}
      {!mayRead && (
        <Card title="Entries">
          <Empty title="Your role does not see what all players have">An owner can give you a role with the permission “economy”.</Empty>
        </Card>
      )}
    </Page>
  );
}

function daysSaid({ from, to }: Period): string {
  return from === to ? `On ${to}` : `From ${from} to ${to}`;
}

function Entries({ asked }: { readonly asked: Parameters<typeof entriesQuery>[1] }) {
  const view = useView();
  const list = useInfiniteQuery(entriesQuery(view, asked));
  if (list.isPending)
    return (
      <Card title="Entries">
        <Waiting what="the entries" />
      </Card>
    );
  if (list.isError)
    return <FailedOrAsked error={list.error} of={ofKind('currency', asked.currency)} whose="currency" again={() => void list.refetch()} />;
  const { pages } = list.data;
  const entries = pages.flatMap(({ body }) => body.entries);
  const hasOthers = pages.some(({ body }) => body.hasOthers === true);
  return (
    <Card
      title="Entries"
      actions={
        entries.length > 0 && (
          <CsvButton
            what="Entries"
            name={['economy', asked.currency, 'entries']}
            revision={pages[0]?.revision ?? 0}
            head={CSV}
            rows={() => entries.map(rowOf)}
          />
        )
      }
    >
      {entries.length === 0 &&
        (list.hasNextPage ? (
          <NothingSoFar />
        ) : (
          <Empty title="There is no such entry in these days">Choose other days, or take a filter away.</Empty>
        ))}
      {entries.length > 0 && (
        <Table
          name="Entries"
          className={styles.days}
          heads={[
            ...['When', 'Player', 'Field'],
            { name: 'Was', isNumber: true },
            { name: 'Change', isNumber: true },
            { name: 'Became', isNumber: true },
            ...(asked.class === undefined
              ? []
              : [{ name: className(asked.class), isNumber: true, title: 'How much of the change counts here' }]),
            ...['Source', 'By'],
            { name: 'Commit', isNumber: true },
          ]}
          foot={<SumRow entries={entries} isOfClass={asked.class !== undefined} hasMore={list.hasNextPage} />}
        >
          {entries.map((entry) => (
            <EntryRow key={entry.eventId} entry={entry} isOfClass={asked.class !== undefined} />
          ))}
        </Table>
      )}
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()}>
        {hasOthers && <span>Entries of sources beyond the 200 that a day tells apart are in the ledgers of the players alone.</span>}
        {entries.length > 0 && <span>CSV saves the {entries.length} that are shown.</span>}
      </More>
    </Card>
  );
}

interface SumRowProps {
  readonly entries: readonly EconomyEntry[];
  readonly isOfClass: boolean;
  readonly hasMore: boolean;
}

/** What the entries come to: once all of them are there, the number that they were opened from. */
function SumRow({ entries, isOfClass, hasMore }: SumRowProps) {
  const sums = comeTo(entries);
  if (sums === null) return null;
  const signed = [['+', sums.inflow] as const, ['−', sums.outflow] as const].filter(([, sum]) => sum !== '0');
  const said = <td className={table.number}>{signed.map(([sign, sum]) => `${sign}${amountText(sum)}`).join(' ') || '0'}</td>;
  const count = `${amountText(entries.length)} ${entries.length === 1 ? 'entry' : 'entries'}`;
  return (
    <tr>
      <th scope="row" colSpan={4}>
        {count} {hasMore ? 'so far' : 'in all'}
      </th>
      {!isOfClass && said}
      <td colSpan={isOfClass ? 2 : 1} />
      {isOfClass && said}
      <td colSpan={3} />
    </tr>
  );
}

function EntryRow({ entry, isOfClass }: { readonly entry: EconomyEntry; readonly isOfClass: boolean }) {
  const { project } = useView();
  const { revision, at, player, shared, collection, key, field, before, after, delta, part, source, reason, endpoint, actor, why } = entry;
  const who = byOf(entry);
  const isPerson = actor.kind === 'person';
  return (
    <tr>
      <td className={table.tight}>
        <At at={at} />
      </td>
      <td>
        {shared === true ? (
          <Link to="/p/$project/collections/$collection/$key" params={{ project, collection, key }} title="A document that all share">
            {key}
          </Link>
        ) : (
          <PlayerLink player={player} />
        )}
      </td>
      <td className={table.tight} title={key}>
        {collection}.{field}
      </td>
      <td className={table.number}>{amountText(before)}</td>
      <td className={classes(table.number, isLess(delta) ? table.less : table.more)}>{changeText(delta)}</td>
      <td className={table.number}>{amountText(after)}</td>
      {isOfClass && <td className={table.number}>{amountText(part)}</td>}
      <td className={table.wide}>
        {source} {reason !== undefined && <span className={table.soft}>“{reason}”</span>}
        {why !== undefined && <span className={table.soft}> {whyText(why, reason)}</span>}
      </td>
      <td className={table.tight}>
        {isPerson ? who : (endpoint ?? (who === player ? <span className={table.soft}>the player</span> : who))}
        {isPerson && endpoint !== undefined && <span className={table.soft}> by {endpoint}</span>}
      </td>
      <td className={table.number}>
        <Link to="/p/$project/find/$held" params={{ project, held: String(revision) }} aria-label={`What commit ${revision} was`}>
          {revision}
        </Link>
      </td>
    </tr>
  );
}

/** What whoever did it said beside the reason that stands in the entry. */
function whyText({ button, reason, ticket }: NonNullable<EconomyEntry['why']>, told: string | undefined): string {
  const parts = [
    ...(button === undefined ? [] : [`“${button}”`]),
    ...(reason === told ? [] : [`“${reason}”`]),
    ...(ticket === undefined ? [] : [ticket]),
  ];
  return parts.join(' · ');
}
