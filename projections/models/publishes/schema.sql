-- Publishes, promotions and rollbacks, and who made them. target is the layer that was changed. actor and changes are JSON texts as the
-- event stores them.
CREATE TABLE {publishes} (
  project text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  hash text NOT NULL,
  generation bigint,
  restored bigint,
  changes json NOT NULL,
  actor json NOT NULL,
  cause text NOT NULL,
  at bigint NOT NULL,
  message text,
  ticket text,
  PRIMARY KEY (project, revision)
);
-- Which rollback undid a publish is found among those since.
CREATE INDEX ON {publishes} (project, revision) WHERE action = 'rollback';
