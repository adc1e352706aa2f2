-- The document that holds a value of a unique field, by the hash of field and value. An outdated claim has no effect: see
-- src/app/project/unique-claims.ts.
CREATE TABLE {uniques} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  holder text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, space, collection, hash)
);
