-- Which revisions changed a subject: history and time travel read the events themselves through it.
CREATE TABLE {subjects} (
  project text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, subject, revision)
);
