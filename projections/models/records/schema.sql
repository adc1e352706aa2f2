-- Documents of global collections in order of time; the documents themselves are in `documents`. `listed_at` is the record's
-- `_timestamp` (0 without one: such records come last), `sequence` breaks ties.
CREATE TABLE {records} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  record_id text COLLATE "C" NOT NULL,
  listed_at bigint NOT NULL,
  sequence bigint NOT NULL,
  PRIMARY KEY (project, space, collection, record_id)
);
CREATE INDEX ON {records} (project, space, collection, listed_at DESC, sequence DESC);
