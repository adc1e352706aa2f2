import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { CSSProperties } from 'react';
import { type EconomyAsked, type EconomyFlow, type FlowsBy, flowsQuery } from '../../api/economy.ts';
import { useView } from '../../frame/view.ts';
import { classes } from '../../parts/classes.ts';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { amountText, sizeOf } from '../../words/amount.ts';
import { NO_ENDPOINT } from '../../words/economy.ts';
import styles from './economy.module.css';
import { EntriesLink, SumLink } from './entries-link.tsx';
import { MovedCard } from './moved-card.tsx';

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
  const rows = (read.data?.rows ?? []).toSorted((a, b) => moved(b) - moved(a));
  return (
    <MovedCard
      title="From where, and where to"
      currency={asked.currency}
      choices={BY}
      chosen={by}
      choose={(name) => void navigate({ search: (before) => ({ ...before, by: name === 'source' ? undefined : name }) })}
      read={read}
      csv={{
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
          <td className={classes(table.number, table.soft)}>{amountText(row.faucet)}</td>
          <td className={classes(table.number, table.soft)}>{amountText(row.sink)}</td>
          <td aria-hidden="true">
            <Bars inflow={sizeOf(row.inflow) / most} outflow={sizeOf(row.outflow) / most} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Bars({ inflow, outflow }: { readonly inflow: number; readonly outflow: number }) {
  return (
    <span className={styles.bars}>
      <span className={styles.barIn} style={{ '--part': inflow } as CSSProperties} />
      <span className={styles.barOut} style={{ '--part': outflow } as CSSProperties} />
    </span>
  );
}
