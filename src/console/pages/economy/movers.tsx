import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type EconomyAsked, type MoversBy, moversQuery } from '../../api/economy.ts';
import { useView } from '../../frame/view.ts';
import { classes } from '../../parts/classes.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import { Scroll } from '../../parts/scroll.tsx';
import table from '../../parts/table.module.css';
import { Toggles } from '../../parts/toggles.tsx';
import { amountText, changeText, sizeOf } from '../../words/amount.ts';
import { PlayerLink } from '../commits.tsx';
import styles from './economy.module.css';
import { EntriesLink } from './entries-link.tsx';

const route = getRouteApi('/signed-in/p/$project/economy/');

const ORDERS: readonly (readonly [MoversBy, string])[] = [
  ['net', 'Gained most'],
  ['inflow', 'Got most'],
  ['outflow', 'Gave most'],
];

/** Who moved most of a currency. */
export function Movers({ asked }: { readonly asked: EconomyAsked }) {
  const view = useView();
  const { order = 'net' } = route.useSearch();
  const navigate = route.useNavigate();
  const read = useQuery(moversQuery(view, asked, order));
  const rows = read.data?.rows ?? [];
  return (
    <Card
      title="Top movers"
      actions={
        <span className={styles.heads}>
          <Toggles
            choices={ORDERS}
            chosen={order}
            choose={(name) => void navigate({ search: (before) => ({ ...before, order: name === 'net' ? undefined : name }) })}
          />
          {read.isSuccess && rows.length > 0 && (
            <CsvButton
              name={[view.project, 'economy', asked.currency, `movers-${order}`]}
              revision={read.data.revision}
              head={['player', 'entries', 'inflow', 'outflow', 'net']}
              rows={() => rows.map(({ player, entries, inflow, outflow, net }) => [player, entries, inflow, outflow, net])}
            />
          )}
        </span>
      }
    >
      {read.isPending && <Waiting what="who moved most" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && rows.length === 0 && <Empty title="Nobody moved any of it in these days">Choose other days above.</Empty>}
      {rows.length > 0 && (
        <Scroll name="Top movers">
          <table className={table.table}>
            <thead>
              <tr>
                <th scope="col">Player</th>
                <th scope="col" className={table.number}>
                  Entries
                </th>
                <th scope="col" className={table.number}>
                  In
                </th>
                <th scope="col" className={table.number}>
                  Out
                </th>
                <th scope="col" className={table.number}>
                  Net
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ player, entries, inflow, outflow, net }) => (
                <tr key={player}>
                  <td>
                    <PlayerLink player={player} />
                  </td>
                  <td className={table.number}>
                    <EntriesLink asked={{ ...asked, player }} count={entries} />
                  </td>
                  <td className={table.number}>{amountText(inflow)}</td>
                  <td className={table.number}>{amountText(outflow)}</td>
                  <td className={classes(table.number, sizeOf(net) < 0 ? table.less : table.more)}>{changeText(net)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {read.data?.isCut === true && (
        <CardBody>
          These are the first {rows.length}. <code>savepoint economy --by player</code> lists more.
        </CardBody>
      )}
    </Card>
  );
}
