import type { Pool } from 'pg';
import { ADVISORY_LOCKS } from '../../../src/kernel/advisory-locks.ts';
import type { Log } from '../../../src/log/port.ts';
import { TELEMETRY_PREFIX, telemetryStream, totalsStream } from '../../../src/log/streams.ts';
import { forgetForeign } from '../../foreign-events.ts';
import { TELEMETRY } from '../../registry.ts';
import { TRUNCATION_VERSION, type Versions } from '../../tables.ts';
import { transaction } from '../../transaction.ts';
import { readBatch, type TelemetryCheckpoint } from './checkpoint.ts';
import { type LoadedSession, sessionOf } from './play-sessions.ts';
import { type PlayerRow, playerOf } from './players.ts';
import { writeTelemetry } from './projection.ts';
import { beginScratch, onScratch } from './scratch.ts';
import { beginFromTotals, findTotals, TotalsWriter } from './totals.ts';

/**
 * Truncation. After retention has removed rows, the events without any shown row leave the log, too. What they added up to per player is
 * first stored as totals, in a stream of its own. A rebuild and a verification begin there. Totals are folded from the log into tables of
 * their own, by the code of every other fold. They are never taken from the tables that they are meant to prove.
 *
 * Only sessions that are still shown go into the totals. All others were swept. If that sweep lies before the truncation, the session is
 * gone; otherwise a later fold meets the sweep as well. Nothing of it remains in either case.
 *
 * The order is: write the totals, truncate the telemetry before them, truncate older totals. If this breaks off at any point, a rebuild
 * finds what it needs, and the next run does the rest. The stream of totals keeps its last event, so that another history can be detected.
 */

const VERSIONS: Versions = new Map([[TELEMETRY, TRUNCATION_VERSION]]);
/**
 * A truncation must free at least this many events, and at least as many as there are players, because the totals have an entry for each
 * player.
 */
const MIN = 1_000;
/** The most events of one run, which take minutes while other maintenance waits. The next run continues. */
const MAX = 1_000_000;
const ROWS = 200;

export interface TruncationOptions {
  readonly log: Log;
  readonly pool: Pool;
  /** Unix ms. */
  readonly now: number;
  /** The fewest events that a truncation must free. */
  readonly least?: number;
  /** The most events that it frees in each project; in a project with more players than that, as many as players. */
  readonly most?: number;
}

/**
 * Truncates every project's telemetry where that frees enough events. Resolves to the number of events that left the log. Does nothing
 * while another truncation runs.
 */
export async function truncateTelemetry(options: TruncationOptions): Promise<number> {
  const lock = await options.pool.connect();
  try {
    const { rows } = await lock.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [ADVISORY_LOCKS.truncation]);
    if (!rows[0]?.free) return 0;
    let events = 0;
    for (const project of await truncatable(options.pool)) events += await truncateOne(options, project);
    return events;
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.truncation]).catch(() => undefined);
    lock.release();
  }
}

/** A project, and the revision before which its events can be truncated. */
interface Truncatable {
  readonly project: string;
  readonly deleted: boolean;
  readonly through: number;
  readonly players: number;
}

/** The revision before the first event with a shown row. Without one, the revision of the tables. */
const TRUNCATABLE = `
SELECT c.project, p.deleted, coalesce((SELECT e.revision - 1 FROM savepoint.telemetry_events e WHERE e.project = c.project
    ORDER BY e.revision LIMIT 1), c.revision) AS through,
  (SELECT count(*) FROM savepoint.telemetry_players t WHERE t.project = c.project) AS players
FROM savepoint.telemetry_checkpoints c JOIN savepoint.projects p ON p.project = c.project WHERE c.revision > 0 ORDER BY c.project`;

async function truncatable(pool: Pool): Promise<readonly Truncatable[]> {
  const { rows } = await pool.query<{ project: string; deleted: boolean; through: string; players: string }>(TRUNCATABLE);
  return rows
    .map(({ project, deleted, through, players }) => ({ project, deleted, through: Number(through), players: Number(players) }))
    .filter(({ through }) => through > 0);
}

