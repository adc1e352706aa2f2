-- Commits that were undone, by their last revision. A commit whose undoing was undone keeps its row.
CREATE TABLE {undone_commits} (
  project text COLLATE "C" NOT NULL,
  commit bigint NOT NULL,
  undone boolean NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, commit)
);
