-- The log in Postgres: three tables, and the function of append.sql. Running the files again changes nothing.
--
-- WHY A READER CAN NEVER SKIP AN EVENT. Readers go by position: "what lies after 41?" With an ordinary sequence, transaction A takes
-- 42, transaction B takes 43 and commits first; a reader sees 43, goes on from there, and 42 appears behind its back. Here no position
-- is taken before the row lock on log_head is held, and Postgres releases that lock only after the commit is visible. So whoever may
-- take 43 does so after 42 can be seen by everyone: positions become visible in their own order, without holes, whatever number of
-- servers write. A failed append rolls its head back with it, so no number is lost either: positions are dense.
--
-- The price is that appends of the whole log go one after the other. It is paid once per call instead of once per append: a server
-- sends everything that waits, of whatever streams, in one call.
--
-- WHY READ COMMITTED, AND WHY VOLATILE. A call may wait for the lock while another server commits. Every statement of a volatile
-- function takes a new snapshot under READ COMMITTED, so the statements after the lock see all that was committed before it was
-- granted. Under REPEATABLE READ they would not, and the call would fail; the adapter sets the level itself.

CREATE SCHEMA IF NOT EXISTS savepoint;

-- One row: the position of the last event. Every call updates it. Its page keeps room for new versions of the row, which then need no new
-- index entries.
CREATE TABLE IF NOT EXISTS savepoint.log_head (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  position bigint NOT NULL
) WITH (fillfactor = 10);

INSERT INTO savepoint.log_head (position) VALUES (0) ON CONFLICT DO NOTHING;

-- The last revision of each stream and its position.
CREATE TABLE IF NOT EXISTS savepoint.log_streams (
  stream text PRIMARY KEY,
  revision bigint NOT NULL,
  position bigint NOT NULL
) WITH (fillfactor = 50);

-- json and never jsonb: the hash chain covers the text as it was sent, and jsonb would sort keys and print numbers anew.
CREATE TABLE IF NOT EXISTS savepoint.log_events (
  position bigint PRIMARY KEY,
  stream text NOT NULL,
  revision bigint NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  data json NOT NULL,
  metadata json NOT NULL,
  UNIQUE (stream, revision)
);
