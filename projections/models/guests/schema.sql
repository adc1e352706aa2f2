-- Players whose devices prove them. Rows are never removed.
CREATE TABLE {guests} (
  project text COLLATE "C" NOT NULL,
  guest text COLLATE "C" NOT NULL,
  -- Hashes of the devices' secrets with the times at which they were added (unix ms), hash of the recovery code and of the secret of the
  -- device that requested it, linked account.
  body json NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, guest)
);

-- The guest that a recovery code (by its hash) or an account leads to. A used code stays, so that a repeated request gets the same answer.
CREATE TABLE {guest_names} (
  project text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  guest text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, kind, name)
);
