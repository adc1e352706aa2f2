-- Endpoint calls, and other requests that were refused or failed, of all nodes. No read model: nothing can build it anew, and no decision rests
-- on it. Rows are removed by age, and by number for each project and kind; `failed` tells the kinds apart, or calls that succeed would soon
-- push out the refusals that somebody asks about a week later. A row with `missed` is no request: so many were left out there.
CREATE TABLE savepoint.call_log (
  project text COLLATE "C" NOT NULL,
  -- Grows in the order of commits, because whoever stores holds a lock: what was read up to one number never changes.
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at bigint NOT NULL,
  failed boolean NOT NULL,
  missed integer NOT NULL,
  status integer NOT NULL,
  ms real NOT NULL,
  revision bigint,
  next boolean NOT NULL,
  slug text COLLATE "C",
  code text COLLATE "C",
  player text COLLATE "C",
  request_id text COLLATE "C" NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  route text NOT NULL,
  message text,
  PRIMARY KEY (project, seq)
);
CREATE INDEX call_log_succeeded ON savepoint.call_log (project, at, seq) WHERE NOT failed;
CREATE INDEX call_log_failed ON savepoint.call_log (project, at, seq) WHERE failed;
CREATE INDEX call_log_players ON savepoint.call_log (project, player, at, seq) WHERE player IS NOT NULL;
CREATE INDEX call_log_slugs ON savepoint.call_log (project, slug, at, seq) WHERE slug IS NOT NULL;
CREATE INDEX call_log_codes ON savepoint.call_log (project, code, at, seq) WHERE code IS NOT NULL;
CREATE INDEX call_log_statuses ON savepoint.call_log (project, status, at, seq) WHERE failed;
CREATE INDEX call_log_requests ON savepoint.call_log (project, request_id);
CREATE INDEX call_log_missed ON savepoint.call_log (project, at) WHERE missed > 0;

-- How many rows of each kind there are, so that nothing has to be counted to know what is too much.
CREATE TABLE savepoint.call_log_counts (
  project text COLLATE "C" NOT NULL,
  failed boolean NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (project, failed)
) WITH (fillfactor = 50);
