import { randomUUID } from 'node:crypto';
import { TOTALS_VERSIONS, type TotalsCompleted, type TotalsKept, type TotalsType } from '../../../src/domain/telemetry/totals.ts';
import { encodeEvent } from '../../../src/kernel/json.ts';
import { type Log, type NewEvent, OutcomeUnknown, type RecordedEvent } from '../../../src/log/port.ts';
import { TRUNCATED, telemetryStream, totalsStream } from '../../../src/log/streams.ts';
import { unsealedMetadata } from '../../../src/log/telemetry.ts';
import { readTotalsEvent } from '../../../src/log/totals.ts';
import { HistoryMismatch } from '../../checkpoints.ts';
import type { Transaction } from '../../tables.ts';
import { advanceTelemetry, type TelemetryCheckpoint } from './checkpoint.ts';
import { saveSessions } from './play-sessions.ts';
import { savePlayers } from './players.ts';

/** The totals of a project in the log: finds them, loads them into tables so that folding can continue, and writes them. */

export interface Totals extends TotalsCompleted {
  /** Revision of the event that completes them. */
  readonly revision: number;
}

/** Events that are read at once. A part is about 128 KiB. */
const PAGE = 4;

/** The last complete totals; `null` when the project's telemetry was never truncated. Parts after them are of an interrupted truncation. */
export async function findTotals(log: Log, projectId: string): Promise<Totals | null> {
  for await (const recorded of newestFirst(log, projectId)) {
    if (!isCompletion(recorded)) continue;
    const event = readTotalsEvent(recorded);
    if (event.type === COMPLETED) return { ...event.data, revision: event.revision };
  }
  return null;
}

/** What other programs wrote to the stream of totals. That before the last complete totals is removed with older totals. */
export async function foreignTotals(log: Log, projectId: string): Promise<readonly RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for await (const event of newestFirst(log, projectId)) {
    if (isCompletion(event)) break;
    if (event.type !== TRUNCATED && unsealedMetadata(event) === null) found.push(event);
  }
  return found.reverse();
}

async function* newestFirst(log: Log, projectId: string): AsyncGenerator<RecordedEvent> {
  const stream = totalsStream(projectId);
  let page = await log.read(stream, { limit: 1, direction: 'backwards' });
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    yield* page;
    if (last.revision === 0) return;
    page = await log.read(stream, { from: last.revision - 1, limit: PAGE, direction: 'backwards' });
  }
}

function isCompletion(event: RecordedEvent): boolean {
  return event.type === COMPLETED && unsealedMetadata(event) !== null;
}

const COMPLETED = 'totals.completed';

/**
 * Loads the totals into empty tables and returns the revision after which folding begins: −1, or that of the last truncated event. Moves
 * the checkpoint there; the caller must have locked it. Totals that reach beyond `until` are not used. Throws {@link HistoryMismatch} when
 * the log holds another event there, or when newer totals have replaced these meanwhile.
 */
export async function beginFromTotals(tx: Transaction, log: Log, until = Number.MAX_SAFE_INTEGER): Promise<number> {
  const { projectId } = tx;
  const totals = await findTotals(log, projectId);
  if (totals === null || totals.through.revision > until) return -1;
  const { revision, eventId } = totals.through;
  const [event] = await log.read(telemetryStream(projectId), { from: revision, limit: 1, direction: 'forwards' });
  if (event?.id !== eventId)
    throw new HistoryMismatch(projectId, `its telemetry has another event at revision ${revision} than its totals`);
  await restore(tx, log, totals);
  await advanceTelemetry(tx, totals.through);
  return revision;
}

async function restore(tx: Transaction, log: Log, { revision, parts, players, sessions }: Totals): Promise<void> {
  const stream = totalsStream(tx.projectId);
  let [somePlayers, someSessions] = [0, 0];
  for (let at = revision - parts; at < revision; ) {
    const page = await log.read(stream, { from: at, limit: Math.min(PAGE, revision - at), direction: 'forwards' });
    if (page[0]?.revision !== at) break;
    for (const event of page.map(readTotalsEvent)) {
      if (event.type !== 'totals.kept') break;
      const kept = event.data;
      await savePlayers(tx, new Map(kept.players.map(({ platformId, ...player }) => [platformId, player])));
      await saveSessions(tx, kept.sessions);
      somePlayers += kept.players.length;
      someSessions += kept.sessions.length;
    }
    at += page.length;
  }
  if (somePlayers === players && someSessions === sessions) return;
  throw new HistoryMismatch(tx.projectId, `the totals of its telemetry hold ${somePlayers} of ${players} players`);
}

/** Bytes of a part, about. A single row may be larger. */
const PART_BYTES = 128 * 1024;
const TRIES = 5;

/** Writes totals, a part at a time. Only one process can write: a second one finds that the stream has grown, and fails. */
export class TotalsWriter {
  readonly #log: Log;
  readonly #projectId: string;
  readonly #now: number;
  #head: number | 'none';
  #players: string[] = [];
  #sessions: string[] = [];
  #bytes = 0;
  #parts = 0;
  readonly #counts = { players: 0, sessions: 0 };

  private constructor(log: Log, projectId: string, now: number, head: number | 'none') {
    this.#log = log;
    this.#projectId = projectId;
    this.#now = now;
    this.#head = head;
  }

  static async open(log: Log, projectId: string, now: number): Promise<TotalsWriter> {
    const head = await log.head(totalsStream(projectId));
    return new TotalsWriter(log, projectId, now, head?.revision ?? 'none');
  }

  async player(player: TotalsKept['players'][number]): Promise<void> {
    this.#counts.players += 1;
    await this.#add(this.#players, player);
  }

  async session(session: TotalsKept['sessions'][number]): Promise<void> {
    this.#counts.sessions += 1;
    await this.#add(this.#sessions, session);
  }

  /** Completes the totals, which makes them valid. Resolves to the revision of their first event. */
  async complete(through: TelemetryCheckpoint): Promise<number> {
    await this.#flush();
    const { revision, eventId } = through;
    await this.#append(COMPLETED, encodeEvent({ through: { revision, eventId }, parts: this.#parts, ...this.#counts }));
    return Number(this.#head) - this.#parts;
  }

  async #add(rows: string[], row: object): Promise<void> {
    const text = encodeEvent(row);
    if (this.#bytes > 0 && this.#bytes + text.length > PART_BYTES) await this.#flush();
    rows.push(text);
    this.#bytes += Buffer.byteLength(text);
  }

  async #flush(): Promise<void> {
    if (this.#bytes === 0) return;
    await this.#append('totals.kept', `{"players":[${this.#players.splice(0).join()}],"sessions":[${this.#sessions.splice(0).join()}]}`);
    this.#bytes = 0;
    this.#parts += 1;
  }

  async #append(type: TotalsType, data: string): Promise<void> {
    const metadata = { schemaVersion: TOTALS_VERSIONS[type], recordedAt: this.#now, actor: { kind: 'operator' } };
    const event = { id: randomUUID(), type, data, metadata: JSON.stringify(metadata) };
    const result = await this.#sendUntilKnown(event);
    if (!result.ok) throw new Error(`totals of ${this.#projectId} are being written by another process`);
    this.#head = result.revision;
  }

  /** Repeats the append until its outcome is known. The identical append is stored only once. */
  async #sendUntilKnown(event: NewEvent) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#log.append(totalsStream(this.#projectId), this.#head, [event]);
      } catch (error) {
        if (!(error instanceof OutcomeUnknown) || tries === TRIES) throw error;
      }
    }
  }
}
