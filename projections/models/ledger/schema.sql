-- One row for each ledger field that a write changed. before, after and delta keep the exact number. amount is delta as a double, for sums.
-- player is the document's key up to the first _, in global collections, too. A read of one document's ledger names its key as well.
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
  -- Whether {ledger_totals} includes it, which is always true. A build that does not know totals cannot insert without this column, so only
  -- builds that do can write the table.
  summed boolean NOT NULL,
  -- Who made the commit, as its metadata say.
  actor json NOT NULL,
  PRIMARY KEY (project, space, collection, player, revision, ordinal)
);
-- What a sum of the economy is made of is found by source and time.
CREATE INDEX ON {ledger} (project, space, source COLLATE "C", at);

-- The entries of a document summed by field and source. A summary over all time reads these, whatever the number of entries. part stands
-- for field and source.
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
