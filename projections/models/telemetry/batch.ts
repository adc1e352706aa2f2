import type { Log } from '../../../src/log/port.ts';
import { TELEMETRY_PREFIX } from '../../../src/log/streams.ts';
import { foreignOf, type TelemetryEntry } from '../../../src/log/telemetry.ts';
import { noteForeignOf } from '../../foreign-events.ts';
import type { Transaction } from '../../tables.ts';
import { readBatch, type TelemetryCheckpoint } from './checkpoint.ts';
import { writeTelemetry } from './projection.ts';
import { beginFromTotals } from './totals.ts';

export interface WrittenBatch {
  readonly events: number;
  /** Those of them that another program wrote. */
  readonly foreign: number;
  /** The last revision that the tables show. */
  readonly shown: number;
}

/** Writes the next events after a checkpoint that the transaction has locked. Throws when the next one cannot be read. */
export async function writeBatch(tx: Transaction, log: Log, at: TelemetryCheckpoint): Promise<WrittenBatch> {
  const from = at.revision < 0 ? await beginFromTotals(tx, log) : at.revision;
  const { events, unknown } = await readBatch(log, tx.projectId, from);
  if (events.length === 0 && unknown !== null) throw unknown;
  const foreign = await writeAndTell(tx, events);
  return { events: events.length, foreign, shown: events.at(-1)?.revision ?? from };
}

/** Writes a batch, and notes what other programs wrote for `doctor`. Resolves to how many events these are. */
export async function writeAndTell(tx: Transaction, events: readonly TelemetryEntry[]): Promise<number> {
  const foreign = foreignOf(events).map(({ revision, theirType }) => ({ revision, type: theirType }));
  await noteForeignOf(tx, TELEMETRY_PREFIX, foreign);
  await writeTelemetry(tx, events);
  return foreign.length;
}
