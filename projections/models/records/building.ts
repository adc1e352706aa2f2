/** How far a list `f` of {record_lists} has come, from 0 to below 1, while it is not complete. */
export const FRACTION = `CASE f.phase WHEN 'rows' THEN least(coalesce(f.done::float8 / greatest(f.total, 1), 0), 0.99) ELSE 0 END`;
