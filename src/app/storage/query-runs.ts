import { effectiveDefinitions } from '../../domain/definition/effective.ts';
import type { CollectionModel, QueryModel } from '../../domain/definition/model.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import { type Answered, aggregateAnswer, leaderboardAnswer } from '../../domain/query/answer.ts';
import { boardHash } from '../../domain/query/board-hash.ts';
import type { Surroundings } from '../../domain/query/evaluate.ts';
import type { BoardPlan, QueryPlan } from '../../domain/query/plan.ts';
import { plausiblePlayer, profileOf, shownProfile } from '../../domain/query/profile.ts';
import { type ProfileOf, QueryRun, type Ranked } from '../../domain/query/run.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../kernel/json.ts';
import type { Grounds } from '../access.ts';
import type { AppContext } from '../context.ts';
import type { LeaderboardRow } from '../ports/readers.ts';

/** The two ways a query runs: a leaderboard over a stored number out of its board, everything else over all documents. */

export interface Asked {
  readonly limit: number;
  readonly offset: number;
  /** Key of the row whose rank is asked for. */
  readonly player: string | null;
  /** Rows before and after that one, in place of the page. */
  readonly around: number | null;
}

export interface RunInput {
  readonly context: AppContext;
  readonly projectId: string;
  readonly ground: Grounds;
  readonly query: QueryModel;
  readonly plan: QueryPlan;
  readonly asked: Asked;
}

/** What is stored passed `LIMIT_BODY_DEPTH` when it came; whatever that is now, one document must not take a query from all. */
const STORED_DEPTH = 10_000;

/** Documents that have to be kept for joins, or to tell a player's rank, in bytes of their texts. */
const MOST_KEPT = 64 * 1024 * 1024;

/** The members of the answer, as the query's type has them. Throws `QUERY_FAILED` for what is more than one run may hold. */
export async function runQuery(input: RunInput): Promise<JsonObject> {
  const board = boardOf(input.plan, input.ground);
  return board === null ? runScan(input) : runBoard(input, board);
}

/** The board to answer from, if any. Boards count defaults, so they are of no use where a project has documents served as stored. */
export function boardOf({ board }: QueryPlan, { definitions, settings }: Grounds): BoardPlan | null {
  if (board === null || settings.fillDefaults) return board;
  return definitions.collection(board.collectionId)?.schema.hasDefaults ? null : board;
}

async function runBoard(input: RunInput, board: BoardPlan): Promise<JsonObject> {
  const { context, ground, query, plan } = input;
  const { started, around } = begun(input);
  const collection = ground.definitions.collection(board.collectionId);
  const { rows, firstRank, total, player } = await boardRows(input, board.collectionId);
  const shown = player ? [...rows, player.row] : rows;
  const profile = await profilesFor(
    input,
    shown.map(({ key }) => key),
  );
  const ranked = ({ key, value, document }: LeaderboardRow): Ranked => {
    const row = { key, value, data: documentOf(document, collection, ground) };
    const playerProfile = profile(row);
    return playerProfile === null ? row : { ...row, data: { ...row.data, playerProfile } };
  };
  const answered = { query, plan, around, durationMs: since(context, started), scanned: [rows.length], from: 'index', errors: 0 } as const;
  const own = player === undefined ? {} : { player: player === null ? null : { row: ranked(player.row), rank: player.rank } };
  return leaderboardAnswer(answered, { rows: rows.map(ranked), firstRank, total, ...own });
}

/** The page, and where the player that is asked for stands; or the rows around that player alone. */
async function boardRows({ context, projectId, ground, query, plan, asked }: RunInput, collection: string) {
  const { views } = context;
  const hash = boardHash(query, collection, ground.definitions, effectiveDefinitions(ground.state, 'live'));
  const named = { id: query.id, hash };
  const limit = Math.min(asked.limit, Math.max(plan.limit - asked.offset, 0));
  const page = async () => {
    const { rows, total } = await views.leaderboard(projectId, ground.space, named, { order: plan.order, limit, offset: asked.offset });
    return { rows, total, firstRank: asked.offset + 1 };
  };
  if (asked.player === null) return { ...(await page()), player: undefined };
  const standing = await views.standing(projectId, ground.space, named, { key: asked.player, around: asked.around ?? 0 });
  const at = standing.rows.findIndex(({ key }) => key === asked.player);
  const row = standing.rows[at];
  const player = row === undefined || standing.rank === null ? null : { row, rank: standing.rank };
  if (asked.around === null) return { ...(await page()), player };
  return { rows: standing.rows, firstRank: player === null ? 1 : player.rank - at, total: standing.total, player };
}

