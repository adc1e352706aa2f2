-- Endpoint calls, and other requests that were refused or failed, of all nodes. No read model: nothing can build it anew, and no decision
-- rests on it. Rows are removed by age, and by number for each project and kind: calls that succeed would soon push out the refusals that
-- somebody asks about a week later.
DROP TABLE IF EXISTS savepoint.call_log, savepoint.call_log_calls, savepoint.call_log_counts;
DROP SEQUENCE IF EXISTS savepoint.call_log_numbers;

-- Grows in the order of commits, because whoever stores holds a lock: what was read up to one number never changes. A statement takes one
-- number, and its requests count on from there.
CREATE SEQUENCE savepoint.call_log_numbers INCREMENT 1024;

-- What was refused or failed. A row with `missed` is no request: so many were left out there.
CREATE TABLE savepoint.call_log (
  project text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
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
  step text,
  PRIMARY KEY (project, seq)
);
CREATE INDEX call_log_times ON savepoint.call_log (project, at, seq);
CREATE INDEX call_log_players ON savepoint.call_log (project, player, at, seq) WHERE player IS NOT NULL;
CREATE INDEX call_log_slugs ON savepoint.call_log (project, slug, at, seq) WHERE slug IS NOT NULL;
CREATE INDEX call_log_codes ON savepoint.call_log (project, code, at, seq) WHERE code IS NOT NULL;
CREATE INDEX call_log_statuses ON savepoint.call_log (project, status, at, seq);
CREATE INDEX call_log_requests ON savepoint.call_log (project, request_id);
CREATE INDEX call_log_missed ON savepoint.call_log (project, at) WHERE missed > 0;

-- Calls that succeeded, as lists: a row and five index entries for each call took a tenth of the CPU of the call itself. A row is for what
-- one statement stored of one project and ten seconds. The lists from `places` on have an entry for each call, those from `slugs` on one
-- for each kind of call, which `kinds` names from 1 on. The `seq` of a call is base + place, its time since + later.
CREATE TABLE savepoint.call_log_calls (
  project text COLLATE "C" NOT NULL,
  base bigint NOT NULL,
  part integer NOT NULL,
  since bigint NOT NULL,
  until bigint NOT NULL,
  places integer[] NOT NULL,
  later integer[] NOT NULL,
  tenths integer[] NOT NULL,
  revisions bigint[] NOT NULL,
  players text[] COLLATE "C" NOT NULL,
  request_ids text[] COLLATE "C" NOT NULL,
  kinds integer[] NOT NULL,
  slugs text[] COLLATE "C" NOT NULL,
  statuses integer[] NOT NULL,
  nexts integer[] NOT NULL,
  methods text[] NOT NULL,
  paths text[] NOT NULL,
  routes text[] NOT NULL,
  messages text[] NOT NULL,
  PRIMARY KEY (project, base, part)
);
CREATE INDEX call_log_calls_times ON savepoint.call_log_calls (project, until, base, part);

-- How many requests of each kind there are, so that nothing has to be counted to know what is too much.
CREATE TABLE savepoint.call_log_counts (
  project text COLLATE "C" NOT NULL,
  failed boolean NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (project, failed)
) WITH (fillfactor = 50);
