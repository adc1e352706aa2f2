-- How people sign in to the console: of links, sessions and passwords hashes alone. No read model: nothing can build it anew, and it is in no log.
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
  until bigint NOT NULL,
  agent text NOT NULL,
  address text
);
CREATE INDEX sign_in_sessions_of ON savepoint.sign_in_sessions (person, used_at);
CREATE TABLE savepoint.sign_in_passwords (
  person text COLLATE "C" PRIMARY KEY,
  hash text NOT NULL
);
