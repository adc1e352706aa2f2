/**
 * The number that a change counts for in sums, over columns of {ledger}. It is exact, because a sum of doubles fails beyond their range and
 * gives 0.30000000000000004 for 0.1 and 0.2. A number that a double cannot hold counts 0. One with very many digits counts as the nearest
 * double, because a short text can stand for a number that no column can hold.
 */
export const EXACT = `CASE WHEN amount = 0 OR length(delta::text) > 400 THEN amount::numeric ELSE delta::text::numeric END`;

/**
 * Adds entries to their totals. `entries`: a relation with the columns of {ledger}, and `part`, which stands for field and source.
 * `OFFSET 0` keeps the exact number from being computed three times.
 */
export function addToTotals(entries: string, project: string): string {
  return `INSERT INTO {ledger_totals} AS t (project, space, collection, player, key, part, field, source, count, increase, decrease)
SELECT ${project}, space, collection, player, key, part, field, source, count(*), sum(greatest(exact, 0)), sum(least(exact, 0))
FROM (SELECT *, ${EXACT} AS exact FROM ${entries} OFFSET 0) e GROUP BY ${project}, space, collection, player, key, part, field, source
ON CONFLICT (project, space, collection, player, key, part) DO UPDATE
SET count = t.count + excluded.count, increase = t.increase + excluded.increase, decrease = t.decrease + excluded.decrease`;
}
