-- Projects, their settings, game packages and keys. A deleted project keeps its row here and nowhere else.
CREATE TABLE {projects} (
  project text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  created_at bigint NOT NULL,
  deleted boolean NOT NULL,
  settings json NOT NULL,
  revision bigint NOT NULL,
  package json
);

CREATE TABLE {project_keys} (
  project text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  ordinal integer NOT NULL,
  kind text NOT NULL,
  label text NOT NULL,
  hash text NOT NULL,
  display text NOT NULL,
  enabled boolean NOT NULL,
  permissions json,
  created_at bigint NOT NULL,
  PRIMARY KEY (project, key_id)
);

-- Of every key that there was, also of those that were revoked: histories say who did something.
CREATE TABLE {key_labels} (
  project text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  label text NOT NULL,
  PRIMARY KEY (project, key_id)
);
