-- When each key was used last, which the console shows. No read model: nothing can build it anew, and no decision rests on it. A row of a
-- revoked key stays.
CREATE TABLE savepoint.key_uses (
  project text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  label text NOT NULL,
  used_at bigint NOT NULL,
  PRIMARY KEY (project, key_id)
);
-- A key that was made before uses were noted is not called unused.
INSERT INTO savepoint.installation (name, value) VALUES ('key-uses-since', (extract(epoch FROM now()) * 1000)::bigint::text) ON CONFLICT (name) DO NOTHING;
