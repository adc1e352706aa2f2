-- The revisions that changed a subject. History and time travel use it to find events. A row is for a block of 64 revisions, because a row for
-- every event was a fifth of what Postgres did for a write. hashes and revisions belong together, in order of revision. A hash of 64 bits
-- stands for the subject, so in rare cases the result contains a revision of another subject.
CREATE TABLE {subjects} (
  project text COLLATE "C" NOT NULL,
  block bigint NOT NULL,
  hashes bigint[] NOT NULL,
  revisions bigint[] NOT NULL,
  PRIMARY KEY (project, block)
) WITH (fillfactor = 70);