async function truncateOne(options: TruncationOptions, { project, deleted, through: reach, players }: Truncatable): Promise<number> {
  const { log, pool, now, least = MIN, most = MAX } = options;
  const stream = telemetryStream(project);
  const [first] = await log.read(stream, { limit: 1, direction: 'forwards' });
  if (first === undefined) return 0;
  const totals = await findTotals(log, project);
  const known = totals?.through.revision ?? -1;
  const through = Math.min(reach, first.revision + Math.max(most, least, players));
  const freed = through - first.revision;
  // A deleted project keeps no totals of players.
  const freesEnough = deleted ? players === 0 : freed >= Math.max(least, players);
  const worthwhile = freed > 0 && through > known && freesEnough;
  if (worthwhile) {
    const from = await onScratch(pool, TRUNCATION_VERSION, () => keepTotals(log, pool, project, through, now));
    await log.truncate(stream, through);
    await log.truncate(totalsStream(project), from);
    await forgetForeign(pool, project, TELEMETRY_PREFIX, through);
    return freed;
  }
  if (totals === null) return 0;
  // Completes a truncation that broke off after its totals.
  await log.truncate(stream, known);
  await log.truncate(totalsStream(project), totals.revision - totals.parts);
  await forgetForeign(pool, project, TELEMETRY_PREFIX, known);
  return Math.max(0, known - first.revision);
}

/** Folds up to `through` and writes the totals. Resolves to the revision of their first event. */
async function keepTotals(log: Log, pool: Pool, project: string, through: number, now: number): Promise<number> {
  const last = await foldThrough(log, pool, project, through);
  const writer = await TotalsWriter.open(log, project, now);
  for await (const row of rowsOf(pool, project, PLAYERS)) await writer.player({ platformId: row.platform_id, ...playerOf(row) });
  for await (const row of rowsOf(pool, project, SESSIONS)) await writer.session(sessionOf(row));
  return writer.complete(last);
}

/** Folds a batch at a time, so that little is in memory and locks are short. */
async function foldThrough(log: Log, pool: Pool, project: string, through: number): Promise<TelemetryCheckpoint> {
  let checkpoint = await transaction(pool, project, VERSIONS, async (tx) => {
    await beginScratch(tx);
    return { revision: await beginFromTotals(tx, log, through), eventId: '' };
  });
  while (checkpoint.revision < through) {
    const { events, unknown } = await readBatch(log, project, checkpoint.revision, through);
    if (unknown !== null) throw unknown;
    const last = events.at(-1);
    if (last === undefined) throw new Error(`the telemetry of ${project} ends at ${checkpoint.revision}, its tables stand beyond`);
    await transaction(pool, project, VERSIONS, (tx) => writeTelemetry(tx, events, { listed: false }));
    checkpoint = { revision: last.revision, eventId: last.id };
  }
  return checkpoint;
}

/** A statement that lists rows after a key of this many parts. */
interface Listing<Row> {
  readonly name: string;
  readonly statement: string;
  readonly keyOf: (row: Row) => readonly string[];
  readonly parts: number;
}

const PLAYERS: Listing<PlayerRow> = {
  name: 'telemetry-totals-players',
  parts: 1,
  keyOf: (row) => [row.platform_id],
  statement: `
SELECT * FROM {telemetry_players} WHERE project = $1 AND ($3::text IS NULL OR platform_id > $3) ORDER BY platform_id LIMIT $2`,
};
const SESSIONS: Listing<LoadedSession> = {
  name: 'telemetry-totals-sessions',
  parts: 2,
  keyOf: (row) => [row.platform_id, row.session_id],
  statement: `
SELECT platform_id, session_id, revision, started_at, last_heartbeat_at, ended_at, seconds, fps::text AS fps FROM {telemetry_sessions} s
WHERE project = $1 AND ($3::text IS NULL OR (platform_id, session_id) > ($3, $4)) AND EXISTS (SELECT FROM savepoint.telemetry_sessions a
  WHERE a.project = s.project AND a.platform_id = s.platform_id AND a.session_id = s.session_id)
ORDER BY platform_id, session_id LIMIT $2`,
};

/** Rows in the order of their key, some at a time. */
async function* rowsOf<Row extends object>(pool: Pool, project: string, listing: Listing<Row>): AsyncGenerator<Row> {
  let key: readonly (string | null)[] = Array.from({ length: listing.parts }, () => null);
  for (;;) {
    const values = [ROWS, ...key];
    const rows = await transaction(pool, project, VERSIONS, (tx) => tx.run<Row>(listing.name, listing.statement, values));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    key = listing.keyOf(last);
  }
}