/** One pass over all documents. Throws 500 QUERY_FAILED where they are too many to be kept. */
async function runScan(input: RunInput): Promise<JsonObject> {
  const { context, projectId, ground, query, plan, asked } = input;
  const { started, around } = begun(input);
  const collections = [...plan.sources, ...plan.joins].map(({ collectionId }) => ground.definitions.collection(collectionId));
  const everyRow = asked.player !== null;
  const wanted = everyRow ? Number.POSITIVE_INFINITY : Math.min(asked.offset + asked.limit, plan.limit);
  const run = new QueryRun(plan, around, wanted, await profilesFor(input, null));
  const keeps = !run.streams || (everyRow && plan.type === 'leaderboard');
  let kept = 0;
  // An unknown collection has no rows; no collection has an empty name.
  const names = collections.map((collection) => collection?.id ?? '');
  await context.views.scan(projectId, ground.space, names, (source, documents) => {
    for (const { key, text } of documents) {
      kept += keeps ? text.length : 0;
      if (kept > MOST_KEPT) throw refusal('QUERY_FAILED', `Query ${query.id} joins or ranks more documents than one query may keep`);
      run.take(source, { key, data: documentOf(text, collections[source], ground) });
    }
  });
  const result = run.finish();
  const { scanned, errors } = result;
  const answered: Answered = { query, plan, around, durationMs: since(context, started), scanned, from: 'scan', errors };
  return plan.type === 'leaderboard'
    ? leaderboardAnswer(answered, pageOf(result.ranked, result.counted, plan, asked))
    : aggregateAnswer(answered, result);
}

/** Profiles of the players of these keys, where the query shows any; `null`: of whoever's row comes. */
async function profilesFor({ context, projectId, plan }: RunInput, keys: readonly string[] | null): Promise<ProfileOf> {
  if (!plan.withProfiles) return () => null;
  const playerOf = (key: string) => plausiblePlayer(key, context.platformId);
  const players = keys?.map(playerOf).filter((player) => player !== null) ?? null;
  const known = await context.telemetry.reader.profiles(projectId, players);
  const now = context.scheduler.now();
  return (row) => {
    const player = playerOf(row.key);
    if (player === null) return null;
    const profile = known.get(player);
    return profileOf(row, profile === undefined ? null : shownProfile(profile, now));
  };
}

/** The page, or the rows around the player, out of rows that are ranked. */
function pageOf(ranked: readonly Ranked[], total: number, plan: QueryPlan, { limit, offset, player, around }: Asked) {
  const page = { rows: ranked.slice(offset, Math.min(offset + limit, plan.limit)), firstRank: offset + 1, total };
  if (player === null) return page;
  const at = ranked.findIndex(({ key }) => key === player);
  const row = ranked[at];
  const own = row === undefined ? null : { row, rank: at + 1 };
  if (around === null) return { ...page, player: own };
  const from = Math.max(at - around, 0);
  return { rows: at < 0 ? [] : ranked.slice(from, at + around + 1), firstRank: from + 1, total, player: own };
}

function begun({ context, projectId, ground }: RunInput): { readonly started: number; readonly around: Surroundings } {
  const around = { projectId, now: context.scheduler.now(), values: ground.definitions.values.values };
  return { started: context.scheduler.monotonic(), around };
}

function since(context: AppContext, started: number): number {
  return Math.round(context.scheduler.monotonic() - started);
}

function documentOf(text: string, collection: CollectionModel | undefined, { settings }: Grounds): JsonObject {
  const value = parseJson(text, { maxDepth: STORED_DEPTH });
  const document = isObject(value) ? value : {};
  return collection && settings.fillDefaults ? fillDefaults(collection.schema, document) : document;
}
