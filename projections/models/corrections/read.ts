import type { Pool } from 'pg';
import type { GrantCounts, GrantPlayerRow, GrantRow, GrantWork } from '../../../src/app/ports/grants.ts';
import { DRIVEN } from '../../../src/domain/correction/grant.ts';
import { type JsonObject, parseStored } from '../../../src/kernel/json.ts';
import { QUERY_TIMEOUT } from '../../query-timeout.ts';
import { throughViews } from '../../through-views.ts';
import { grantFrom } from './projection.ts';

/** $1 project, $2 last revisions of commits. */
const UNDONE = throughViews(`
SELECT commit::float8 AS commit, revision::float8 AS revision FROM {undone_commits} WHERE project = $1 AND commit = ANY ($2::bigint[]) AND undone`);

/** $1 project, $2 grant, $3 outcome, $4 the place before, $5 rows. */
const PLAYERS = throughViews(`
SELECT player, place::float8 AS place, outcome AS is, given::float8 AS given, revision::float8 AS revision, told::text AS told FROM {grant_players}
WHERE project = $1 AND grant_id = $2 AND outcome = $3 AND place > $4 ORDER BY place LIMIT $5`);

const COUNTS = throughViews(`
SELECT outcome, count(*)::int AS players, (count(*) FILTER (WHERE json_typeof(told -> 'shortfalls') = 'array'))::int AS short
FROM {grant_players} WHERE project = $1 AND grant_id = $2 GROUP BY outcome`);

const SHORT = throughViews(`
SELECT each ->> 'field' AS field, count(*)::int AS players, sum((each ->> 'short')::numeric)::text AS short
FROM {grant_players}, json_array_elements(told -> 'shortfalls') AS each
WHERE project = $1 AND grant_id = $2 AND json_typeof(told -> 'shortfalls') = 'array' GROUP BY 1 ORDER BY 1 LIMIT 100`);

/** $1 project, $2 before, $3 rows. */
const NEWEST = throughViews(`
SELECT grant_id AS grant, body::text AS body, begun::float8 AS begun FROM {grants} WHERE project = $1 AND begun < $2 ORDER BY begun DESC LIMIT $3`);

/** $1 phases, $2 rows. */
const UNFINISHED = throughViews(`
SELECT g.project, g.grant_id AS grant, g.revision::float8 AS revision FROM {grants} g JOIN {projects} p ON p.project = g.project
WHERE g.phase = ANY ($1) AND NOT p.deleted ORDER BY g.project, g.begun LIMIT $2`);

/** Which of these commits are undone, by their last revisions, each with the revision of the event that says so. */
export async function readUndone(pool: Pool, projectId: string, commits: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const query = { ...QUERY_TIMEOUT, name: 'undone-commits', text: UNDONE, values: [projectId, commits] };
  const { rows } = await pool.query<{ commit: number; revision: number }>(query);
  return new Map(rows.map(({ commit, revision }) => [commit, revision]));
}

interface StoredPlayer extends Omit<GrantPlayerRow, 'told'> {
  readonly told: string | null;
}

/** Players of a grant of whom this became, in the order of its list. */
export async function readGrantPlayers(
  pool: Pool,
  projectId: string,
  grant: string,
  { outcome, after, limit }: { readonly outcome: string; readonly after: number; readonly limit: number },
): Promise<readonly GrantPlayerRow[]> {
  const values = [projectId, grant, outcome, after, limit];
  const { rows } = await pool.query<StoredPlayer>({ ...QUERY_TIMEOUT, name: 'grant-players', text: PLAYERS, values });
  return rows.map((row) => ({ ...row, told: row.told === null ? {} : toldFrom(row.told) }));
}

function toldFrom(text: string): GrantPlayerRow['told'] {
  const told: JsonObject = parseStored(text);
  // The type is asserted and not checked, because the projection stored it.
  return told as GrantPlayerRow['told'];
}

/** What became of the players of a grant. */
export async function readGrantCounts(pool: Pool, projectId: string, grant: string): Promise<GrantCounts> {
  const values = [projectId, grant];
  const counted = await pool.query<{ outcome: string; players: number; short: number }>({ ...QUERY_TIMEOUT, text: COUNTS, values });
  const players = (outcome: string) => counted.rows.find((row) => row.outcome === outcome)?.players ?? 0;
  const isShort = counted.rows.some(({ short }) => short > 0);
  const short = isShort ? (await pool.query<GrantCounts['short'][number]>({ ...QUERY_TIMEOUT, text: SHORT, values })).rows : [];
  return {
    listed: players('listed'),
    given: players('given'),
    refused: players('refused'),
    taken: players('taken'),
    kept: players('kept'),
    short,
  };
}

/** Grants that began before this revision, the newest first. */
export async function readGrants(
  pool: Pool,
  projectId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly GrantRow[]> {
  const query = { ...QUERY_TIMEOUT, name: 'grants', text: NEWEST, values: [projectId, before, limit] };
  const { rows } = await pool.query<{ grant: string; body: string; begun: number }>(query);
  return rows.map(({ grant, body, begun }) => ({ grant, state: grantFrom(body), begun }));
}

/** Grants of all projects that somebody has to drive. */
export async function unfinishedGrants(pool: Pool, limit: number): Promise<readonly GrantWork[]> {
  const query = { ...QUERY_TIMEOUT, name: 'grants-unfinished', text: UNFINISHED, values: [DRIVEN, limit] };
  return (await pool.query<GrantWork>(query)).rows;
}
