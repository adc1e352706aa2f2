-- The latest window of every rate-limit counter.
CREATE TABLE {limits} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  counter text COLLATE "C" NOT NULL,
  start bigint NOT NULL,
  used double precision NOT NULL,
  flagged boolean NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, space, counter)
) WITH (fillfactor = 85);
