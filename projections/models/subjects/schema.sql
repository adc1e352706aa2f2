-- The revisions that a subject or an id stands in. History and time travel use it to find events. shape.ts says how it grows. A row is for
-- many entries, because a row for every event was a fifth of what Postgres did for a write. hashes and revisions belong together, in order
-- of revision. A hash of 64 bits stands for the subject, so in rare cases the result contains a revision of another subject.
CREATE TABLE {subjects} (
  project text COLLATE "C" NOT NULL,
  block bigint NOT NULL,
  hashes bigint[] NOT NULL,
  revisions bigint[] NOT NULL,
  PRIMARY KEY (project, block)
) WITH (fillfactor = 70);

-- The ranges that were merged, in 1 024 buckets for 16 384 revisions. first is the revision of the row's first entry; part tells the rows
-- of one bucket of one range apart.
CREATE TABLE {subject_buckets} (
  project text COLLATE "C" NOT NULL,
  bucket integer NOT NULL,
  first bigint NOT NULL,
  part integer NOT NULL,
  hashes bigint[] NOT NULL,
  revisions bigint[] NOT NULL,
  PRIMARY KEY (project, bucket, first, part)
);
