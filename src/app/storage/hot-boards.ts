import { LRUCache } from 'lru-cache';
import { isThere, storedText } from '../../domain/document/packed.ts';
import { reachesNumber } from '../../domain/document/reached.ts';
import type { ProjectEvent } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { boardMetric, rankOf, valueAt } from '../../domain/query/board-metric.ts';
import type { BoardPlan, QueryPlan } from '../../domain/query/plan.ts';
import { type RankedRow, Ranking } from '../../domain/query/ranking.ts';
import type { DocumentState } from '../../domain/states.ts';
import { collectionSubject, DEFINITIONS, documentSubject, type Subject } from '../../domain/subjects.ts';
import { yielding } from '../../kernel/scheduler.ts';
import type { AppContext } from '../context.ts';
import type { Project } from '../project/project.ts';
import { type BoardRow, type BoardView, boardQuery } from './query-boards.ts';
import { type PageRequest, type RunInput, requestedRows } from './query-runs.ts';

/**
 * Boards that are read often, in memory. From the tables every read is a statement, and after every change it waits for the projector. A
 * board in memory follows the head of its project instead. It is read once from the tables, at some revision. Every document that changes
 * later is noted, and is looked up in the working set before the next answer. So an answer is exactly of the head, and needs no statement
 * if the documents that it shows are in memory. The text that a query shows of a row is kept until the row's document changes, so most
 * answers are put together of kept texts.
 */

/** This many reads from the tables, within the time below, make a board hot. */
const HOT_READS = 20;
const HOT_MS = 10_000;
/** Pause after a board could not be taken into memory, or was dropped, ms. */
const COOL_MS = 10_000;
/** How long a load of a board waits for the views to show the changes so far, ms. */
const READY_MS = 5_000;
/** Changes noted while nobody asks. Beyond this the board is dropped. */
const MAX_CHANGES = 10_000;
/** Rows of one answer: their documents must be in memory together. */
const MAX_ROWS = 128;
/** Growth after which a board is dropped, so that it is read and weighed again. */
const GROWTH = 1.25;
/** Bounds for the kept texts of rows: bytes per board, share of all memory for boards, mean bytes per row. */
const SHOWN_BYTES = 4 * 1024 * 1024;
const SHOWN_SHARE = 8;
const SHOWN_ROW_BYTES = 512;
/** Queries that may keep their text of the same row, and the bytes of a kept text besides its characters. */
const MAX_PLANS = 4;
const KEPT_BYTES = 200;
/** Loads of documents for one answer; changes looked up in one turn; longest turn of a fill, ms. */
const MAX_LOADS = 8;
const CHANGES_PER_TURN = 256;
const TURN_MS = 4;

export class HotBoards {
  readonly #context: AppContext;
  readonly #boards: LRUCache<string, HotBoard>;
  readonly #requests = new LRUCache<string, { count: number; since: number }>({ max: 1_000 });
  readonly #loading = new Set<string>();

  constructor(context: AppContext) {
    this.#context = context;
    const maxSize = context.limits.boardBytes;
    this.#boards = new LRUCache({ maxSize, sizeCalculation: ({ bytes }) => bytes, dispose: (board) => board.close() });
  }

