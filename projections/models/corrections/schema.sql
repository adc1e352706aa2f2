-- Commits that were undone, by their last revision. A commit whose undoing was undone keeps its row.
CREATE TABLE {undone_commits} (
  project text COLLATE "C" NOT NULL,
  commit bigint NOT NULL,
  undone boolean NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, commit)
);

-- What support gives to many players. body: its state, as JSON. begun, revision: of its first and its last event.
CREATE TABLE {grants} (
  project text COLLATE "C" NOT NULL,
  grant_id text COLLATE "C" NOT NULL,
  phase text COLLATE "C" NOT NULL,
  body json NOT NULL,
  begun bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, grant_id)
);
CREATE INDEX ON {grants} (project, begun);

-- The players of a grant. place: in its list. outcome: 'listed' before it was served. given: the revision at which the player got it, null
-- before. told: what else its last event says, as JSON.
CREATE TABLE {grant_players} (
  project text COLLATE "C" NOT NULL,
  grant_id text COLLATE "C" NOT NULL,
  player text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  given bigint,
  told json,
  revision bigint NOT NULL,
  PRIMARY KEY (project, grant_id, player)
) WITH (fillfactor = 70);
CREATE INDEX ON {grant_players} (project, grant_id, outcome, place);
