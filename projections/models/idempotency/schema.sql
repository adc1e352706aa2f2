-- The first answer to every idempotent append.
CREATE TABLE {idempotency} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  caller text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  body_hash text NOT NULL,
  record_id text NOT NULL,
  timestamp bigint NOT NULL,
  recorded_at bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, space, collection, caller, key)
);
