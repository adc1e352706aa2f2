-- Which revisions changed a subject. History and time travel read the events themselves through it. A row is for a block of 64 revisions,
-- because a row for every event was a fifth of what Postgres did for a write. hashes and revisions belong together, in order of revision. A
-- hash of 64 bits stands for the subject, so in rare cases a revision of another subject is found, too.
CREATE TABLE {subjects} (
  project text COLLATE "C" NOT NULL,
  block bigint NOT NULL,
  hashes bigint[] NOT NULL,
  revisions bigint[] NOT NULL,
  PRIMARY KEY (project, block)
) WITH (fillfactor = 70);
