-- Auth sessions: one row for a session and all sessions that were refreshed from it.
CREATE TABLE {sessions} (
  project text COLLATE "C" NOT NULL,
  family text COLLATE "C" NOT NULL,
  player text COLLATE "C" NOT NULL,
  -- In order of issue: id, hash of the token, id of the session that it was refreshed from, created, expires, revoked (unix ms), and the
  -- device of a guest that opened the first.
  sessions json NOT NULL,
  -- When the last of them expires, unix ms.
  expires_at bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, family)
);

CREATE INDEX ON {sessions} (project, expires_at);
-- Support looks at the sessions of one player.
CREATE INDEX ON {sessions} (project, player, expires_at, family);

-- Request ids that were used, sorted by expiry, because new ones are added and old ones removed at the ends.
CREATE TABLE {used_requests} (
  project text COLLATE "C" NOT NULL,
  until bigint NOT NULL,
  identity_type text COLLATE "C" NOT NULL,
  identity text COLLATE "C" NOT NULL,
  request text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, until, identity_type, identity, request)
);
