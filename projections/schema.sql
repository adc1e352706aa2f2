-- The tables that all projections share. Read-model tables carry a version suffix. Readers go through a view of the unsuffixed name. So a
-- rebuilt version takes over inside one transaction, and no reader meets a dropped table.

-- The version that readers see (`active`), and the one that a rebuild fills.
CREATE TABLE savepoint.projection_versions (
  name text PRIMARY KEY,
  active integer NOT NULL,
  building integer
);

-- The checkpoint of a version of a projection in one project's stream. It is moved by compare-and-set, in one transaction with the rows.
-- hash is the chain hash of the event at revision. A paused view waits for a rebuild.
CREATE TABLE savepoint.checkpoints (
  projection text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  project text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  hash text NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  error text,
  paused_at bigint,
  PRIMARY KEY (project, projection, version)
) WITH (fillfactor = 50);

-- Where following the whole log may resume: every project with an event up to position has its checkpoints. The id of the event at that
-- position shows whether the log is still the same.
CREATE TABLE savepoint.follow_positions (
  prefix text PRIMARY KEY,
  position bigint NOT NULL,
  event_id text NOT NULL
);

-- Data of this installation and not of a project, such as secrets made at the first start.
CREATE TABLE savepoint.installation (
  name text PRIMARY KEY,
  value text NOT NULL
);
