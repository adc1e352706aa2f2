import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type EconomyAsked, type MoversBy, moversQuery } from '../../api/economy.ts';
import { useView } from '../../frame/view.ts';
import { classes } from '../../parts/classes.ts';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { changeText, sizeOf } from '../../words/amount.ts';
import { type Called, CalledSo } from '../called.tsx';
import { HeldLink, PlayerLink } from '../named.tsx';
import { EntriesLink, SumLink } from './entries-link.tsx';
import { MovedCard, useBelow } from './moved-card.tsx';

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
  const data = useBelow(read);
  const rows = data?.rows ?? [];
  const names: Called = new Map(Object.entries(read.data?.called ?? {}));
  return (
    <MovedCard
      title="Top movers"
      currency={asked.currency}
      choices={ORDERS}
      chosen={order}
      choose={(name) => void navigate({ search: (before) => ({ ...before, order: name === 'net' ? undefined : name }) })}
      read={read}
      data={data}
      csv={{
        what: 'Players',
        name: `movers-${order}`,
        head: ['player', 'entries', 'inflow', 'outflow', 'net'],
        row: ({ player, entries, inflow, outflow, net }) => [player, entries, inflow, outflow, net],
      }}
      empty="Nobody moved any of it in these days"
      cut={
        <>
          These are the first {rows.length}. <code>savepoint economy --by player</code> lists more.
        </>
      }
    >
      <Table
        name="Top movers"
        heads={[
          'Player',
          { name: 'Entries', isNumber: true },
          { name: 'In', isNumber: true },
          { name: 'Out', isNumber: true },
          { name: 'Net', isNumber: true },
        ]}
      >
        {rows.map(({ player, shared, entries, inflow, outflow, net }) => (
          <tr key={player}>
            <td>
              {shared === true ? (
                <HeldLink held={player} />
              ) : (
                <CalledSo names={names}>
                  <PlayerLink player={player} />
                </CalledSo>
              )}
            </td>
            <td className={table.number}>
              <EntriesLink asked={{ ...asked, player }} count={entries} />
            </td>
            <td className={table.number}>
              <SumLink asked={{ ...asked, player, direction: 'in' }} sum={inflow} />
            </td>
            <td className={table.number}>
              <SumLink asked={{ ...asked, player, direction: 'out' }} sum={outflow} />
            </td>
            <td className={classes(table.number, sizeOf(net) < 0 ? table.less : table.more)}>
              <SumLink asked={{ ...asked, player }} sum={net} text={changeText(net)} />
            </td>
          </tr>
        ))}
      </Table>
    </MovedCard>
  );
}
