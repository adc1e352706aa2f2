import type { TelemetryEvent } from '../../../src/domain/telemetry/events.ts';
import { type ListedEvent, listedEvent } from '../../../src/domain/telemetry/listing.ts';
import { evolvePlayer, type Player } from '../../../src/domain/telemetry/player.ts';
import { evolveSession, type SessionReport, sessionReport } from '../../../src/domain/telemetry/session.ts';
import { stringifyJson } from '../../../src/kernel/json.ts';
import { isOurs, type TelemetryEntry } from '../../../src/log/telemetry.ts';
import type { Transaction } from '../../tables.ts';
import { advanceTelemetry } from './checkpoint.ts';
import { loadSessions, type SessionRow, saveSessions, sessionKey } from './play-sessions.ts';
import { loadPlayers, savePlayers } from './players.ts';

const INSERT = `
INSERT INTO {telemetry_events} (project, revision, recorded_at, platform_id, type, category, label, source, endpoint_slug, collection_id,
  session_id, payload)
SELECT $1, revision, recorded_at, platform_id, type, category, label, source, endpoint_slug, collection_id, session_id, payload::json
FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
  $12::text[]) AS w (revision, recorded_at, platform_id, type, category, label, source, endpoint_slug, collection_id, session_id, payload)`;

const SWEEP_EVENTS = 'DELETE FROM {telemetry_events} WHERE project = $1 AND revision < $2';
const SWEEP_SESSIONS = 'DELETE FROM {telemetry_sessions} WHERE project = $1 AND revision < $2';
const FORGET = 'DELETE FROM {telemetry_players} WHERE project = $1';

/** An event with its index in the list. */
interface Listed extends ListedEvent {
  readonly revision: number;
  readonly recordedAt: number;
}

/** The rows that a batch changes. */
interface Fold {
  readonly players: Map<string, Player>;
  readonly listed: Listed[];
  readonly reports: { readonly report: SessionReport; readonly revision: number; readonly at: number }[];
}

interface Writing {
  /** Whether events are listed, and not only added to players and sessions. Default true. */
  readonly listed?: boolean;
}

/** Moves the tables of a project from before the first of these events to the last. The caller must have locked the checkpoint's row. */
export async function writeTelemetry(tx: Transaction, events: readonly TelemetryEntry[], { listed = true }: Writing = {}): Promise<void> {
  const last = events.at(-1);
  if (last === undefined) return;
  for (const part of parts(events)) await writePart(tx, part, listed);
  await advanceTelemetry(tx, { revision: last.revision, eventId: last.id });
}

/**
 * Divides the events into parts, each of which ends with a sweep or with the batch. Later events must not see what a sweep removes, however
 * the batches are cut.
 */
function* parts(events: readonly TelemetryEntry[]): Generator<readonly TelemetryEntry[]> {
  let start = 0;
  for (const [index, { type }] of events.entries()) {
    if (type !== 'telemetry.swept' && index < events.length - 1) continue;
    yield events.slice(start, index + 1);
    start = index + 1;
  }
}

async function writePart(tx: Transaction, events: readonly TelemetryEntry[], listed: boolean): Promise<void> {
  await writeRows(tx, events.filter(isOurs), listed);
  const last = events.at(-1);
  if (last?.type !== 'telemetry.swept') return;
  const { before, forgotten } = last.data;
  await tx.run('telemetry-sweep-events', SWEEP_EVENTS, [before]);
  await tx.run('telemetry-sweep-sessions', SWEEP_SESSIONS, [before]);
  if (forgotten) await tx.run('telemetry-forget', FORGET, []);
}

async function writeRows(tx: Transaction, events: readonly TelemetryEvent[], listed: boolean): Promise<void> {
  const ids = events.flatMap((event) => playerIdOf(event) ?? []);
  const fold: Fold = { players: await loadPlayers(tx, [...new Set(ids)]), listed: [], reports: [] };
  for (const event of events) foldOne(fold, event);
  await savePlayers(tx, fold.players);
  await writeSessions(tx, fold);
  if (listed) await insert(tx, fold.listed);
}

function foldOne({ players, listed, reports }: Fold, event: TelemetryEvent): void {
  const at = event.type === 'heartbeats.folded' ? event.data.lastAt : event.metadata.recordedAt;
  const playerId = playerIdOf(event);
  const before = playerId === null ? null : (players.get(playerId) ?? null);
  const shown = listedEvent(event, before);
  if (shown !== null) listed.push({ ...shown, revision: event.revision, recordedAt: at });
  const report = sessionReport(event, before?.profile.sessionId ?? null);
  if (report !== null) reports.push({ report, revision: event.revision, at });
  const after = evolvePlayer(before, event);
  if (after !== null && playerId !== null) players.set(playerId, after);
}

/** The player to whom an event belongs. */
function playerIdOf(event: TelemetryEvent): string | null {
  return event.type === 'telemetry.swept' || event.type === 'save.failed' ? null : event.data.platformId;
}

async function writeSessions(tx: Transaction, { reports }: Fold): Promise<void> {
  const sessions: Map<string, SessionRow> = await loadSessions(
    tx,
    reports.map(({ report }) => report),
  );
  for (const { report, revision, at } of reports) {
    const { platformId, sessionId } = report;
    const key = sessionKey(platformId, sessionId);
    sessions.set(key, { platformId, sessionId, revision, ...evolveSession(sessions.get(key) ?? null, report, at) });
  }
  await saveSessions(tx, [...sessions.values()]);
}

async function insert(tx: Transaction, rows: readonly Listed[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run('telemetry-events', INSERT, [
    rows.map((row) => row.revision),
    rows.map((row) => row.recordedAt),
    rows.map((row) => row.platformId),
    rows.map((row) => row.type),
    rows.map((row) => row.category),
    rows.map((row) => row.label),
    rows.map((row) => row.source),
    rows.map((row) => row.endpointSlug),
    rows.map((row) => row.collectionId),
    rows.map((row) => row.sessionId),
    rows.map((row) => stringifyJson(row.payload)),
  ]);
}
