-- Which revisions changed a subject: history and time travel read the events themselves through it. Rows of many events each, since a
-- row for every event was a fifth of what Postgres did for a write: `hashes` and `revisions` go together, in order of revision, and a row has those
-- of a block of 64. A hash of 64 bits stands for the subject, so a revision of another may be among those found, though rarely.
CREATE TABLE {subjects} (
  project text COLLATE "C" NOT NULL,
  block bigint NOT NULL,
  hashes bigint[] NOT NULL,
  revisions bigint[] NOT NULL,
  PRIMARY KEY (project, block)
) WITH (fillfactor = 70);
