-- Stores any number of appends in one call. streams, expected and counts hold one element per append: the stream, the last revision that
-- the writer believes in (-1: no such stream yet, -2: any) and the number of events. The other arrays hold one element per event, in the
-- order of the appends; owners says to which append, from 1, an event belongs.
-- Appends to one stream must be neighbours. Each must expect the revision that the one before it leads to; "any" comes last.
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
  -- What to add to an event's index in the arrays to get its position and its revision; null for appends that store nothing.
  position_shift bigint[] := array_fill(NULL::bigint, ARRAY[appends]);
  revision_shift bigint[] := array_fill(NULL::bigint, ARRAY[appends]);
  last_revisions bigint[] := array_fill(NULL::bigint, ARRAY[appends]);
  last_positions bigint[] := array_fill(NULL::bigint, ARRAY[appends]);
  current bigint;
  passed integer := 0;
  found_count integer;
  -- The first append, which is mostly the only one.
  first_stream constant text := streams[1];
  first_expected constant bigint := expected[1];
  first_count constant integer := counts[1];
BEGIN
  -- Nearly every call is one append that goes on at the end of its stream, and with small groups the statements cost more than the rows. So
  -- this case has a path of its own with only three statements. The first of them waits for the lock, as the one below does.
  IF appends = 1 AND first_expected >= 0 AND first_count > 0 THEN
    UPDATE savepoint.log_head h SET position = h.position + first_count RETURNING h.position INTO STRICT head;
    UPDATE savepoint.log_streams s SET revision = first_expected + first_count, position = head
    WHERE s.stream = first_stream AND s.revision = first_expected;
    IF FOUND THEN
      INSERT INTO savepoint.log_events (position, stream, revision, id, type, data, metadata)
      SELECT head - first_count + e.n, first_stream, first_expected + e.n, e.id, e.type, e.data, e.metadata
      FROM unnest(ids, types, datas, metadatas) WITH ORDINALITY AS e (id, type, data, metadata, n);
      at_revision := first_expected + first_count;
      at_position := head;
      repeated := false;
      RETURN NEXT;
      RETURN;
    END IF;
    -- The stream is not at the expected revision. Nothing has happened yet, so the append is decided like any other.
    UPDATE savepoint.log_head h SET position = h.position - first_count;
  END IF;

  -- The lock comes first; nothing that was read before it could be trusted.
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
      -- Was it sent again after its answer was lost? Then these very events follow the revision that it expects, and it gets its first
      -- answer.
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
