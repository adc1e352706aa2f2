import { readFileSync } from 'node:fs';
import { FIRST_FORMAT_REFUSED } from '../src/log/decode.ts';
import { FOREIGN_EVENTS, FOREIGN_EVENTS_OF_STREAMS } from './foreign-events.ts';

/** One migration of the database. Names are unique and never reused; a published migration is never changed. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** The projections' own migrations, in their order. */
export function ownMigrations(): readonly Migration[] {
  const sql = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
  return [
    { name: 'projections-0001', sql: sql('./schema.sql') },
    { name: 'projections-0002', sql: FOLLOWED_EVENT },
    { name: 'foreign-events-0001', sql: FOREIGN_EVENTS },
    { name: 'projectors-0001', sql: sql('./projectors.sql') },
    { name: 'call-log-0003', sql: sql('./call-log.sql') },
    { name: 'foreign-events-0002', sql: FOREIGN_EVENTS_OF_STREAMS },
    { name: 'read-models-0010', sql: READ_MODELS_ANEW },
    { name: 'sign-in-0002', sql: sql('./sign-in.sql') },
    { name: 'processes-0001', sql: sql('./processes.sql') },
    { name: 'sign-in-0003', sql: CONFIRMED_BY },
    { name: 'key-uses-0001', sql: sql('./key-uses.sql') },
    { name: 'sign-in-0004', sql: GONE_LINKS },
    { name: 'telemetry-0001', sql: REPORTS_BY_TIME },
    { name: 'publishes-0001', sql: ROLLBACKS },
    { name: 'publishes-0002', sql: TICKETS },
    { name: 'sign-in-0005', sql: SIGNED_IN },
  ];
}

/** The projector resumes at an event that it looks up in its stream, because a bare position cannot be checked on every engine. */
const FOLLOWED_EVENT = 'ALTER TABLE savepoint.follow_positions ADD COLUMN stream text, ADD COLUMN revision bigint';

/** The session by which a person has confirmed a command line: with it ends what it has confirmed. */
const CONFIRMED_BY = 'ALTER TABLE savepoint.sign_in_requests ADD COLUMN session text COLLATE "C"';

/** Links that let nobody in any more, and why: whoever holds one is told. A table of its own: an older node finds no used link. */
const GONE_LINKS = `CREATE TABLE savepoint.sign_in_links_gone (
  hash text COLLATE "C" PRIMARY KEY,
  -- Or it is over.
  used boolean NOT NULL,
  -- When it is forgotten.
  until bigint NOT NULL
)`;

/** When each person signed in last: sessions that are over are gone. */
const SIGNED_IN = `CREATE TABLE savepoint.sign_in_last (person text COLLATE "C" PRIMARY KEY, at bigint NOT NULL);
INSERT INTO savepoint.sign_in_last SELECT person, max(created_at) FROM savepoint.sign_in_sessions GROUP BY person`;

/** What games reported of a player is read in the order of time. Tables of telemetry are rebuilt in place, so they have one version. */
const REPORTS_BY_TIME = `
DO $$ BEGIN
  IF to_regclass('savepoint.telemetry_events_v1') IS NOT NULL THEN
    CREATE INDEX ON savepoint.telemetry_events_v1 (project, platform_id, recorded_at, revision);
    DROP INDEX IF EXISTS savepoint.telemetry_events_v1_project_platform_id_revision_idx;
  END IF;
END $$`;

/** Which rollback undid a publish is found among those since. A version that is made later has the index from the beginning. */
const ROLLBACKS = `
DO $$ DECLARE made text; BEGIN
  FOR made IN SELECT tablename FROM pg_tables WHERE schemaname = 'savepoint' AND tablename ~ '^publishes_v[0-9]+$' LOOP
    EXECUTE format($index$CREATE INDEX ON savepoint.%I (project, revision) WHERE action = 'rollback'$index$, made);
  END LOOP;
END $$`;

/** Tickets of what was published, and of what was said of an approval: none were named before. */
const TICKETS = `
DO $$ DECLARE made text; shown text; BEGIN
  FOR made IN SELECT tablename FROM pg_tables WHERE schemaname = 'savepoint' AND tablename ~ '^(publishes|approval_comments)_v[0-9]+$' LOOP
    EXECUTE format('ALTER TABLE savepoint.%I ADD COLUMN IF NOT EXISTS ticket text', made);
  END LOOP;
  FOR shown, made IN SELECT t.name, t.name || '_v' || v.active FROM savepoint.projection_versions v
    JOIN (VALUES ('publishes', 'publishes'), ('approval_comments', 'releases')) AS t (name, projection) ON t.projection = v.name LOOP
    EXECUTE format('CREATE OR REPLACE VIEW savepoint.%I AS SELECT * FROM savepoint.%I', shown, made);
  END LOOP;
END $$`;

/**
 * Read models of the first format of the log have other columns, and nothing can bring them up to date but the log itself. Where that is in
 * this database, and of the first format, too, nothing is changed.
 */
const READ_MODELS_ANEW = `
DO $$ DECLARE old text; first text; BEGIN
  IF to_regclass('savepoint.log_events') IS NOT NULL THEN
    EXECUTE $first$SELECT metadata::text FROM savepoint.log_events WHERE stream LIKE 'project-%' ORDER BY position LIMIT 1$first$ INTO first;
    IF first ~ '[,{]"hash":"[0-9a-f]{64}"}$' THEN RAISE EXCEPTION '${FIRST_FORMAT_REFUSED}'; END IF;
  END IF;
  FOR old IN SELECT tablename FROM pg_tables WHERE schemaname = 'savepoint' AND tablename ~ '_v[0-9]+$' LOOP
    EXECUTE format('DROP TABLE savepoint.%I CASCADE', old);
  END LOOP;
END $$;
DELETE FROM savepoint.checkpoints;
DELETE FROM savepoint.follow_positions;
DELETE FROM savepoint.projection_versions`;
