-- Players whose devices prove them. They are kept for good.
CREATE TABLE {guests} (
  project text COLLATE "C" NOT NULL,
  guest text COLLATE "C" NOT NULL,
  -- Hashes of the devices' secrets with when they came (unix ms), hash of the recovery code and of the
  -- secret of the device that asked for it, linked account.
  body json NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, guest)
);

-- Which guest a recovery code (by its hash) or an account leads to. A code that was used stays: whoever sends it again learns of its guest.
CREATE TABLE {guest_names} (
  project text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  guest text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, kind, name)
);
