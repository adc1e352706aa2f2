import type { SharedAccess } from '../../domain/access/context.ts';
import { effectiveDefinitions } from '../../domain/definition/model/effective.ts';
import { type AnswerContext, leaderboardText } from '../../domain/query/answer.ts';
import { boardHash } from '../../domain/query/board-hash.ts';
import type { BoardPlan, QueryPlan } from '../../domain/query/plan.ts';
import type { ProfileOf } from '../../domain/query/run.ts';
import { refusal } from '../../kernel/errors.ts';
import type { BoardQuery, LeaderboardPage, LeaderboardRow } from '../ports/boards.ts';
import { building, published } from './building.ts';
import { documentOf, Entries, environmentOf, type PageRequest, pauses, profilesOf, type RunInput, type RunResult } from './query-runs.ts';

/** What is shown of a board: a page and the wanted player's row, or only the rows around the player. */
export interface BoardView {
  readonly revision: number;
  readonly isMixed?: true;
  readonly total: number;
  readonly rows: readonly BoardRow[];
  /** Rank of the first row. */
  readonly firstRank: number;
  /** `null`: the player has no row. `undefined`: no player was asked for. */
  readonly player: { readonly row: BoardRow; readonly rank: number } | null | undefined;
  /** Keeps the text made from a row's document, for later answers. */
  keep?(key: string, rowText: string): void;
}

/** A row with its document, or with the text made from it: all but the rank. */
export type BoardRow = LeaderboardRow | KeptRow;

interface KeptRow {
  readonly key: string;
  readonly rowText: string;
}

/** Runs a read that is too large for one answer as a scan. */
export type RunAsScan = (work: (stop: AbortSignal) => Promise<RunResult>) => Promise<RunResult>;

/** Page and row are read one after the other and should be of one revision. After so many tries they may be one batch apart. */
const TRIES = 4;

/**
 * The board to answer from, if there is one. A collection that is not there has none. Boards count defaults, so they do not fit a project
 * that serves documents as stored.
 */
export function boardOf({ board }: QueryPlan, { definitions, settings }: SharedAccess): BoardPlan | null {
  const collection = board === null ? undefined : definitions.collection(board.collectionId);
  if (collection === undefined) return null;
  return settings.fillDefaults || !collection.schema.hasDefaults ? board : null;
}

/** The answer from the tables, through `asScan` if its documents are too large to be read at once. Throws 413 `RESULT_TOO_LARGE`. */
export async function tableAnswer(input: RunInput, board: BoardPlan, page: PageRequest, asScan: RunAsScan): Promise<RunResult> {
  const view = await tableView(input, board, page);
  return view === null ? asScan((stop) => pagedAnswer(input, board, page, stop)) : viewAnswer(input, board, view);
}

/** The answer that shows a view of a board. Throws 413 `RESULT_TOO_LARGE`. */
export async function viewAnswer(input: RunInput, board: BoardPlan, view: BoardView): Promise<RunResult> {
  const shown = view.player ? [...view.rows, view.player.row] : view.rows;
  const profileOf = await profilesOf(
    input,
    shown.map(({ key }) => key),
  );
  const answering = new AnswerBuilder(input, board);
  await answering.add(view.rows, view.firstRank, profileOf, null, view);
  const player = view.player ? answering.textOf(view.player.row, view.player.rank, profileOf) : view.player;
  const mixed = view.isMixed ? ({ isMixed: true } as const) : {};
  return { ...answering.answer(view.rows.length, view.total, player), revision: view.revision, ...mixed };
}

/** Reads from the tables; `null`: the documents are too large to be read at once. */
async function tableView(input: RunInput, board: BoardPlan, wanted: PageRequest): Promise<BoardView | null> {
  const { context, project, access } = input;
  const query = boardQuery(input, board);
  const page = () => readBoard(input, () => context.views.leaderboard(project.id, access.space, query, pageOf(input.plan, wanted)));
  const { player: key, around } = wanted;
  if (key === null) {
    const { isPartial, rows, total, revision } = await page();
    return isPartial ? null : { rows, total, revision, firstRank: wanted.offset + 1, player: undefined };
  }
  const neighbours = () => readBoard(input, () => context.views.neighbours(project.id, access.space, query, { key, around: around ?? 0 }));
  if (around !== null) {
    const { rows, rank, revision, total, isPartial } = await neighbours();
    if (isPartial) return null;
    const at = rows.findIndex((row) => row.key === key);
    const row = rows[at];
    const player = row === undefined || rank === null ? null : { row, rank };
    return { rows, firstRank: player === null ? 1 : player.rank - at, total, revision, player };
  }
  for (let tries = 1; ; tries += 1) {
    const { rows, total, revision, isPartial } = await page();
    if (isPartial) return null;
    const { rank, rows: own, revision: then } = await neighbours();
    const [row] = own;
    if (then !== revision && tries < TRIES) continue;
    const player = row === undefined || rank === null ? null : { row, rank };
    const mixed = then === revision ? {} : ({ isMixed: true } as const);
    return { rows, firstRank: wanted.offset + 1, total, revision: Math.min(revision, then), player, ...mixed };
  }
}

type Complete<Found> = Found & { readonly total: number };

