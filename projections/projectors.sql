-- The projectors that run on this database, and when each last reported. One that has not reported for a while is assigned no projects.
CREATE TABLE savepoint.projectors (
  id text PRIMARY KEY,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);
