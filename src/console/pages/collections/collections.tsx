import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { collectionsQuery } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { classes } from '../../parts/classes.ts';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { fieldList } from '../../words/collection.ts';
import { fieldNames } from '../../words/document.ts';

/** The collections of a project. */
export function CollectionsPage() {
  const mayRead = useMay()('collections', 'r');
  return (
    <Page name="Collections" title="Collections" sub="What is stored: documents of players, and what all of them share.">
      <Card title="Collections">
        {mayRead ? <Collections /> : <Empty title="Your role does not see collections">An owner can give you one that does.</Empty>}
      </Card>
    </Page>
  );
}

const SHARED = 'global';

function Collections() {
  const view = useView();
  const read = useQuery(collectionsQuery(view));
  if (read.isPending) return <Waiting what="the collections" />;
  if (read.isError)
    return (
      <CardBody>
        <Failed error={read.error} again={() => void read.refetch()} />
      </CardBody>
    );
  if (read.data.length === 0)
    return (
      <Empty title="There is no collection yet">
        Make the first one under Definitions, or push a folder of files with <code>savepoint push</code>.
      </Empty>
    );
  return (
    <Table name="Collections" heads={['Collection', 'Holds', 'Fields']}>
      {read.data.map(({ id, name, collectionType, schema }) => (
        <tr key={id}>
          <td className={table.tight}>
            <Link to="/p/$project/collections/$collection" params={{ project: view.project, collection: id }}>
              {name || id}
            </Link>{' '}
            {name !== undefined && name !== id && <span className={table.mono}>{id}</span>}
          </td>
          <td className={table.tight}>{collectionType === SHARED ? 'what all share' : 'a document per player'}</td>
          <td className={classes(table.soft, table.wide)}>{fieldList(fieldNames(schema)) || 'no schema'}</td>
        </tr>
      ))}
    </Table>
  );
}
