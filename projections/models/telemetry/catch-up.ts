import type { Pool } from 'pg';
import { UnknownEvent } from '../../../src/log/decode.ts';
import type { Log } from '../../../src/log/port.ts';
import { telemetryStream } from '../../../src/log/streams.ts';
import { HistoryMismatch } from '../../checkpoints.ts';
import type { Transaction } from '../../tables.ts';
import { transaction } from '../../transaction.ts';
import { writeBatch } from './batch.ts';
import { beginTelemetry, checkHistory, lockCheckpoint, TELEMETRY_VERSIONS } from './checkpoint.ts';
import { telemetryProjects } from './rebuild.ts';

/**
 * Writes every event that the log holds beyond the rows, for a command that must leave none unwritten. It works in batches like the
 * projector, but without pauses. Resolves to the projects that cannot be read to the end, each with the reason.
 */
export async function catchUpTelemetry({ log, pool }: { readonly log: Log; readonly pool: Pool }): Promise<ReadonlyMap<string, Error>> {
  const stopped = new Map<string, Error>();
  for (const projectId of await telemetryProjects(pool)) {
    try {
      await catchUp(log, pool, projectId);
    } catch (error) {
      if (!(error instanceof UnknownEvent || error instanceof HistoryMismatch)) throw error;
      stopped.set(projectId, error);
    }
  }
  return stopped;
}

async function catchUp(log: Log, pool: Pool, projectId: string): Promise<void> {
  if ((await log.head(telemetryStream(projectId))) === null) return;
  await beginTelemetry(pool, projectId);
  const batch = () => transaction(pool, projectId, TELEMETRY_VERSIONS, (tx) => nextBatch(tx, log));
  while ((await batch()) > 0);
}

async function nextBatch(tx: Transaction, log: Log): Promise<number> {
  const at = await lockCheckpoint(tx);
  if (at === null) return 0;
  await checkHistory(log, tx.projectId, at);
  return (await writeBatch(tx, log, at)).events;
}
