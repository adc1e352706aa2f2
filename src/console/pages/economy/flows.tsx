import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { CSSProperties } from 'react';
import { type EconomyAsked, type EconomyFlow, type FlowsBy, flowsQuery } from '../../api/economy.ts';
import { useView } from '../../frame/view.ts';
import { classes } from '../../parts/classes.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import { Scroll } from '../../parts/scroll.tsx';
import table from '../../parts/table.module.css';
import { Toggles } from '../../parts/toggles.tsx';
import { amountText, sizeOf } from '../../words/amount.ts';
import { NO_ENDPOINT } from '../../words/economy.ts';
import styles from './economy.module.css';
import { EntriesLink } from './entries-link.tsx';

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
  const head = BY.find(([name]) => name === by)?.[1] ?? '';
  const csv = () => rows.map((row) => [nameOf(row, by), row.entries, row.inflow, row.outflow, row.faucet, row.sink]);
  return (
    <Card
      title="From where, and where to"
      actions={
        <span className={styles.heads}>
          <Toggles
            choices={BY}
            chosen={by}
            choose={(name) => void navigate({ search: (before) => ({ ...before, by: name === 'source' ? undefined : name }) })}
          />
          {read.isSuccess && rows.length > 0 && (
            <CsvButton
              name={[view.project, 'economy', asked.currency, `by-${by}`]}
              revision={read.data.revision}
              head={[by, 'entries', 'inflow', 'outflow', 'faucet', 'sink']}
              rows={csv}
            />
          )}
        </span>
      }
    >
      {read.isPending && <Waiting what="where it came from" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && rows.length === 0 && <Empty title="Nothing moved in these days">Choose other days above.</Empty>}
      {rows.length > 0 && <FlowTable asked={asked} rows={rows} by={by} head={head} />}
      {read.data?.isCut === true && <CardBody>There are more than are shown. Choose fewer days.</CardBody>}
    </Card>
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
    <Scroll name="Where it came from">
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col" className={table.number}>
              Entries
            </th>
            <th scope="col" className={table.number}>
              In
            </th>
            <th scope="col" className={table.number}>
              Out
            </th>
            <th scope="col" className={table.number} title="What came from nowhere">
              Faucet
            </th>
            <th scope="col" className={table.number} title="What went nowhere">
              Sink
            </th>
            <th scope="col" className={styles.barsHead}>
              <span className="visually-hidden">In and out as bars</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={nameOf(row, by)}>
              <td>{nameOf(row, by) || <span className={table.soft}>no endpoint: written directly</span>}</td>
              <td className={table.number}>
                <EntriesLink asked={{ ...asked, ...whereOf(row, by) }} count={row.entries} />
              </td>
              <td className={classes(table.number, sizeOf(row.inflow) > 0 && table.more)}>{amountText(row.inflow)}</td>
              <td className={classes(table.number, sizeOf(row.outflow) > 0 && table.less)}>{amountText(row.outflow)}</td>
              <td className={classes(table.number, table.soft)}>{amountText(row.faucet)}</td>
              <td className={classes(table.number, table.soft)}>{amountText(row.sink)}</td>
              <td aria-hidden="true">
                <Bars inflow={sizeOf(row.inflow) / most} outflow={sizeOf(row.outflow) / most} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
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
