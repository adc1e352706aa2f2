-- What stands between next and live, as decisions read it: who staged what, and the newest approvals. body: the state, as JSON.
CREATE TABLE {releases} (
  project text COLLATE "C" PRIMARY KEY,
  body json NOT NULL
);

-- Every approval that somebody asked for, and those that an owner went past. asked, ended: revisions of its first event, and of the one
-- that used, voided or withdrew it. publish: the same of the publish that it was used for. body: its state, as JSON.
CREATE TABLE {approvals} (
  project text COLLATE "C" NOT NULL,
  approval text COLLATE "C" NOT NULL,
  asked bigint NOT NULL,
  ended bigint,
  publish bigint,
  body json NOT NULL,
  PRIMARY KEY (project, approval)
);
CREATE INDEX ON {approvals} (project, asked);
CREATE INDEX ON {approvals} (project, publish) WHERE publish IS NOT NULL;

-- What was said about approvals.
CREATE TABLE {approval_comments} (
  project text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  approval text COLLATE "C" NOT NULL,
  actor json NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL,
  ticket text,
  said_with text,
  PRIMARY KEY (project, revision)
);
CREATE INDEX ON {approval_comments} (project, approval, revision);
