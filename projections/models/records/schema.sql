-- Documents of global collections in order of time. The documents themselves are in the table of documents. listed_at is the record's
-- _timestamp (0 without one: such records come last), and sequence decides between equal ones.
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

-- The collections that have a list, its phase (complete, or rows, drop: see ../../fills.ts) and its cursor.
CREATE TABLE {record_lists} (
  project text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  phase text NOT NULL,
  space text COLLATE "C" NOT NULL DEFAULT '',
  key text COLLATE "C" NOT NULL DEFAULT '',
  done bigint NOT NULL DEFAULT 0,
  total bigint,
  PRIMARY KEY (project, collection)
) WITH (fillfactor = 50);
