import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { ViewReader, ViewTable } from '../../src/app/ports/readers.ts';
import { countDocuments, readDocumentsAfter } from '../models/documents/sample.ts';
import { scanDocuments } from '../models/documents/scan.ts';
import { readFlags } from '../models/flags/read.ts';
import { readNeighbours } from '../models/leaderboards/neighbours.ts';
import { readLeaderboard } from '../models/leaderboards/read.ts';
import { readBoard } from '../models/leaderboards/rows.ts';
import { readLedgerFields } from '../models/ledger/fields.ts';
import { readLedger } from '../models/ledger/read.ts';
import { readPublishes } from '../models/publishes/read.ts';
import { readRecords } from '../models/records/read.ts';
import { readRevisions } from '../models/subjects/read.ts';
import type { Progress } from '../projector/projector.ts';
import { QUERY_TIMEOUT } from '../query-timeout.ts';
import { PROJECTION_NAMES } from '../registry.ts';
import { revisionOf } from '../through-views.ts';
import { readBuildings } from './building.ts';

const POLL_MS = 25;
/** One statement for each table, because a prepared statement has one text. */
const shown = (table: ViewTable) => ({ name: `shown-${table}`, text: `SELECT ${revisionOf([table])} AS revision` });
const SHOWN: Readonly<Record<ViewTable, { readonly name: string; readonly text: string }>> = {
  ledger: shown('ledger'),
  records: shown('records'),
  publishes: shown('publishes'),
  flags: shown('flags'),
  leaderboards: shown('leaderboards'),
  documents: shown('documents'),
};
const REACHED = `SELECT ${revisionOf(PROJECTION_NAMES)} AS revision`;

/**
 * `progress`: the projector of this process, or `null` where another process projects; the checkpoints are then polled. `hasCaughtUp`: see
 * {@link ViewReader.hasShown}.
 */
export function createViewReader(
  pool: Pool,
  progress: Progress | null,
  hasCaughtUp: (projectId: string) => boolean = () => true,
): ViewReader {
  return {
    caughtUp(projectId, revision, timeoutMs) {
      return progress === null ? polled(pool, projectId, revision, timeoutMs) : progress.waitFor(projectId, revision, timeoutMs);
    },
    async hasShown(projectId, table) {
      if (!hasCaughtUp(projectId)) return false;
      const { rows } = await pool.query<{ revision: string }>({ ...QUERY_TIMEOUT, ...SHOWN[table], values: [projectId] });
      return Number(rows[0]?.revision ?? -1) >= 0;
    },
    ledger: (projectId, filter, page) => readLedger(pool, projectId, filter, page),
    publishes: (projectId, page) => readPublishes(pool, projectId, page),
    flags: (projectId, filter) => readFlags(pool, projectId, filter),
    revisions: (projectId, subject, page) => readRevisions(pool, projectId, subject, page),
    records: (projectId, space, collection, page) => readRecords(pool, projectId, space, collection, page),
    scan: (projectId, space, sources, take) => scanDocuments(pool, projectId, space, sources, take),
    documentsAfter: (projectId, collection, after, page) => readDocumentsAfter(pool, projectId, collection, after, page),
    documentCount: (projectId, collection, most) => countDocuments(pool, projectId, collection, most),
    ledgerFields: (projectId, collection, most) => readLedgerFields(pool, projectId, collection, most),
    neighbours: (projectId, space, query, at, take) => readNeighbours(pool, projectId, space, query, at, take),
    leaderboard: (projectId, space, query, page, take) => readLeaderboard(pool, projectId, space, query, page, take),
    board: (projectId, query, take) => readBoard(pool, projectId, query, take),
    building: (projectId) => readBuildings(pool, projectId),
  };
}

async function polled(pool: Pool, projectId: string, revision: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { rows } = await pool.query<{ revision: string }>({ ...QUERY_TIMEOUT, name: 'reached', text: REACHED, values: [projectId] });
    if (Number(rows[0]?.revision ?? -1) >= revision) return true;
    if (performance.now() + POLL_MS > deadline) return false;
    await sleep(POLL_MS);
  }
}
