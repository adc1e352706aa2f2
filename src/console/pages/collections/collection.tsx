import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type DocumentList, documentsQuery, type ListedDocument } from '../../api/collections.ts';
import { type Collection, collectionsQuery } from '../../api/queries.ts';
import { OfNow } from '../../frame/then.tsx';
import { useMay, useMayCorrect, useMayReadDocuments, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { codeOf } from '../../parts/code.ts';
import { Later } from '../../parts/later.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, More, Page, Waiting } from '../../parts/page.tsx';
import { Scroll } from '../../parts/scroll.tsx';
import table from '../../parts/table.module.css';
import { Ago } from '../../parts/time.tsx';
import { cellText, isNumeric, MASK, orderOf } from '../../words/collection.ts';
import { PlayerLink } from '../named.tsx';
import { NoDocuments } from '../no-documents.tsx';
import { Reveal } from '../revealing.tsx';
import styles from './collections.module.css';
import { ExportButton } from './export.tsx';
import { Columns, Which } from './which.tsx';

const route = getRouteApi('/signed-in/p/$project/collections/$collection');

const MAKE = codeOf('make', () => import('../player/make.tsx').then((module) => module.MakeDialog));

/** The documents of a collection, in an order that an index keeps. */
export function CollectionPage() {
  const { collection } = route.useParams();
  const asked = route.useSearch();
  const view = useView();
  const mayDo = useMay();
  const all = useQuery({ ...collectionsQuery(view), enabled: mayDo('collections', 'r') });
  const found = all.data?.find(({ id }) => id === collection);
  const name = found?.name || collection;
  const mayRead = useMayReadDocuments();
  return (
    <Page
      name={name}
      title={name}
      sub={
        <Link to="/p/$project/collections" params={{ project: view.project }}>
          All collections
        </Link>
      }
      actions={
        mayRead && (
          <>
            {found !== undefined && <Make collection={found} />}
            <Reveal collection={collection} />
            <ExportButton collection={collection} asked={asked} />
          </>
        )
      }
    >
      <OfNow>
        The list is always of now: which documents there were, and in which order, no index keeps for a moment of the past. A document that
        you open is as it was then; one that was deleted since is found by its key, from its player.
      </OfNow>
      {mayRead ? (
        <Documents key={`${view.project} ${collection}`} collection={collection} />
      ) : (
        <Card title="Documents">
          <NoDocuments />
        </Card>
      )}
    </Page>
  );
}

/** Offers to make a document. */
function Make({ collection }: { readonly collection: Collection }) {
  const mayCorrect = useMayCorrect();
  const [isMaking, setMaking] = useState(false);
  if (!mayCorrect) return null;
  return (
    <>
      <Button onClick={() => setMaking(true)}>Make a document…</Button>
      {isMaking && <Later code={MAKE} props={{ collections: [collection], player: null, close: () => setMaking(false) }} />}
    </>
  );
}

function Documents({ collection }: { readonly collection: string }) {
  const asked = route.useSearch();
  const navigate = route.useNavigate();
  const view = useView();
  const { project } = view;
  const list = useInfiniteQuery(documentsQuery(view, collection, asked));
  if (list.isPending)
    return (
      <Card title="Documents">
        <Waiting what="the documents" />
      </Card>
    );
  if (list.isError)
    return (
      <>
        <Failed error={list.error} again={() => void list.refetch()} />
        <p>
          <Link to="/p/$project/collections/$collection" params={{ project, collection }}>
            Show the collection by key, without filters
          </Link>
        </p>
      </>
    );
  const [first] = list.data.pages;
  if (first === undefined) return null;
  const documents = list.data.pages.flatMap((page) => page.documents);
  const columns = [...new Set(list.data.pages.flatMap((page) => page.columns))];
  const choose = (names: readonly string[] | undefined) =>
    void navigate({ search: (before) => ({ ...before, columns: names?.join(',') }), replace: true });
  return (
    <Card title="Documents" actions={<Columns list={first} chosen={columns} choose={choose} />}>
      <Which key={JSON.stringify(asked)} list={first} asked={asked} />
      <div aria-busy={list.isPlaceholderData}>
        {documents.length === 0 ? (
          <Nothing list={first} hasMore={list.hasNextPage} />
        ) : (
          <Rows list={first} documents={documents} columns={columns} />
        )}
      </div>
      <More
        hasMore={list.hasNextPage}
        isLoading={list.isFetchingNextPage}
        load={() => void list.fetchNextPage()}
        label="Show further documents"
      >
        {documents.length > 0 && !list.hasNextPage && (
          <span>That is all{asked.by === undefined && isPlain(asked) ? '' : ' that is asked for'}.</span>
        )}
      </More>
    </Card>
  );
}

function isPlain({ from, to, begins, is }: ReturnType<typeof route.useSearch>): boolean {
  return [from, to, begins, is].every((each) => each === undefined);
}

function Nothing({ list, hasMore }: { readonly list: DocumentList; readonly hasMore: boolean }) {
  const asked = route.useSearch();
  if (hasMore) return <Empty title="Nothing in the part that was looked at">It holds what was deleted since. Go on below.</Empty>;
  if (asked.is !== undefined) return <Empty title={`No document has the ${list.by} “${asked.is}”`}>The value counts whole.</Empty>;
  if (!isPlain(asked)) return <Empty title="There is no such document">Choose other bounds, or take them away.</Empty>;
  if (list.orders.some(({ by, kind }) => by === list.by && kind === 'number'))
    return <Empty title={`No document has the number ${list.by}`}>By key, all documents are listed.</Empty>;
  return <Empty title="There is no document yet">The first one comes with the first write of a game, a server or support.</Empty>;
}

interface RowsProps {
  readonly list: DocumentList;
  readonly documents: readonly ListedDocument[];
  readonly columns: readonly string[];
}

function Rows({ list, documents, columns }: RowsProps) {
  const asked = route.useSearch();
  const isGlobal = list.type === 'global';
  const numeric = new Set(columns.filter((column) => isNumeric(documents.map(({ cells }) => cells[column]))));
  const sorted = asked.is === undefined ? list.by : '';
  const ariaSort = (by: string) => (by === sorted ? (list.order === 'asc' ? 'ascending' : 'descending') : undefined);
  const isOrder = (by: string) => orderOf(list.orders, by, undefined) !== undefined;
  const next = (by: string) => (by !== sorted ? undefined : list.order === 'asc' ? ('desc' as const) : ('asc' as const));
  const head = (by: string, name: string) =>
    isOrder(by) ? (
      <Link
        to="."
        className={styles.sort}
        title={`Order by ${name}`}
        search={(before) => ({
          ...before,
          by: by === '_key' ? undefined : by,
          order: next(by),
          from: undefined,
          to: undefined,
          begins: undefined,
          is: undefined,
        })}
      >
        {name}
        {by === sorted && <span aria-hidden="true">{list.order === 'asc' ? ' ↑' : ' ↓'}</span>}
      </Link>
    ) : (
      name
    );
  return (
    <Scroll name="Documents of the collection">
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col" aria-sort={ariaSort('_key')}>
              {head('_key', 'Key')}
            </th>
            {isGlobal && <th scope="col">By</th>}
            {columns.map((column) => (
              <th key={column} scope="col" className={numeric.has(column) ? table.number : undefined} aria-sort={ariaSort(column)}>
                {head(column, column)}
              </th>
            ))}
            <th scope="col" className={table.number}>
              Version
            </th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {documents.map((document) => (
            <Row key={document.key} list={list} document={document} columns={columns} numeric={numeric} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface RowProps {
  readonly list: DocumentList;
  readonly document: ListedDocument;
  readonly columns: readonly string[];
  readonly numeric: ReadonlySet<string>;
}

function Row({ list: { type, collection }, document: { key, player, version, updatedAt, cells }, columns, numeric }: RowProps) {
  const { project } = useView();
  return (
    <tr>
      <td className={styles.key}>
        {type === 'global' || player === undefined ? (
          <Link to="/p/$project/collections/$collection/$key" params={{ project, collection, key }}>
            {key}
          </Link>
        ) : (
          <Link to="/p/$project/players/$player/documents/$collection/$key" params={{ project, player, collection, key }}>
            {key}
          </Link>
        )}
      </td>
      {type === 'global' && <td>{player !== undefined && <PlayerLink player={player} />}</td>}
      {columns.map((column) => {
        if (!Object.hasOwn(cells, column))
          return (
            <td key={column} className={numeric.has(column) ? table.number : table.soft}>
              –
            </td>
          );
        const { text, whole } = cellText(cells[column]);
        return (
          <td
            key={column}
            className={numeric.has(column) ? table.number : text === MASK ? table.soft : styles.cell}
            title={whole === text ? undefined : whole}
          >
            {text}
          </td>
        );
      })}
      <td className={table.number}>{version}</td>
      <td className={table.tight}>
        <Ago at={updatedAt} />
      </td>
    </tr>
  );
}
