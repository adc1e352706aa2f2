import { leaderboardText } from '../../domain/query/answer.ts';
import type { QueryPlan } from '../../domain/query/plan.ts';
import { type PageRequest, requestedRows, type Sheet } from './query-runs.ts';

/*
 * Live streams follow many pages of one leaderboard. Its rows are evaluated once after a change, as a sheet: as many as the query shows.
 * Every page, and the rows around a player who is among them, are cut from the sheet.
 */

/** What is asked for to get a sheet. */
export function wholePage({ limit }: QueryPlan): PageRequest {
  return { limit, offset: 0, player: null, around: null };
}

/** `comparable`: the same for the same rows, whenever they were evaluated. */
interface CutPage {
  readonly body: string;
  readonly comparable: string;
}

/** The answer for a page; `null`: the sheet does not show the player's row. */
export function cutPage({ keys, texts, total, answered }: Sheet, page: PageRequest): CutPage | null {
  const { player } = page;
  const found = player === null ? -1 : keys.indexOf(player);
  if (player !== null && found < 0 && total > keys.length) return null;
  const at = found < 0 ? null : found;
  const { from, count } = requestedRows(page, at, answered.plan.limit);
  if (from + count > keys.length && keys.length < total) return null;
  const entries = texts.slice(from, from + count);
  const own = player === null ? {} : { player: at === null ? null : (texts[at] ?? null) };
  const scanned = answered.from === 'index' ? [entries.length] : answered.scanned;
  const body = leaderboardText({ ...answered, scanned }, { entries, total, ...own });
  return { body, comparable: [answered.query.hash, total, own.player, ...entries].join(',') };
}
