import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../../../infra/harness/table.ts';

/** The writes around one fault, by outcome. `recoveryMs`: the longest time from the end of its cause to an acknowledged write. */
export interface FaultRow {
  readonly fault: string;
  readonly rounds: number;
  readonly acknowledged: number;
  readonly refused: number;
  /** No answer, or `504 OUTCOME_UNKNOWN`: stored once or not at all. */
  readonly open: number;
  readonly lost: number;
  readonly doubled: number;
  readonly torn: number;
  /** `null` where it was not measured. */
  readonly recoveryMs: number | null;
}

const COLUMNS = ['fault', 'rounds', 'acknowledged', 'refused', 'open', 'lost', 'doubled', 'torn', 'recoveryMs'] as const;

/** Collects the rows of a run in the file that `FAULT_REPORT` names (one JSON value a line), and prints them at the end. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-faults-'));
  const file = process.env['FAULT_REPORT'] ?? join(folder, 'report.json');
  process.env['FAULT_REPORT'] = file;
  rmSync(file, { force: true });
  return () => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    const rows: readonly FaultRow[] = lines.map((line) => JSON.parse(line));
    process.stdout.write(
      `\n${table(
        COLUMNS,
        rows.map((row) => COLUMNS.map((column) => row[column] ?? '')),
      )}\n`,
    );
    rmSync(folder, { recursive: true, force: true });
  };
}
