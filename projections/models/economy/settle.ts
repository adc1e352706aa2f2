/** Whoever moved money within so many days counts as active, the day itself included. */
export const ACTIVE_DAYS = 30;

/** The sums by player in a row of {economy_pending}: part, player, entries, in and out. */
export function linesOf(row: string): string {
  return `unnest(${row}.parts, ${row}.players, ${row}.entries, ${row}.inflows, ${row}.outflows) AS l (t, p, n, i, o)`;
}

/** Adds up what waits of each bucket of $2 before its block of $3. All of it is of one day. */
export const SETTLE = `
WITH gone AS (
  DELETE FROM {economy_pending} w USING unnest($2::int[], $3::bigint[]) AS due (bucket, block)
  WHERE w.project = $1 AND w.bucket = due.bucket AND w.block < due.block
  RETURNING w.space, w.day, w.parts, w.players, w.entries, w.inflows, w.outflows),
line AS MATERIALIZED (
  SELECT space, day, l.t AS part, l.p AS player, sum(l.n)::bigint AS entries, sum(l.i) AS inflow, sum(l.o) AS outflow
  FROM gone CROSS JOIN LATERAL ${linesOf('gone')} GROUP BY 1, 2, 3, 4),
added AS (
  INSERT INTO {economy_players} AS x (project, space, day, part, player, entries, inflow, outflow)
  SELECT $1, space, day, part, player, entries, inflow, outflow FROM line
  ON CONFLICT (project, space, day, part, player) DO UPDATE
  SET entries = x.entries + excluded.entries, inflow = x.inflow + excluded.inflow, outflow = x.outflow + excluded.outflow
  RETURNING space, day, part, xmax = 0 AS isnew),
counted AS (
  UPDATE {economy_days} d SET players = d.players + f.players
  FROM (SELECT space, day, part, count(*) AS players FROM added WHERE isnew GROUP BY 1, 2, 3) f
  WHERE d.project = $1 AND d.space = f.space AND d.day = f.day AND d.part = f.part)
INSERT INTO {economy_holders} AS h (project, space, currency, player, balance, day)
  SELECT $1, l.space, d.currency, l.player, sum(l.inflow - l.outflow), max(l.day)
  FROM line l JOIN {economy_days} d ON d.project = $1 AND d.space = l.space AND d.day = l.day AND d.part = l.part GROUP BY 2, 3, 4
  ON CONFLICT (project, space, currency, player) DO UPDATE SET balance = h.balance + excluded.balance, day = excluded.day`;

/**
 * How a currency is shared, as one row: holders who have more than 0, what they have together, and of both the richest hundredth, at least
 * one. `balances`: a relation with the column `balance`.
 */
export const shareOf = (balances: string) => `
SELECT h.holders, h.held, h.top_holders, (SELECT coalesce(sum(t.balance), 0) FROM (
  SELECT b.balance FROM ${balances} b WHERE b.balance > 0 ORDER BY b.balance DESC LIMIT h.top_holders) t) AS top_balance
FROM (SELECT count(*) AS holders, coalesce(sum(b.balance), 0) AS held, ceil(count(*) / 100.0)::bigint AS top_holders
  FROM ${balances} b WHERE b.balance > 0) h`;

const HOLDERS = '(SELECT x.balance, x.day FROM {economy_holders} x WHERE x.project = $1 AND x.space = s.space AND x.currency = s.currency)';

/** $2: what this day ended with, of which nothing waits any more and after which nothing is added up yet. $3: {@link ACTIVE_DAYS}. */
export const CLOSE_DAY = `
UPDATE {economy_supply} s SET
  active = (SELECT coalesce(sum(a.balance), 0) FROM ${HOLDERS} a WHERE a.day > s.day - $3),
  (holders, held, top_holders, top_balance) = (${shareOf(HOLDERS)})
WHERE s.project = $1 AND s.day = $2`;
