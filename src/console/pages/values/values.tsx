import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { valuesQuery } from '../../api/values.ts';
import { otherThan } from '../../api/view.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { NameFilter } from '../../parts/name-filter.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import { useStanding } from '../../parts/standing.ts';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { ofDefinition, ofValue } from '../../words/last-change.ts';
import { namedLike } from '../../words/named-like.ts';
import { type Listed, listedValues } from '../../words/sheet.ts';
import { useLastChange } from '../publishes/last-change.tsx';
import { NewValueDialog } from './new-value.tsx';

const route = getRouteApi('/signed-in/p/$project/values');

/** All groups and tables of game values. */
export function ValuesPage() {
  const view = useView();
  const mayDo = useMay();
  const [isMaking, setMaking] = useState(false);
  const mayAdd = mayDo('game_values', 'w') && view.at === undefined;
  return (
    <Page
      name="Values"
      title="Values"
      sub="Prices, chances and all that a game is tuned by: groups of named values, and tables."
      actions={mayAdd && <Button onClick={() => setMaking(true)}>New group or table…</Button>}
    >
      <Card title="Groups and tables">
        <ValueList />
      </Card>
      {isMaking && <NewValueDialog close={() => setMaking(false)} />}
    </Page>
  );
}

/** Groups and tables that are listed at once. */
const MOST = 200;

function ValueList() {
  const view = useView();
  const { find = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const other = otherThan(view.target);
  // All values once more: what differs is marked once the page stands.
  const isStanding = useStanding();
  const read = useQuery(valuesQuery(view));
  const beside = useQuery({ ...valuesQuery({ ...view, target: other }), enabled: isStanding && view.at === undefined });
  if (read.isPending) return <Waiting what="the values" />;
  if (read.isError)
    return (
      <CardBody>
        <Failed error={read.error} again={() => void read.refetch()} />
      </CardBody>
    );
  const all = listedValues(read.data.served, beside.data?.served ?? null);
  if (all.length === 0)
    return (
      <Empty title="This game has no values yet">
        Make a group for named values such as <code>shop › axe</code>, or a table of rows. Endpoints read them as{' '}
        <code>{'{{values.shop.axe}}'}</code>, and games at <code>/v3/values</code>.
      </Empty>
    );
  const found = namedLike(all, find);
  return (
    <>
      {(all.length > 8 || find !== '') && (
        <NameFilter find={find} change={(wanted) => void navigate({ search: (before) => ({ ...before, find: wanted }), replace: true })} />
      )}
      {found.length === 0 ? <Empty title={`Nothing is called “${find}”`} /> : <ValueTable values={found.slice(0, MOST)} />}
      {found.length > MOST && <CardBody>There are {found.length - MOST} more. Type more of the name.</CardBody>}
    </>
  );
}

const CHANGED = { name: 'Changed last', className: table.later };
const STATE = { name: 'State', isHidden: true, className: table.mark };

function ValueTable({ values }: { readonly values: readonly Listed[] }) {
  const { project, target } = useView();
  const lastOf = useLastChange();
  // Where all are kept in one place, no row need say so.
  const isElsewhere = values.some(({ collection }) => collection !== null);
  return (
    <Table name="Game values" heads={['Name', 'Holds', ...(isElsewhere ? ['Kept in'] : []), CHANGED, STATE]} folds>
      {values.map(({ id, name, kind, size, collection, isDifferent }) => (
        <tr key={`${kind} ${id}`}>
          <td>
            <Link to="/p/$project/values/$value" params={{ project, value: id }}>
              {name}
            </Link>{' '}
            {name !== id && <span className={table.mono}>{id}</span>}
          </td>
          <td className={table.tight}>
            {size} {kind === 'table' ? (size === 1 ? 'row' : 'rows') : size === 1 ? 'value' : 'values'}
          </td>
          {isElsewhere && <td data-head="Kept in">{collection === null ? 'game values' : `collection ${collection}`}</td>}
          <td data-head="Changed last:">{lastOf(collection === null ? ofValue(name) : ofDefinition('collection', collection))}</td>
          <td className={table.tight}>
            {isDifferent && <Chip tone="next">{target === 'live' ? 'staged otherwise' : 'differs from live'}</Chip>}
          </td>
        </tr>
      ))}
    </Table>
  );
}
