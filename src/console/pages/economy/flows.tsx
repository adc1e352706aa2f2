import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { CSSProperties } from 'react';
import { type EconomyAsked, type EconomyFlow, type EntriesAsked, type FlowsBy, flowsQuery } from '../../api/economy.ts';
import { useView } from '../../frame/view.ts';
import { classes } from '../../parts/classes.ts';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { sizeOf } from '../../words/amount.ts';
import { NO_ENDPOINT } from '../../words/economy.ts';
import { entriesTitle } from '../../words/entries.ts';
import styles from './economy.module.css';
import { EntriesLink, SumLink } from './entries-link.tsx';
import { MovedCard, useBelow } from './moved-card.tsx';

const route = getRouteApi('/signed-in/p/$project/economy/');

const BY: readonly (readonly [FlowsBy, string])[] = [
  ['source', 'Source'],
  ['endpoint', 'Endpoint'],
  ['field', 'Field'],
];

/** Where a currency came from and where it went. */
export function Flows({ asked }: { readonly asked: EconomyAsked }) {
  const view = useView();
  const { by = 'source' } = route.useSearch();
  const navigate = route.useNavigate();
  const read = useQuery(flowsQuery(view, asked, by));
  const data = useBelow(read);
  const rows = (data?.rows ?? []).toSorted((a, b) => moved(b) - moved(a));
  return (
    <MovedCard
      title="From where, and where to"
      currency={asked.currency}
      choices={BY}
      chosen={by}
      choose={(name) => void navigate({ search: (before) => ({ ...before, by: name === 'source' ? undefined : name }) })}
      read={read}
      data={data}
      csv={{
        what: `${BY.find(([name]) => name === by)?.[1] ?? ''}s`,
        name: `by-${by}`,
        head: [by, 'entries', 'inflow', 'outflow', 'faucet', 'sink'],
        row: (row) => [nameOf(row, by), row.entries, row.inflow, row.outflow, row.faucet, row.sink],
      }}
      empty="Nothing moved in these days"
      cut="There are more than are shown. Choose fewer days."
    >
      <FlowTable asked={asked} rows={rows} by={by} head={BY.find(([name]) => name === by)?.[1] ?? ''} />
    </MovedCard>
  );
}

function moved({ inflow, outflow }: EconomyFlow): number {
  return sizeOf(inflow) + sizeOf(outflow);
}

/** What a row is of, as files have it. */
function nameOf({ source, endpoint, collection, field }: EconomyFlow, by: FlowsBy): string {
  if (by === 'field') return `${collection}.${field}`;
  return (by === 'source' ? source : endpoint) ?? '';
}

/** The entries that a row is of. */
function whereOf({ source, endpoint, collection, field }: EconomyFlow, by: FlowsBy) {
  if (by === 'field') return { collection, field };
  return by === 'source' ? { source } : { endpoint: endpoint || NO_ENDPOINT };
}

interface FlowTableProps {
  readonly asked: EconomyAsked;
  readonly rows: readonly EconomyFlow[];
  readonly by: FlowsBy;
  readonly head: string;
}

function FlowTable({ asked, rows, by, head }: FlowTableProps) {
  const most = Math.max(...rows.flatMap(({ inflow, outflow }) => [sizeOf(inflow), sizeOf(outflow)]), 1);
  return (
    <Table
      name="Where it came from"
      heads={[
        head,
        { name: 'Entries', isNumber: true },
        { name: 'In', isNumber: true },
        { name: 'Out', isNumber: true },
        { name: 'Faucet', isNumber: true, title: 'What came from nowhere' },
        { name: 'Sink', isNumber: true, title: 'What went nowhere' },
        { name: 'In and out as bars', isHidden: true, className: styles.barsHead },
      ]}
    >
      {rows.map((row) => (
        <tr key={nameOf(row, by)}>
          <td>{nameOf(row, by) || <span className={table.soft}>no endpoint: written directly</span>}</td>
          <td className={table.number}>
            <EntriesLink asked={{ ...asked, ...whereOf(row, by) }} count={row.entries} />
          </td>
          <td className={classes(table.number, sizeOf(row.inflow) > 0 && table.more)}>
            <SumLink asked={{ ...asked, ...whereOf(row, by), direction: 'in' }} sum={row.inflow} />
          </td>
          <td className={classes(table.number, sizeOf(row.outflow) > 0 && table.less)}>
            <SumLink asked={{ ...asked, ...whereOf(row, by), direction: 'out' }} sum={row.outflow} />
          </td>
          <td className={classes(table.number, table.soft)}>
            <SumLink asked={{ ...asked, ...whereOf(row, by), class: 'faucet' }} sum={row.faucet} />
          </td>
          <td className={classes(table.number, table.soft)}>
            <SumLink asked={{ ...asked, ...whereOf(row, by), class: 'sink' }} sum={row.sink} />
          </td>
          <td aria-hidden="true">
            <span className={styles.bars}>
              <Bar asked={{ ...asked, ...whereOf(row, by), direction: 'in' }} part={sizeOf(row.inflow) / most} />
              <Bar asked={{ ...asked, ...whereOf(row, by), direction: 'out' }} part={sizeOf(row.outflow) / most} />
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Opens the entries that it is of. Whoever goes by keys or listens has them at the sum beside it. */
function Bar({ asked, part }: { readonly asked: EntriesAsked; readonly part: number }) {
  const { project } = useView();
  return (
    <Link
      to="/p/$project/economy/entries"
      params={{ project }}
      search={{ ...asked }}
      tabIndex={-1}
      className={asked.direction === 'in' ? styles.barIn : styles.barOut}
      style={{ '--part': part } as CSSProperties}
      title={`The ${entriesTitle(asked)}`}
    />
  );
}
