import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { ViewReader, ViewTable } from '../../src/app/ports/readers.ts';
import { readSessionsOf } from '../models/access/sessions-of.ts';
import { readAlarms } from '../models/alarms/read.ts';
import { readGrantCounts, readGrantPlayers, readGrants, readUndone } from '../models/corrections/read.ts';
import { walkDocuments } from '../models/documents/list.ts';
import { readDocumentRows } from '../models/documents/rows.ts';
import { countDocuments, countStagedDocuments, readDocumentsAfter, readDocumentsOf } from '../models/documents/sample.ts';
import { scanDocuments } from '../models/documents/scan.ts';
import { readEconomyEntries } from '../models/economy/entries.ts';
import { readEconomyDays, readEconomyFlows, readEconomyHour, readEconomyMovers, readEconomySupply } from '../models/economy/read.ts';
import { readFlags } from '../models/flags/read.ts';
import { readNeighbours } from '../models/leaderboards/neighbours.ts';
import { readLeaderboard } from '../models/leaderboards/read.ts';
import { readBoard } from '../models/leaderboards/rows.ts';
import { readLedgerFields } from '../models/ledger/fields.ts';
import { readLedger } from '../models/ledger/read.ts';
import { readPublishes } from '../models/publishes/read.ts';
import { readRecords } from '../models/records/read.ts';
import { readApproval, readApprovalComments, readApprovals } from '../models/releases/read.ts';
import { readRevisions, readRevisionsAfter } from '../models/subjects/read.ts';
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
  economy: shown('economy'),
  leaderboards: shown('leaderboards'),
  documents: shown('documents'),
};
const REACHED = `SELECT ${revisionOf(PROJECTION_NAMES)} AS revision`;

/** Runs a project's read within the bounds of its caller. */
export type RunRead = <T>(projectId: string, read: () => Promise<T>) => Promise<T>;

interface ViewReaderOptions {
  /** Waiting for a view to catch up takes no connection for long, and is not bounded. */
  readonly run?: RunRead;
  /** See {@link ViewReader.hasShown}. */
  readonly hasCaughtUp?: (projectId: string) => boolean;
}

/** `progress`: the projector of this process, or `null` where another process projects; the checkpoints are then polled. */
export function createViewReader(
  pool: Pool,
  progress: Progress | null,
  { run = (_, read) => read(), hasCaughtUp = () => true }: ViewReaderOptions = {},
): ViewReader {
  const bounded =
    <Args extends readonly unknown[], T>(read: (pool: Pool, projectId: string, ...args: Args) => Promise<T>) =>
    (projectId: string, ...args: Args) =>
      run(projectId, () => read(pool, projectId, ...args));
  return {
    caughtUp(projectId, revision, timeoutMs) {
      return progress === null ? polled(pool, projectId, revision, timeoutMs) : progress.waitFor(projectId, revision, timeoutMs);
    },
    async hasShown(projectId, table) {
      if (!hasCaughtUp(projectId)) return false;
      const { rows } = await pool.query<{ revision: string }>({ ...QUERY_TIMEOUT, ...SHOWN[table], values: [projectId] });
      return Number(rows[0]?.revision ?? -1) >= 0;
    },
    ledger: bounded(readLedger),
    publishes: bounded(readPublishes),
    flags: bounded(readFlags),
    economyDays: bounded(readEconomyDays),
    economyFlows: bounded(readEconomyFlows),
    economyEntries: bounded(readEconomyEntries),
    economyMovers: bounded(readEconomyMovers),
    economySupply: bounded(readEconomySupply),
    economyHour: bounded(readEconomyHour),
    alarms: bounded(readAlarms),
    grants: bounded(readGrants),
    grantPlayers: bounded(readGrantPlayers),
    grantCounts: bounded(readGrantCounts),
    approvals: bounded(readApprovals),
    approval: bounded(readApproval),
    approvalComments: bounded(readApprovalComments),
    revisions: bounded(readRevisions),
    revisionsAfter: bounded(readRevisionsAfter),
    undone: bounded(readUndone),
    records: bounded(readRecords),
    walkDocuments: bounded(walkDocuments),
    documentRows: bounded(readDocumentRows),
    scan: bounded(scanDocuments),
    documentsAfter: bounded(readDocumentsAfter),
    documentsOf: bounded(readDocumentsOf),
    sessionsOf: bounded(readSessionsOf),
    documentCount: bounded(countDocuments),
    stagedDocumentCount: bounded(countStagedDocuments),
    ledgerFields: bounded(readLedgerFields),
    neighbours: bounded(readNeighbours),
    leaderboard: bounded(readLeaderboard),
    board: bounded(readBoard),
    building: bounded(readBuildings),
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
