import type * as contract from '../../contract/answers.ts';
import { READ_DOCUMENTS } from '../../contract/credentials.ts';
import { CELL_LENGTH, LIST_COLUMNS } from '../../contract/routes/document-list.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { collectionIn } from '../../domain/access/next.ts';
import { noSuch } from '../../domain/access/refusals.ts';
import { cellsOf } from '../../domain/document/cells.ts';
import type { CollectionModel } from '../../domain/model.ts';
import type { Personal } from '../../domain/personal/fields.ts';
import { masked } from '../../domain/personal/mask.ts';
import { collectionSubject, DEFINITIONS } from '../../domain/subjects.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { accessAt, requireNeed } from '../access.ts';
import type { CollectionAddress, ManageAnswer, Positioned } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf, viewsReached } from '../context.ts';
import { momentOf } from '../past/moment.ts';
import type { Past } from '../past/past.ts';
import type { WalkedDocument, WalkedPage } from '../ports/documents.ts';
import type { Project } from '../project/project.ts';
import { building } from './building.ts';
import { type Exported, type ExportFormat, exportedTexts, exportName, ownerOf } from './document-export.ts';
import { firstColumns, type ListOrder, leavesOf, listOrders } from './list-orders.ts';
import { boundsOf, type WalkAsked, walkOf } from './list-walk.ts';
import { boardQuery } from './query-boards.ts';
import { documentOf } from './query-runs.ts';
import { claimsOf } from './unique-lookup.ts';

/** Documents of a collection as rows of a table, in an order that an index keeps. */
export interface DocumentLists {
  /**
   * `hidden`: what is masked for whoever asks; `null`: nothing. Throws 400 `INVALID_REQUEST` for what no index keeps, 404 `NOT_FOUND`, 503
   * `BUILDING` and `BEHIND`.
   */
  list(caller: Caller, at: CollectionAddress, query: ListQuery, hidden: Personal | null): Promise<ManageAnswer<contract.DocumentList>>;
  /**
   * All documents, or those within bounds, as of one revision. `hidden`: what is masked just then. `check` is called now and then, and
   * throws once whoever asks may not go on. Throws as {@link list} does, and 503 `BUSY` while the project has an export under way.
   */
  export(
    caller: Caller,
    at: CollectionAddress,
    query: ExportQuery,
    hidden: () => Personal | null,
    check: () => Promise<void>,
  ): Promise<DocumentExport>;
}

interface ExportQuery extends Pick<WalkAsked, 'by' | 'from' | 'to' | 'begins'> {
  readonly format: ExportFormat;
  /** Of CSV, separated by commas; `null`: all fields of the schema. */
  readonly columns: string | null;
}

interface DocumentExport extends Positioned {
  readonly fileName: string;
  /** Texts that together are the file. */
  readonly texts: AsyncGenerator<string>;
  /** Must be called at the end, whatever the end is. */
  close(): void;
}

interface ListQuery extends WalkAsked {
  /** Separated by commas; `null`: the first ones of the schema. */
  readonly columns: string | null;
  readonly limit: number;
}

/** Bytes of the documents of a page, as the table stores them: long ones are compressed. */
const PAGE_BYTES = 1024 * 1024;
/** What there is to be seen of a document beside its cells. */
const NOTHING: WalkedPage = { revision: -1, building: null, documents: [], next: null };

type Row = contract.DocumentList['documents'][number];

/** A collection as it is read for one request. */
interface Listed {
  readonly project: Project;
  readonly access: AccessContext;
  readonly collection: CollectionModel;
}

/** Exports that run at a time, and those of one project. */
const EXPORTS = { slots: 4, perKey: 1 } as const;
/** How long an export waits until the tables show what is stored, ms. */
const SHOWN_MS = 5_000;
/** Columns of a file. */
const FILE_COLUMNS = 200;

