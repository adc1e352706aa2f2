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
  PRIMARY KEY (project, space, collection, player, revision, ordinal)
);
