-- Both layers of the definitions. ordinal is the order of creation.
CREATE TABLE {definitions} (
  project text COLLATE "C" NOT NULL,
  layer text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  ordinal integer NOT NULL,
  hash text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (project, layer, kind, id)
);

-- Texts by content hash, oldest first by ordinal. A complete text is one row. An incomplete one has a row for each part that was pushed.
CREATE TABLE {definition_sources} (
  project text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  part integer NOT NULL,
  parts integer NOT NULL,
  ordinal integer NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (project, hash, part)
);

-- What each publish changed, field by field and bounded: an item for each of its changes, in their order. The texts that it met are
-- dropped.
CREATE TABLE {publish_differences} (
  project text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  differences json NOT NULL,
  PRIMARY KEY (project, revision)
);

CREATE TABLE {definition_sets} (
  project text COLLATE "C" PRIMARY KEY,
  generation bigint NOT NULL,
  live_hash text NOT NULL,
  next_hash text NOT NULL
);
