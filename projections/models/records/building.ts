/** The progress of a list `f` of {record_lists} that is not complete, from 0 to below 1. */
export const FRACTION = `CASE f.phase WHEN 'rows' THEN least(coalesce(f.done::float8 / greatest(f.total, 1), 0), 0.99) ELSE 0 END`;
