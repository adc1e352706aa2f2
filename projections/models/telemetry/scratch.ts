import type { Pool } from 'pg';
import { dropVersion } from '../../migrate.ts';
import { TELEMETRY } from '../../registry.ts';
import { schemaOf, type Transaction } from '../../tables.ts';
import { withClient } from '../../transaction.ts';

/** Telemetry's tables in a version that is only folded into, beside those that readers use. */

/** Creates the tables for the duration of `work`. Drops tables of this version that a killed process left first. */
export async function onScratch<T>(pool: Pool, version: number, work: () => Promise<T>): Promise<T> {
  await withClient(pool, async (client) => {
    await dropVersion(client, TELEMETRY, version);
    await client.query(schemaOf(TELEMETRY, version).replaceAll('CREATE TABLE', 'CREATE UNLOGGED TABLE'));
  });
  try {
    return await work();
  } finally {
    await withClient(pool, (client) => dropVersion(client, TELEMETRY, version)).catch(() => undefined);
  }
}

/** Resets the project's checkpoint in these tables and removes its rows. */
export async function beginScratch(tx: Transaction): Promise<void> {
  await tx.wipe(TELEMETRY);
  await tx.run('telemetry-scratch', `INSERT INTO {telemetry_checkpoints} (project, revision, event_id) VALUES ($1, -1, '')`, []);
}