export function createDocumentLists(context: AppContext, past: Past): DocumentLists {
  const exporting = new Bulkhead(EXPORTS);

  /** Holds one of the exports until it is closed. */
  const begun = (projectId: string) => {
    if (!exporting.tryAcquire(projectId))
      throw refusal(
        'BUSY',
        `A project has one export at a time, and a node ${EXPORTS.slots}: try again when the one under way is whole, or was stopped; one that nobody takes ends within seconds`,
        { error: { details: { underWay: 'export' } } },
      );
    let isOpen = true;
    return () => {
      if (isOpen) exporting.release(projectId);
      isOpen = false;
    };
  };

  const open = async (caller: Caller, at: CollectionAddress): Promise<Listed> => {
    const project = await projectOf(context, caller);
    const access = accessAt(project, caller, at.target);
    requireNeed(access.key, READ_DOCUMENTS);
    const collection = collectionIn(access, at.collection);
    if (collection === undefined) throw noSuch('collection', at.collection, at.target);
    return { project, access, collection };
  };

  return {
    async list(caller, at, query, hidden) {
      const listed = await open(caller, at);
      const { project, access, collection } = listed;
      const orders = listOrders(access, collection);
      const order = chosen(orders, query, collection);
      const reached = await viewsReached(context, project, tableOf(order), lastChange(listed, order));
      const page = order.kind === 'unique' ? await found(context, listed, order, query) : await walked(context, listed, order, query);
      const asked = columnsIn(query.columns);
      const named = asked ?? firstColumns(collection.schema, ({ personal }) => personal && hidden !== null);
      const { rows, columns } = await rowsOf(context, listed, page.documents, named, hidden);
      const isPersonal = (field: string) => hidden?.isNamedIn(field, collection.id) === true;
      const result: contract.DocumentList = {
        ok: true,
        collection: collection.id,
        name: collection.name,
        type: collection.type,
        by: order.by,
        order: query.order ?? (order.kind === 'key' || order.kind === 'unique' ? 'asc' : 'desc'),
        orders: orders.map((each) => ({
          by: each.by,
          kind: each.kind,
          ...(each.kind === 'number' ? { query: each.query.id } : {}),
          ...(each.kind !== 'key' && each.kind !== 'time' && isPersonal(each.by) ? { personal: true } : {}),
        })),
        others: leavesOf(collection.schema)
          .map(({ path }) => path)
          .filter((path) => !orders.some(({ by }) => by === path)),
        columns: [...columns],
        documents: [...rows],
        cursor: page.next === null ? null : JSON.stringify(page.next),
      };
      return { ...positioned(context, project, caller, reached), result };
    },

    async export(caller, at, query, hidden, check) {
      const listed = await open(caller, at);
      const { project, access, collection } = listed;
      const order = chosen(listOrders(access, collection), { ...query, is: null }, collection);
      if (order.kind === 'unique') throw new Error('without a value no unique field is chosen');
      const bounds = boundsOf(order, { ...query, is: null, order: null, cursor: null });
      const columns = columnsIn(query.columns, FILE_COLUMNS);
      const close = begun(project.id);
      try {
        const { revision } = await momentOf(past, project, context.scheduler, null);
        if (!(await viewsReached(context, project, 'documents', revision, SHOWN_MS))) throw refusal('BEHIND');
        const exported: Exported = {
          ...{ ...listed, revision, bounds, columns, format: query.format },
          shown: (document) => shownOf(document, collection, hidden()),
          owner: (key, document) => ownerOf(collection, key, document),
        };
        const checked = async () => {
          requireNeed(accessAt(project, caller, at.target).key, READ_DOCUMENTS);
          await check();
        };
        const texts = exportedTexts(context, past, exported, checked);
        return { position: revision, stale: false, fileName: exportName(exported), texts, close };
      } catch (error) {
        close();
        throw error;
      }
    },
  };
}

/** The order that is asked for. With `is` the one document is found that has a value. 400 INVALID_REQUEST for what no index keeps. */
function chosen(orders: readonly ListOrder[], { by, is }: Pick<ListQuery, 'by' | 'is'>, { id }: CollectionModel): ListOrder {
  const order = orders.find((each) => each.by === by && (each.kind === 'unique') === (is !== null));
  if (order !== undefined) return order;
  const isKnown = orders.some((each) => each.by === by);
  if (isKnown && is === null)
    throw refusal('INVALID_REQUEST', `${JSON.stringify(by)} is unique and has no order: \`is\` finds the document that has a value`);
  if (isKnown) throw refusal('INVALID_REQUEST', `\`is\` takes a unique field (_unique: true), and ${JSON.stringify(by)} is none`);
  const names = orders.map((each) => each.by).join(', ');
  throw refusal(
    'INVALID_REQUEST',
    `No index of ${id} keeps ${JSON.stringify(by.slice(0, 200))}, so it would take a scan: \`by\` is one of ${names}. A leaderboard with this number as its field, or _unique: true, makes one`,
  );
}

