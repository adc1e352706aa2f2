-- The projectors that run on this database, and when each was last heard of. One that was silent for a while has no share of the projects.
CREATE TABLE savepoint.projectors (
  id text PRIMARY KEY,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);
