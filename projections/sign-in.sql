-- How people sign in to the console: of links, sessions and passwords hashes alone. No read model: nothing can build it anew, and it is in
-- no log.
DROP TABLE IF EXISTS savepoint.sign_in_links, savepoint.sign_in_sessions, savepoint.sign_in_passwords;
CREATE TABLE savepoint.sign_in_links (
  hash text COLLATE "C" PRIMARY KEY,
  person text COLLATE "C" NOT NULL,
  until bigint NOT NULL
);
CREATE TABLE savepoint.sign_in_sessions (
  hash text COLLATE "C" PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  person text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  used_at bigint NOT NULL,
  -- It is over so long after its last use, ms.
  idle bigint NOT NULL,
  until bigint NOT NULL,
  -- `browser`: its token is a cookie; `command`: the command line sends it.
  kind text COLLATE "C" NOT NULL,
  agent text NOT NULL,
  address text
);
CREATE INDEX sign_in_sessions_of ON savepoint.sign_in_sessions (person, used_at);
CREATE TABLE savepoint.sign_in_passwords (
  person text COLLATE "C" PRIMARY KEY,
  hash text NOT NULL
);
-- Command lines that wait for a person to confirm them, each by a code.
CREATE TABLE savepoint.sign_in_requests (
  hash text COLLATE "C" PRIMARY KEY,
  code text COLLATE "C" NOT NULL UNIQUE,
  until bigint NOT NULL,
  agent text NOT NULL,
  address text,
  -- Who has confirmed it.
  person text COLLATE "C"
);
