/** The statement as readers run it: every `{table}` becomes its view of the active version. */
export function throughViews(statement: string): string {
  return statement.replace(/\{(\w+)\}/g, 'savepoint.$1');
}

/**
 * A scalar subquery: the lowest checkpoint of `projections` in the project `$1`, −1 while one of them has none. As a part of the statement
 * that reads the rows, it comes from the same snapshot.
 */
export function revisionOf(projections: readonly string[]): string {
  const names = projections.map((name) => `'${name}'`).join(', ');
  return `(SELECT CASE WHEN count(c.revision) = ${projections.length} THEN min(c.revision) ELSE -1 END
    FROM savepoint.projection_versions v
    LEFT JOIN savepoint.checkpoints c ON c.project = $1 AND c.projection = v.name AND c.version = v.active
    WHERE v.name IN (${names}))`;
}
