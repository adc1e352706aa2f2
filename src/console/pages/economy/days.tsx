import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { daysQuery, type EconomyAsked, type EconomyDay } from '../../api/economy.ts';
import { useView } from '../../frame/view.ts';
import { Chip } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import { Plot } from '../../parts/plot.tsx';
import type { PlotSeries } from '../../parts/plot-series.ts';
import { useDrawn } from '../../parts/standing.ts';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { amountText, sizeOf } from '../../words/amount.ts';
import { checkOf, percent } from '../../words/sums.ts';
import { CsvButton } from './csv-button.tsx';
import styles from './economy.module.css';
import { EntriesLink, SumLink } from './entries-link.tsx';
import { PublishedInDays, usePublished } from './published.tsx';

const route = getRouteApi('/signed-in/p/$project/economy/');
const CSV = [
  ...(['currency', 'day', 'opening', 'inflow', 'outflow', 'closing', 'faucet', 'sink', 'transfer', 'correctedIn', 'correctedOut'] as const),
  ...(['entries', 'holders', 'active'] as const),
];

/** The days of a currency as plots, and as the sum that an auditor follows line by line. */
export function Days({ asked }: { readonly asked: EconomyAsked }) {
  const read = useQuery(daysQuery(useView(), asked));
  const published = usePublished(asked);
  if (read.isPending)
    return (
      <Card title="By day">
        <Waiting what="the days" />
      </Card>
    );
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  const { rows, revision, isCut } = read.data;
  const name = ['economy', asked.currency, 'days'];
  return (
    <>
      <Plots days={rows} marks={published.marks} />
      <PublishedInDays published={published} days={rows} />
      <Card
        title="Day by day"
        actions={
          <span className={styles.heads}>
            <Adds days={rows} />
            {rows.length > 0 && (
              <CsvButton
                what="Days"
                name={name}
                revision={revision}
                head={CSV}
                rows={() => rows.map((day) => CSV.map((column) => day[column]))}
              />
            )}
          </span>
        }
      >
        {rows.length === 0 ? <Empty title="Nothing moved in these days">Choose other days above.</Empty> : <DayTable days={rows} />}
        {isCut && <CardBody>There are earlier days in this period. Choose fewer.</CardBody>}
      </Card>
    </>
  );
}

/** Whether the days add up, worked out here from what stands in the table. */
function Adds({ days }: { readonly days: readonly EconomyDay[] }) {
  if (days.length === 0) return null;
  const { isRight, wrong } = checkOf(days);
  if (!isRight) return <Chip tone="bad">{wrong} does not add up: run savepoint verify</Chip>;
  return (
    <Chip
      tone="live"
      title="Opening + in − out = closing on every day, and each day opens with what the one before closed with. Worked out here, to the last digit."
    >
      adds up on each of {days.length} {days.length === 1 ? 'day' : 'days'}
    </Chip>
  );
}

function Plots({ days, marks }: { readonly days: readonly EconomyDay[]; readonly marks: readonly number[] }) {
  const { project } = useView();
  const navigate = route.useNavigate();
  const leave = useNavigate();
  const plotted = useMemo(() => plottedOf(days), [days]);
  if (days.length === 0) return null;
  const open = (place: number) => {
    const day = plotted.days[place];
    if (day !== undefined) void navigate({ search: (before) => ({ ...before, from: day, to: day }) });
  };
  const openEntries = (place: number, isAbove: boolean) => {
    const day = plotted.days[place];
    if (day === undefined) return;
    const search = { currency: days[0]?.currency, from: day, to: day, direction: isAbove ? ('in' as const) : ('out' as const) };
    void leave({ to: '/p/$project/economy/entries', params: { project }, search });
  };
  const along = { times: plotted.times, along: 'days', marks, marked: 'Made live' } as const;
  return (
    <div className={styles.plots}>
      <Card title="Supply at the day’s end">
        <CardBody>
          <Plot name="Supply by day" series={plotted.supply} open={open} {...along} />
        </CardBody>
      </Card>
      <Card title="In and out">
        <CardBody>
          <Plot name="In and out by day" series={plotted.flows} open={openEntries} {...along} />
        </CardBody>
      </Card>
    </div>
  );
}

