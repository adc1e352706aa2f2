-- The pages of a project as their last save says.
CREATE TABLE {pages} (
  project text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  page json NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, slug)
);
