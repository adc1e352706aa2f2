-- What became of money, folded from ledger.posted. day counts from 1970-01-01 UTC. Sums are exact, and none is negative.

-- What moved in one place on one day: entries of a field with a source, through an endpoint (empty: none). part stands for currency,
-- collection, field, source, endpoint and correction. What came in beyond what went out in the same commit is faucet, what went out beyond
-- it is sink. players counts those that {economy_players} holds.
CREATE TABLE {economy_days} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  part text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  field text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  endpoint text COLLATE "C" NOT NULL,
  correction boolean NOT NULL,
  entries bigint NOT NULL,
  players bigint NOT NULL,
  inflow numeric NOT NULL,
  outflow numeric NOT NULL,
  faucet numeric NOT NULL,
  sink numeric NOT NULL,
  PRIMARY KEY (project, space, day, part)
) WITH (fillfactor = 70);

-- A currency's days. What a day closes with is opening + inflow - outflow. Null until entries of a later day have come: active, of that,
-- what players had who moved it within 30 days; how many holders had more than 0, and what they held; of both, the richest hundredth.
CREATE TABLE {economy_supply} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  opening numeric NOT NULL,
  entries bigint NOT NULL,
  inflow numeric NOT NULL,
  outflow numeric NOT NULL,
  faucet numeric NOT NULL,
  sink numeric NOT NULL,
  corrected_in numeric NOT NULL,
  corrected_out numeric NOT NULL,
  active numeric,
  holders bigint,
  held numeric,
  top_holders bigint,
  top_balance numeric,
  PRIMARY KEY (project, space, currency, day)
) WITH (fillfactor = 70);

-- The names that a day tells apart, as a list of texts: sources of a field, and where field is empty, fields of a collection.
CREATE TABLE {economy_names} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  collection text COLLATE "C" NOT NULL,
  field text COLLATE "C" NOT NULL,
  names json NOT NULL,
  PRIMARY KEY (project, space, day, collection, field)
);

-- Sums by player that are not added to the tables below yet: part, player, entries, in and out, each at its place of the lists. To add up
-- each entry as it comes would cost more than the rest of the model; of many commits, a player is written once. pending.ts says what waits
-- how long.
CREATE TABLE {economy_pending} (
  project text COLLATE "C" NOT NULL,
  bucket integer NOT NULL,
  block bigint NOT NULL,
  space text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  parts text[] COLLATE "C" NOT NULL,
  players text[] COLLATE "C" NOT NULL,
  entries bigint[] NOT NULL,
  inflows numeric[] NOT NULL,
  outflows numeric[] NOT NULL,
  PRIMARY KEY (project, bucket, block, space)
) WITH (fillfactor = 70);

CREATE TABLE {economy_players} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  part text COLLATE "C" NOT NULL,
  player text COLLATE "C" NOT NULL,
  entries bigint NOT NULL,
  inflow numeric NOT NULL,
  outflow numeric NOT NULL,
  PRIMARY KEY (project, space, day, part, player)
) WITH (fillfactor = 70);

-- What a player has of a currency, and the day of the last entry.
CREATE TABLE {economy_holders} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  player text COLLATE "C" NOT NULL,
  balance numeric NOT NULL,
  day integer NOT NULL,
  PRIMARY KEY (project, space, currency, player)
) WITH (fillfactor = 70);
