-- What players report. It is read from a stream of its own beside the project's, so its checkpoint is independent of the other tables.
-- Times are unix milliseconds.
CREATE TABLE {telemetry_checkpoints} (
  project text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL,
  -- The id of the event at revision. Another event at that revision means another history.
  event_id text NOT NULL
) WITH (fillfactor = 50);

-- The listed events, without those that retention has swept.
CREATE TABLE {telemetry_events} (
  project text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  recorded_at bigint NOT NULL,
  platform_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  label text NOT NULL,
  source text NOT NULL,
  endpoint_slug text,
  collection_id text,
  session_id text COLLATE "C",
  payload json NOT NULL,
  PRIMARY KEY (project, revision)
);
CREATE INDEX ON {telemetry_events} (project, category, revision);
-- What support reads of one player is in the order of time, beside what else happened.
CREATE INDEX ON {telemetry_events} (project, platform_id, recorded_at, revision);

-- One row per player: the sums of the heartbeats, then the presence profile.
CREATE TABLE {telemetry_players} (
  project text COLLATE "C" NOT NULL,
  platform_id text COLLATE "C" NOT NULL,
  first_seen bigint,
  last_heartbeat bigint,
  total_seconds bigint,
  player_name text,
  online boolean NOT NULL,
  online_since bigint,
  last_seen bigint NOT NULL,
  profile_heartbeat bigint,
  session_id text COLLATE "C",
  session_seconds double precision NOT NULL,
  play_seconds double precision NOT NULL,
  session_count bigint NOT NULL,
  last_type text NOT NULL,
  events bigint NOT NULL,
  listed_at bigint,
  last_endpoint_slug text,
  -- When the player starts to count as offline, according to the node that gathers the player's heartbeats.
  online_until bigint,
  PRIMARY KEY (project, platform_id)
) WITH (fillfactor = 70);
-- Support finds players by how their name begins.
CREATE INDEX ON {telemetry_players} (project, (lower(player_name) COLLATE "C"), platform_id);

-- One row per session of a player. revision is that of the session's last event.
CREATE TABLE {telemetry_sessions} (
  project text COLLATE "C" NOT NULL,
  platform_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  started_at bigint,
  last_heartbeat_at bigint,
  ended_at bigint,
  seconds double precision NOT NULL,
  fps json,
  PRIMARY KEY (project, platform_id, session_id)
) WITH (fillfactor = 70);
CREATE INDEX ON {telemetry_sessions} (project, revision);
