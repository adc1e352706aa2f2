-- The projectors that run on this database, by what they last said. Who is silent for a while has no share in the projects.
CREATE TABLE savepoint.projectors (
  id text PRIMARY KEY,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);
