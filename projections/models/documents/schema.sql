-- The current state of every document and global record. document is null for a deleted one: in a next space that row hides the live
-- document. The type is json and not jsonb, because the stored text is served. created_revision is the event that began the document's
-- present life. balances: of its ledger, null for none; see src/domain/document/balances.ts. parts: what was stored in parts since an event
-- carried the whole document, null for nothing; see src/domain/document/parts.ts. reached: the revisions at which the document came to the
-- numbers that queries sort by, for each path; since created_revision where a path has none.
CREATE TABLE {documents} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  document json,
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  created_revision bigint NOT NULL,
  revision bigint NOT NULL,
  balances json,
  parts json,
  reached jsonb,
  PRIMARY KEY (project, space, collection, key)
) WITH (fillfactor = 85);
