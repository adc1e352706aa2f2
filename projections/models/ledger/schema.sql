-- One row per changed ledger field of a write. `before`, `after` and `delta` keep the exact number; `amount` is `delta` as a double,
-- for sums. `player` is the document's key up to the first `_`, of records of global collections, too: who asks for one document names
-- its key beside it.
CREATE TABLE {ledger} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  player text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  ordinal integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  field text COLLATE "C" NOT NULL,
  before json NOT NULL,
  after json NOT NULL,
  delta json NOT NULL,
  amount double precision NOT NULL,
  source text NOT NULL,
  reason text,
  at bigint NOT NULL,
  event_id text NOT NULL,
  -- Whether {ledger_totals} counts it: it always does. A build that knows no totals cannot say so, and leaves the table to those that do.
  summed boolean NOT NULL,
  PRIMARY KEY (project, space, collection, player, revision, ordinal)
);


-- The entries of a document summed by field and source: what a summary over all time is read from, however many entries there are. `part`
-- stands for field and source.
CREATE TABLE {ledger_totals} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  player text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  part text COLLATE "C" NOT NULL,
  field text COLLATE "C" NOT NULL,
  source text NOT NULL,
  count bigint NOT NULL,
  increase numeric NOT NULL,
  decrease numeric NOT NULL,
  PRIMARY KEY (project, space, collection, player, key, part)
) WITH (fillfactor = 70);
