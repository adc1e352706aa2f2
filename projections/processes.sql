-- The processes of an installation, and a day of what each did in every minute, which the console shows. No read model: nothing can build
-- it anew, and no decision rests on it. Each process writes its own rows, and whoever comes removes those that are a day old.
CREATE TABLE savepoint.processes (
  id text COLLATE "C" PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  roles text NOT NULL,
  started_at bigint NOT NULL,
  seen_at bigint NOT NULL
);
-- Times of requests are ms. `busy` is the share of the minute in which its one thread computed, `behind` how many revisions its read models
-- lack.
CREATE TABLE savepoint.process_minutes (
  minute bigint NOT NULL,
  process text COLLATE "C" NOT NULL,
  requests integer NOT NULL,
  refused integer NOT NULL,
  failed integer NOT NULL,
  p50 real,
  p99 real,
  busy real NOT NULL,
  memory bigint NOT NULL,
  behind bigint NOT NULL,
  PRIMARY KEY (minute, process)
) WITH (fillfactor = 70);
