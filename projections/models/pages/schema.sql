-- The pages of a project as they were last saved.
CREATE TABLE {pages} (
  project text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  page json NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, slug)
);
