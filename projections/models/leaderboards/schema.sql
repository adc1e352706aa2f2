-- A board is one field of one collection in one order. Queries that ask for the same one share it.
CREATE TABLE {leaderboard_queries} (
  project text COLLATE "C" NOT NULL,
  query text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  descending boolean NOT NULL,
  PRIMARY KEY (project, query, hash)
);

-- rank orders the board ascending: it is the value, or its negative on a descending board. Of equal values the one that was reached first
-- comes first: reached is the revision of the commit that brought the value.
CREATE TABLE {leaderboards} (
  project text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value double precision NOT NULL,
  rank double precision NOT NULL,
  reached bigint NOT NULL,
  PRIMARY KEY (project, board, space, key)
);
CREATE INDEX ON {leaderboards} (project, board, space, rank, reached, key);

-- The number of rows of a board in a space. No row means none.
CREATE TABLE {leaderboard_counts} (
  project text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (project, board, space)
) WITH (fillfactor = 50);

-- A mark is the start of a rank bucket. Marks give ranks without counting the whole board. About one row in 512, chosen by its key alone,
-- is a mark, and counts the rows from itself up to the next mark. A mark that sorts before everything counts the rows before the first one.
CREATE TABLE {leaderboard_buckets} (
  project text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  rank double precision NOT NULL,
  reached bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (project, board, space, rank, reached, key)
) WITH (fillfactor = 70);

-- Boards that are not complete, and the progress of their pages (see fill.ts). The cursor is space and key, with rank and reached in the
-- phase of the rank buckets.
CREATE TABLE {leaderboard_fills} (
  project text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  phase text NOT NULL,
  space text COLLATE "C" NOT NULL DEFAULT '',
  key text COLLATE "C" NOT NULL DEFAULT '',
  rank double precision NOT NULL DEFAULT '-Infinity',
  reached bigint NOT NULL DEFAULT 0,
  done bigint NOT NULL DEFAULT 0,
  total bigint,
  PRIMARY KEY (project, board)
) WITH (fillfactor = 50);