function plottedOf(newestFirst: readonly EconomyDay[]) {
  const days = newestFirst.toReversed();
  const valuesOf = (of: (day: EconomyDay) => number) => days.map(of);
  const supply: readonly PlotSeries[] = [
    { name: 'Supply', colour: 'accent', as: 'line', values: valuesOf(({ closing }) => sizeOf(closing)) },
  ];
  const flows: readonly PlotSeries[] = [
    { name: 'In', colour: 'more', as: 'bars', values: valuesOf(({ inflow }) => sizeOf(inflow)) },
    { name: 'Out', colour: 'less', as: 'bars', values: valuesOf(({ outflow }) => -sizeOf(outflow)) },
  ];
  return { days: days.map(({ day }) => day), times: days.map(({ day }) => Date.parse(day) / 1000), supply, flows };
}

const HEADS = [
  'Day',
  { name: 'Entries', isNumber: true },
  { name: 'Opening', isNumber: true },
  { name: '+ In', isNumber: true },
  { name: '− Out', isNumber: true },
  { name: '= Closing', isNumber: true },
  { name: 'Faucet', isNumber: true, title: 'What came from nowhere: quests, shops that pay, gifts' },
  { name: 'Sink', isNumber: true, title: 'What went nowhere: prices, fees' },
  { name: 'Transfer', isNumber: true, title: 'What went from one place to another within a commit' },
  { name: 'Corrected', isNumber: true, title: 'By restores, undos, grants, imports and corrections: apart from play' },
  { name: 'Richest 1 %', isNumber: true, title: 'What the richest hundredth of all who have some had at the day’s end' },
] as const;

/** Below the plots, which take most of the screen. */
const SCREEN = 10;

function DayTable({ days }: { readonly days: readonly EconomyDay[] }) {
  const drawn = useDrawn(days, SCREEN);
  return (
    <Table name="Days" heads={HEADS} className={styles.days}>
      {drawn.map((day) => (
        <DayRow key={day.day} day={day} />
      ))}
    </Table>
  );
}

function DayRow({ day }: { readonly day: EconomyDay }) {
  const { project } = useView();
  const { currency, day: date, entries, opening, inflow, outflow, closing, faucet, sink, transfer, correctedIn, correctedOut, top } = day;
  const asked = { currency, from: date, to: date };
  return (
    <tr>
      <td className={table.tight}>
        <Link
          to="/p/$project/economy"
          params={{ project }}
          search={{ currency, from: date, to: date }}
          aria-label={`What ${date} is made of`}
        >
          {date}
        </Link>
      </td>
      <td className={table.number}>
        <EntriesLink asked={asked} count={entries} />
      </td>
      <td className={table.number}>{amountText(opening)}</td>
      <td className={classes(table.number, sizeOf(inflow) > 0 && table.more)}>
        <SumLink asked={{ ...asked, direction: 'in' }} sum={inflow} />
      </td>
      <td className={classes(table.number, sizeOf(outflow) > 0 && table.less)}>
        <SumLink asked={{ ...asked, direction: 'out' }} sum={outflow} />
      </td>
      <td className={classes(table.number, styles.closing)}>{amountText(closing)}</td>
      <td className={classes(table.number, table.soft)}>
        <SumLink asked={{ ...asked, class: 'faucet' }} sum={faucet} />
      </td>
      <td className={classes(table.number, table.soft)}>
        <SumLink asked={{ ...asked, class: 'sink' }} sum={sink} />
      </td>
      <td className={classes(table.number, table.soft)}>
        <SumLink asked={{ ...asked, class: 'transfer' }} sum={transfer} />
      </td>
      <td className={classes(table.number, table.soft)}>
        {sizeOf(correctedIn) === 0 && sizeOf(correctedOut) === 0 ? (
          '–'
        ) : (
          <>
            {sizeOf(correctedIn) > 0 && (
              <SumLink asked={{ ...asked, class: 'correction', direction: 'in' }} sum={correctedIn} text={`+${amountText(correctedIn)}`} />
            )}{' '}
            {sizeOf(correctedOut) > 0 && (
              <SumLink
                asked={{ ...asked, class: 'correction', direction: 'out' }}
                sum={correctedOut}
                text={`−${amountText(correctedOut)}`}
              />
            )}
          </>
        )}
      </td>
      <td className={classes(table.number, table.soft)}>{top === null ? '–' : percent(top.share)}</td>
    </tr>
  );
}
