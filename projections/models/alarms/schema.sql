-- Alarms of the economy that were raised: each once for a window of time.
CREATE TABLE {alarms} (
  project text COLLATE "C" NOT NULL,
  alarm text COLLATE "C" NOT NULL,
  time_window text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  currency text NOT NULL,
  source text,
  player text,
  amount double precision NOT NULL,
  threshold double precision NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (project, alarm, time_window)
);
CREATE INDEX ON {alarms} (project, revision);