/** Waits for the query's publish. Throws as {@link complete}. */
async function readBoard<Found extends LeaderboardPage>(
  { context, project }: RunInput,
  read: () => Promise<Found>,
): Promise<Complete<Found>> {
  return complete(await published(context, project, read, ({ total, building }) => total !== null || building !== null));
}

/** Throws 503 `BUILDING` while the board is being filled, and 503 `BEHIND` while the tables lack the query's publish. */
function complete<Found extends LeaderboardPage>(found: Found): Complete<Found> {
  const { total } = found;
  if (total !== null) return { ...found, total };
  throw found.building === null ? refusal('BEHIND') : building(found.building);
}

/** The answer, read in pages. Of each document only what the answer shows stays in memory. */
async function pagedAnswer(input: RunInput, board: BoardPlan, page: PageRequest, stop: AbortSignal): Promise<RunResult> {
  const { context, project, access, plan } = input;
  const answering = new AnswerBuilder(input, board);
  const query = boardQuery(input, board);
  const { player: key, around } = page;
  let own: string | null = null;
  let count = 0;
  const take = async (rows: readonly LeaderboardRow[], firstRank: number) => {
    const profileOf = await profilesOf(
      input,
      rows.map((row) => row.key),
    );
    await answering.add(rows, firstRank, profileOf, stop);
    const at = around === null ? -1 : rows.findIndex((row) => row.key === key);
    const row = rows[at];
    if (row) own = answering.textOf(row, firstRank + at, profileOf);
    count += rows.length;
  };
  if (key !== null && around !== null) {
    const { total, revision } = complete(await context.views.neighbours(project.id, access.space, query, { key, around }, take));
    return { ...answering.answer(count, total, own), revision };
  }
  const { total, revision } = complete(await context.views.leaderboard(project.id, access.space, query, pageOf(plan, page), take));
  if (key === null) return { ...answering.answer(count, total, undefined), revision };
  const { rows, rank, revision: then } = await context.views.neighbours(project.id, access.space, query, { key, around: 0 });
  const profileOf = await profilesOf(input, [key]);
  const [row] = rows;
  const player = row === undefined || rank === null ? null : answering.textOf(row, rank, profileOf);
  const mixed = then === revision ? {} : ({ isMixed: true } as const);
  return { ...answering.answer(count, total, player), revision: Math.min(revision, then), ...mixed };
}

function pageOf(plan: QueryPlan, { limit, offset }: PageRequest) {
  return { order: plan.order, limit: Math.min(limit, Math.max(plan.limit - offset, 0)), offset };
}

/** The query whose board it is, as the tables name it. */
export function boardQuery({ query, access }: Pick<RunInput, 'query' | 'access'>, { collectionId }: BoardPlan): BoardQuery {
  const hash = boardHash(query, collectionId, access.definitions, effectiveDefinitions(access.state, 'live'));
  return { id: query.id, hash };
}

/** One answer while its rows are put together. */
class AnswerBuilder {
  readonly #entries: Entries;
  readonly #keys: string[] = [];
  readonly #input: RunInput;
  readonly #board: BoardPlan;
  readonly #environment: ReturnType<typeof environmentOf>;

  constructor(input: RunInput, board: BoardPlan) {
    this.#input = input;
    this.#board = board;
    this.#environment = environmentOf(input);
    this.#entries = new Entries(input.plan, this.#environment, input.context);
  }

  async add(
    rows: readonly BoardRow[],
    firstRank: number,
    profileOf: ProfileOf,
    stop: AbortSignal | null,
    keeper?: Pick<BoardView, 'keep'>,
  ): Promise<void> {
    const pause = pauses(this.#input, stop);
    for (const [index, row] of rows.entries()) {
      const turn = 'rowText' in row ? null : pause();
      if (turn !== null) await turn;
      const rowText = this.#rowTextOf(row, profileOf);
      this.#entries.add(rowText, firstRank + index);
      this.#keys.push(row.key);
      if (!('rowText' in row)) keeper?.keep?.(row.key, rowText);
    }
  }

  textOf(row: BoardRow, rank: number, profileOf: ProfileOf): string {
    return this.#entries.textOf(this.#rowTextOf(row, profileOf), rank);
  }

  #rowTextOf(row: BoardRow, profileOf: ProfileOf): string {
    return 'rowText' in row ? row.rowText : this.#entries.rowTextOf(this.#shown(row, profileOf));
  }

  #shown({ key, value, document }: LeaderboardRow, profileOf: ProfileOf) {
    const { access } = this.#input;
    const data = documentOf(document, access.definitions.collection(this.#board.collectionId), access);
    const row = { key, value, data };
    const playerProfile = profileOf(row);
    return playerProfile === null ? row : { ...row, data: { ...data, playerProfile } };
  }

  answer(count: number, total: number, player: string | null | undefined): Pick<RunResult, 'body' | 'sheet'> {
    const { context, query, plan, started } = this.#input;
    const durationMs = Math.round(context.scheduler.monotonic() - started);
    const answered: AnswerContext = { query, plan, environment: this.#environment, durationMs, scanned: [count], from: 'index', errors: 0 };
    const { texts } = this.#entries;
    const body = leaderboardText(answered, { entries: texts, total, ...(player === undefined ? {} : { player }) });
    return { body, sheet: { keys: this.#keys, texts, total, answered } };
  }
}
