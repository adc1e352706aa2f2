-- A board is one field of one collection in one order; queries that ask for the same share it.
CREATE TABLE {leaderboard_queries} (
  project text COLLATE "C" NOT NULL,
  query text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  descending boolean NOT NULL,
  PRIMARY KEY (project, query, hash)
);

-- `rank` orders the board ascending: the value, or its negative for a descending board.
CREATE TABLE {leaderboards} (
  project text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value double precision NOT NULL,
  rank double precision NOT NULL,
  PRIMARY KEY (project, board, space, key)
);
CREATE INDEX ON {leaderboards} (project, board, space, rank, key);

-- Rows of a board in a space; no row stands for none.
CREATE TABLE {leaderboard_counts} (
  project text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (project, board, space)
) WITH (fillfactor = 50);

-- Ranks without counting a board: about one row in 512, chosen by its key alone, is a mark, and counts the rows from itself up to the
-- next mark. What comes before the first mark is counted by a row that comes before everything.
CREATE TABLE {leaderboard_marks} (
  project text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  rank double precision NOT NULL,
  key text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (project, board, space, rank, key)
) WITH (fillfactor = 70);

-- Boards that are not complete: how far their pages are (see fill.ts). `space` and `key` are the cursor, with `rank` among the marks.
CREATE TABLE {leaderboard_fills} (
  project text COLLATE "C" NOT NULL,
  board text COLLATE "C" NOT NULL,
  phase text NOT NULL,
  space text COLLATE "C" NOT NULL DEFAULT '',
  key text COLLATE "C" NOT NULL DEFAULT '',
  rank double precision NOT NULL DEFAULT '-Infinity',
  done bigint NOT NULL DEFAULT 0,
  total bigint,
  PRIMARY KEY (project, board)
) WITH (fillfactor = 50);
