import type * as contract from '../../contract/answers.ts';
import type { QueryModel } from '../../domain/model.ts';
import { queryPlan } from '../../domain/query/plan.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import { boardOf, boardQuery } from '../storage/query-boards.ts';
import { type Looked, pageOf, pathOf, type Shown } from './player-part.ts';

type Board = NonNullable<contract.PlayerPage['boards']>['items'][number];

/** Rows around the player that a link asks for. */
const AROUND = '5';

/** The leaderboards that have a row of the player. No documents are passed over: what no index serves is named alone. */
export async function boardsOf(looked: Looked): Promise<Shown> {
  const { access, after, limit } = looked;
  const queries = access.definitions.queries
    .filter((query) => query.type === 'leaderboard' && (after === null || query.id > after))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const { items: page, about } = pageOf(looked, 'boards', queries.slice(0, limit + 1), ({ id }) => id);
  const boards = await inTurns(page, (query) => boardOn(looked, query));
  return { boards: { items: boards.filter((board) => board !== null), ...about } };
}

/** `null`: the player has no row on it, or nobody can run it. */
async function boardOn({ context, project, access, player }: Looked, query: QueryModel): Promise<Board | null> {
  const plan = queryPlan(query);
  if (typeof plan === 'string') return null;
  const link = `${pathOf('queries', project.id, query.id)}?${new URLSearchParams({ platformId: player, around: AROUND })}`;
  const about = { query: query.id, name: query.name, rank: null, link };
  const board = boardOf(plan, access);
  if (board === null) return { ...about, scanned: true };
  const at = { key: player, around: 0 };
  const { rank, rows, total, building } = await context.views.neighbours(project.id, 'live', boardQuery({ query, access }, board), at);
  if (total === null) return { ...about, building: building ?? 0 };
  const [row] = rows;
  return rank === null || row === undefined ? null : { ...about, rank, value: row.value, total };
}