function tableOf({ kind }: ListOrder) {
  return kind === 'time' ? 'records' : kind === 'number' ? 'leaderboards' : 'documents';
}

/** The last change that an answer has to show. A publish can begin a list or a board. */
function lastChange({ project: { set }, access: { space }, collection: { id } }: Listed, { kind }: ListOrder): number {
  return Math.max(
    kind === 'key' || kind === 'unique' ? -1 : set.residentChangedAt(DEFINITIONS),
    set.collectionChangedAt(collectionSubject('live', id)),
    set.collectionChangedAt(collectionSubject(space, id)),
  );
}

async function walked(
  { views }: AppContext,
  { project, access, collection }: Listed,
  order: Exclude<ListOrder, { readonly kind: 'unique' }>,
  query: ListQuery,
): Promise<WalkedPage> {
  const page = await views.walkDocuments(project.id, {
    space: access.space,
    collection: collection.id,
    by: order.kind === 'number' ? { kind: 'number', query: boardQuery({ query: order.query, access }, order.board) } : { kind: order.kind },
    ...walkOf(order, query),
    limit: query.limit,
    bytes: PAGE_BYTES,
  });
  if (page.building !== null) throw building(page.building);
  return page;
}

/** The document that has a value of a unique field. */
async function found({ views }: AppContext, listed: Listed, { by }: ListOrder, { is }: ListQuery): Promise<WalkedPage> {
  const { project, access, collection } = listed;
  for (const { key, isHeldBy } of await claimsOf({ project, space: access.space, collection }, by, is ?? '')) {
    const page = await views.walkDocuments(project.id, {
      ...{ space: access.space, collection: collection.id, by: { kind: 'key' }, order: 'asc', limit: 1, bytes: PAGE_BYTES },
      from: { place: [key], isIncluded: true },
      until: key,
    });
    const document = page.documents.find((each) => isHeldBy(documentOf(each.text, collection, access)));
    if (document !== undefined) return { ...page, documents: [document], next: null };
  }
  return NOTHING;
}

/** The dotted paths that are asked for. Throws 400 INVALID_REQUEST. */
function columnsIn(text: string | null, most = LIST_COLUMNS): readonly string[] | null {
  if (text === null || text.trim() === '') return null;
  const columns = [...new Set(text.split(',').map((path) => path.trim()))];
  const isPath = (path: string) => path.length <= 256 && path.split('.').every((name) => name !== '');
  if (columns.length <= most && columns.every(isPath)) return columns;
  throw refusal('INVALID_REQUEST', `\`columns\` are at most ${most} dotted paths of fields, separated by commas, such as name,stats.gold`);
}

/** Columns of a collection whose schema names none. */
const UNNAMED_COLUMNS = 6;

async function rowsOf(
  { roundRobin }: AppContext,
  { project, access, collection }: Listed,
  documents: readonly WalkedDocument[],
  named: readonly string[],
  hidden: Personal | null,
): Promise<{ readonly rows: readonly Row[]; readonly columns: readonly string[] }> {
  const pause = roundRobin.pauses(project.id);
  const columns = new Set(named);
  const rows: Row[] = [];
  for (const { key, version, updatedAt, revision, text } of documents) {
    const turn = pause();
    if (turn !== null) await turn;
    const document = documentOf(text, collection, access);
    // Masked before it is cut: the beginning of an object may hold what is hidden.
    const shown = shownOf(document, collection, hidden);
    if (named.length === 0)
      for (const name of Object.keys(shown)) if (columns.size < UNNAMED_COLUMNS && !/[.,]/.test(name)) columns.add(name);
    const player = ownerOf(collection, key, document);
    rows.push({
      key,
      ...(player === undefined ? {} : { player }),
      version,
      updatedAt: new Date(updatedAt).toISOString(),
      revision,
      cells: cellsOf(shown, [...columns], CELL_LENGTH),
    });
  }
  return { rows, columns: [...columns] };
}

/** The document without what is personal. */
function shownOf(document: JsonObject, { id }: CollectionModel, hidden: Personal | null): JsonObject {
  if (hidden === null) return document;
  const left = masked(document, hidden, { collections: [id], isFree: false });
  return isObject(left) ? left : {};
}