  /** `null` if the board is not in memory, or cannot answer from there. It may be loaded for later reads. */
  async view(input: RunInput, board: BoardPlan, page: PageRequest): Promise<BoardView | null> {
    const { project, access } = input;
    const collection = access.definitions.collection(board.collectionId);
    if (access.space !== 'live' || collection === undefined || requestedRows(page, 0, input.plan.limit).count > MAX_ROWS) return null;
    const name = [project.id, access.definitions.hash, collection.id, board.order, board.field].join(' ');
    const known = this.#boards.get(name);
    if (known === undefined || known.project !== project || known.isClosed) {
      // A dropped board must not keep a project alive that was opened anew.
      if (this.#boards.delete(name)) this.#context.onBoardBytes(this.#boards.calculatedSize);
      this.#count(name, input, board, collection);
      return null;
    }
    return known.view(page, input.plan);
  }

  #count(name: string, input: RunInput, board: BoardPlan, collection: CollectionModel): void {
    const now = this.#context.scheduler.monotonic();
    const requests = this.#requests.get(name);
    if (requests === undefined || now - requests.since > HOT_MS) {
      this.#requests.set(name, { count: 1, since: now });
      return;
    }
    requests.count += 1;
    if (requests.count < HOT_READS || this.#loading.has(name)) return;
    this.#loading.add(name);
    // The tables answer in any case. A board that failed to load is not tried again at once.
    this.#requests.set(name, { count: Number.NEGATIVE_INFINITY, since: now + COOL_MS - HOT_MS });
    this.#load(name, input, board, collection)
      .catch((error: unknown) => this.#context.onBoardFailed(error))
      .finally(() => this.#loading.delete(name));
  }

  async #load(name: string, input: RunInput, plan: BoardPlan, collection: CollectionModel): Promise<void> {
    const { scans, limits } = this.#context;
    const board = new HotBoard(input.project, collection, plan, this.#context);
    try {
      const fill = (stop: AbortSignal) => board.fill(input, limits.boardBytes, stop);
      const isLoaded = (await board.isReady()) && (await scans.run(input.project.id, new AbortController().signal, fill));
      if (isLoaded && !board.isClosed) this.#boards.set(name, board);
      else board.close();
      this.#context.onBoardBytes(this.#boards.calculatedSize);
    } catch (error) {
      board.close();
      throw error;
    }
  }
}

/**
 * What a board takes of the memory for boards, bytes: a whole number, because the cache refuses any other, and with room to grow, because
 * it asks only once. `textBytes`: what the kept texts of its rows may take.
 */
export function weightOf({ bytes, size }: Pick<Ranking, 'bytes' | 'size'>, textBytes: number): number {
  return Math.ceil(GROWTH * (bytes + Math.min(textBytes, size * SHOWN_ROW_BYTES))) + 4_096;
}

/** The texts that queries show of one row, without the rank. */
type RowTexts = readonly { readonly plan: QueryPlan; readonly rowText: string }[];

class HotBoard {
  readonly project: Project;
  readonly #collection: CollectionModel;
  readonly #plan: BoardPlan;
  readonly #context: AppContext;
  readonly #ranking = new Ranking();
  /** Documents that have changed since they were looked up, with the revision at which one of the changes reached its value. */
  readonly #changed = new Map<Subject<'document'>, number | undefined>();
  /** By keys of rows. */
  readonly #rowTexts: LRUCache<string, RowTexts>;
  /** Number of changes noted. What was read before a change is not kept after it. */
  #changeCount = 0;
  readonly #prefix: string;
  /** The last change before watching began. */
  readonly #since: number;
  readonly #unwatch: () => void;
  /** Rows that it may grow to. */
  #maxRows = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(project: Project, collection: CollectionModel, plan: BoardPlan, context: AppContext) {
    this.project = project;
    this.#collection = collection;
    this.#plan = plan;
    this.#context = context;
    this.#prefix = documentSubject('live', collection.id, '');
    this.#rowTexts = new LRUCache({
      maxSize: Math.min(SHOWN_BYTES, Math.floor(context.limits.boardBytes / SHOWN_SHARE)),
      sizeCalculation: (rowTexts, key) => rowTexts.reduce((sum, { rowText }) => sum + rowText.length + KEPT_BYTES, key.length),
    });
    const { set } = project;
    const subject = collectionSubject('live', collection.id);
    this.#since = Math.max(set.residentChangedAt(DEFINITIONS), set.collectionChangedAt(subject));
    this.#unwatch = set.watch(subject, (document, event) => this.#noteChange(document, event));
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get bytes(): number {
    return weightOf(this.#ranking, this.#rowTexts.maxSize);
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#changed.clear();
    this.#rowTexts.clear();
  }

  #noteChange(document: Subject<'document'>, event: ProjectEvent): void {
    this.#changeCount += 1;
    this.#changed.set(document, reachesNumber(event, this.#plan.field) ? event.revision : this.#changed.get(document));
    this.#rowTexts.delete(this.#keyOf(document));
    if (this.#changed.size > MAX_CHANGES) this.close();
  }

  /** Whether the tables show all changes from before watching began. Later ones are noted. */
  isReady(): Promise<boolean> {
    return this.#context.views.caughtUp(this.project.id, this.#since, READY_MS);
  }

  /** Reads the board from the tables. Answers whether they are ready. Throws if it takes more than `most` bytes. */
  async fill(input: RunInput, most: number, stop: AbortSignal): Promise<boolean> {
    const { set } = this.project;
    const rest = yielding(this.#context.scheduler, TURN_MS);
    const { views, limits } = this.#context;
    const { revision } = await views.board(this.project.id, boardQuery(input, this.#plan), async (rows) => {
      stop.throwIfAborted();
      if (this.bytes > most) throw new Error('the board is larger than what all of them may take');
      for (const row of rows) {
        this.#ranking.set(row);
        await rest();
      }
    });
    if (revision < this.#since) return false;
    this.#maxRows = this.#ranking.size * GROWTH + CHANGES_PER_TURN;
    // The tables may show more than this node's head, so the head must come that far before documents are looked up.
    if (revision > set.head) await this.project.reach(revision, limits.viewWaitMs);
    return true;
  }

  /** The board at the head; `null` if the documents cannot be loaded in time. */
  async view(page: PageRequest, plan: QueryPlan): Promise<BoardView | null> {
    const kept: Subject<'document'>[] = [];
    const { set } = this.project;
    try {
      for (let tries = 0; tries < MAX_LOADS; tries += 1) {
        while (this.#changed.size > CHANGES_PER_TURN && this.#applyChanges().length === 0) await this.#context.scheduler.sleep(0);
        // From here on in one turn, so nothing changes in between.
        const changed = this.#applyChanges();
        const rows = this.#rows(page, plan.limit);
        const missing = changed.length > 0 ? changed : this.#missing(rows, plan);
        if (this.#closed) return null;
        if (missing.length === 0 && this.#changed.size === 0) return this.#view(rows, page, plan);
        set.pin(missing);
        kept.push(...missing);
        await this.project.load(missing);
      }
      return null;
    } finally {
      set.unpin(kept);
    }
  }

  /** Looks up changed documents, up to a bound. Answers those that are not in memory. */
  #applyChanges(): readonly Subject<'document'>[] {
    const missing: Subject<'document'>[] = [];
    let count = 0;
    for (const [subject, reached] of this.#changed) {
      count += 1;
      if (count > CHANGES_PER_TURN) break;
      const version = this.project.set.durable(subject);
      if (version === undefined) {
        missing.push(subject);
        continue;
      }
      this.#changed.delete(subject);
      this.#insert(this.#keyOf(subject), version.state, reached);
    }
    return missing;
  }

  #insert(key: string, state: DocumentState | null, changed: number | undefined): void {
    const { schema } = this.#collection;
    const document = state?.document ?? null;
    const value = document === null ? null : boardMetric(document, this.#plan.field, schema.hasDefaults ? schema : null);
    const reached = changed ?? this.#ranking.reachedBy(key);
    if (value === null) this.#ranking.delete(key);
    else if (reached !== undefined) this.#ranking.set({ key, rank: rankOf(value, this.#plan.order), reached });
    // Only the tables know since when it has the value: an earlier release wrote it.
    else this.close();
    // The cache weighed it at its old size.
    if (this.#ranking.size > this.#maxRows) this.close();
  }

  #rows(page: PageRequest, most: number): Rows {
    const at = page.player === null ? null : this.#ranking.indexOf(page.player);
    const { from, count } = requestedRows(page, at, most);
    return { from, ranked: this.#ranking.slice(from, count), at, own: at === null ? [] : this.#ranking.slice(at, 1) };
  }

  #keyOf(document: Subject<'document'>): string {
    return document.slice(this.#prefix.length);
  }

  #subjectOf(key: string): Subject<'document'> {
    return documentSubject('live', this.#collection.id, key);
  }

  /** Documents that an answer needs and that are not in memory. */
  #missing({ ranked, own }: Rows, plan: QueryPlan): readonly Subject<'document'>[] {
    const needed = [...ranked, ...own].filter(({ key }) => this.#rowTextOf(key, plan) === undefined);
    return needed.map(({ key }) => this.#subjectOf(key)).filter((subject) => this.project.set.durable(subject) === undefined);
  }

  #rowTextOf(key: string, plan: QueryPlan): string | undefined {
    return this.#rowTexts.get(key)?.find((one) => one.plan === plan)?.rowText;
  }

  #keep(plan: QueryPlan, key: string, rowText: string): void {
    const others = (this.#rowTexts.get(key) ?? []).filter((one) => one.plan !== plan);
    this.#rowTexts.set(key, [{ plan, rowText }, ...others.slice(0, MAX_PLANS - 1)]);
  }

  #view({ from, ranked, at, own }: Rows, { player }: PageRequest, plan: QueryPlan): BoardView {
    const [me] = own;
    const changeCount = this.#changeCount;
    return {
      revision: this.project.set.head,
      total: this.#ranking.size,
      rows: ranked.map((row) => this.#shown(row, plan)),
      firstRank: from + 1,
      player: player === null ? undefined : me === undefined || at === null ? null : { row: this.#shown(me, plan), rank: at + 1 },
      keep: (key, rowText) => {
        if (plan.isLasting && changeCount === this.#changeCount && !this.#closed) this.#keep(plan, key, rowText);
      },
    };
  }

  #shown({ key, rank }: RankedRow, plan: QueryPlan): BoardRow {
    const rowText = this.#rowTextOf(key, plan);
    if (rowText !== undefined) return { key, rowText };
    const state = this.project.set.durable(this.#subjectOf(key))?.state ?? null;
    if (!isThere(state)) throw new Error('a row of a board has a document');
    return { key, value: valueAt(rank, this.#plan.order), document: storedText(state) };
  }
}

/** Rows of an answer: a page, and the row that is asked for. */
interface Rows {
  readonly from: number;
  readonly ranked: readonly RankedRow[];
  /** `null`: the key that is asked for has no row, or no key is asked for. */
  readonly at: number | null;
  readonly own: readonly RankedRow[];
}
