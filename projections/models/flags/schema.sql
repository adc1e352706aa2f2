-- Writes that exceeded a rate-limit rule whose action is flag: the first of each window.
CREATE TABLE {flags} (
  project text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  space text COLLATE "C" NOT NULL,
  collection text NOT NULL,
  key text NOT NULL,
  rule text NOT NULL,
  time_window text NOT NULL,
  start bigint NOT NULL,
  subject text COLLATE "C" NOT NULL,
  amount double precision NOT NULL,
  most double precision NOT NULL,
  at bigint NOT NULL,
  event_id text NOT NULL,
  PRIMARY KEY (project, revision)
);
CREATE INDEX ON {flags} (project, space, subject, revision);
