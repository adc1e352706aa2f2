-- The log in Postgres: three tables and one function. Running this file again changes nothing.
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

-- One row: the position of the last event. Updated by every call, so its page keeps room for versions that have no index entries.
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

-- Carries any number of appends. streams, expected and counts hold one element per append: the stream, the last revision the writer
-- believes in (-1: no such stream yet, -2: any) and the number of events. The other arrays hold one element per event, in the order
-- of the appends; owners says to which append, from 1, an event belongs.
--
-- Appends to one stream must be neighbours, each expecting what the one before it makes of the stream, "any" last.
--
-- Answers one row per append, in order. Each is decided by itself:
--   stored now           repeated = false, revision and position of its last event
--   stored before        repeated = true,  revision and position of its last event
--   conflict             repeated is null, the actual revision (-1: no such stream)
CREATE OR REPLACE FUNCTION savepoint.log_append(
  streams text[], expected bigint[], counts integer[],
  owners integer[], ids uuid[], types text[], datas json[], metadatas json[]
) RETURNS TABLE (at_revision bigint, at_position bigint, repeated boolean)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  appends constant integer := cardinality(streams);
  old_head bigint;
  head bigint;
  revisions bigint[];
  -- What to add to an event's place in the arrays to get its position and its revision; null for appends that store nothing.
  position_shift bigint[] := array_fill(NULL::bigint, ARRAY[appends]);
  revision_shift bigint[] := array_fill(NULL::bigint, ARRAY[appends]);
  last_revisions bigint[] := array_fill(NULL::bigint, ARRAY[appends]);
  last_positions bigint[] := array_fill(NULL::bigint, ARRAY[appends]);
  current bigint;
  passed integer := 0;
  found_count integer;
BEGIN
  -- First of all the lock; nothing read before it could be trusted.
  SELECT h.position INTO STRICT old_head FROM savepoint.log_head h FOR UPDATE;
  head := old_head;

  revisions := ARRAY(
    SELECT coalesce(s.revision, -1)
    FROM unnest(streams) WITH ORDINALITY AS a (stream, n) LEFT JOIN savepoint.log_streams s ON s.stream = a.stream
    ORDER BY a.n
  );

  FOR i IN 1 .. appends LOOP
    IF i = 1 OR streams[i] <> streams[i - 1] THEN
      current := revisions[i];
    END IF;
    IF expected[i] = current OR expected[i] = -2 THEN
      position_shift[i] := head - passed;
      revision_shift[i] := current - passed;
      head := head + counts[i];
      current := current + counts[i];
      last_revisions[i] := current;
      last_positions[i] := head;
      at_revision := current;
      at_position := head;
      repeated := false;
    ELSE
      -- Sent again after its answer was lost? Then these very events follow the revision it expects, and it gets its first answer.
      at_position := NULL;
      IF counts[i] > 0 AND expected[i] + counts[i] <= current THEN
        SELECT count(*), max(e.position) INTO found_count, at_position
        FROM unnest(ids[passed + 1 : passed + counts[i]]) WITH ORDINALITY AS w (id, n)
        JOIN savepoint.log_events e ON e.stream = streams[i] AND e.revision = expected[i] + w.n AND e.id = w.id;
        IF found_count < counts[i] THEN
          at_position := NULL;
        END IF;
      END IF;
      repeated := CASE WHEN at_position IS NOT NULL THEN true END;
      at_revision := CASE WHEN repeated THEN expected[i] + counts[i] ELSE current END;
    END IF;
    passed := passed + counts[i];
    RETURN NEXT;
  END LOOP;

  IF head = old_head THEN
    RETURN;
  END IF;

  INSERT INTO savepoint.log_events (position, stream, revision, id, type, data, metadata)
  SELECT position_shift[e.owner] + e.n, streams[e.owner], revision_shift[e.owner] + e.n, e.id, e.type, e.data, e.metadata
  FROM unnest(owners, ids, types, datas, metadatas) WITH ORDINALITY AS e (owner, id, type, data, metadata, n)
  WHERE position_shift[e.owner] IS NOT NULL;

  INSERT INTO savepoint.log_streams AS s (stream, revision, position)
  SELECT a.stream, max(a.revision), max(a.position)
  FROM unnest(streams, counts, last_revisions, last_positions) AS a (stream, count, revision, position)
  WHERE a.position IS NOT NULL AND a.count > 0
  GROUP BY a.stream
  ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision, position = excluded.position;

  UPDATE savepoint.log_head h SET position = head;
END
$$;
