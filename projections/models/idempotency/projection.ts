import type { AnswerKept, ProjectEvent } from '../../../src/domain/events.ts';
import { evolveKept } from '../../../src/domain/idempotency/answers.ts';
import type { KeptAnswer } from '../../../src/domain/states.ts';
import { idempotencySubject } from '../../../src/domain/subjects.ts';
import type { Projection } from '../../batch.ts';
import { outcomeText } from './read.ts';

const SWEEP = 'DELETE FROM {idempotency} WHERE project = $1 AND until < $2';

const UPSERT = `
INSERT INTO {idempotency} (project, space, scope, caller, key, request, outcome, until, revision)
SELECT $1, space, scope, caller, key, request, outcome, until, revision
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[])
  AS w (space, scope, caller, key, request, outcome, until, revision)
ON CONFLICT (project, space, scope, caller, key) DO UPDATE SET
  request = excluded.request, outcome = excluded.outcome, until = excluded.until, revision = excluded.revision`;

/**
 * The outcomes of requests with an `Idempotency-Key`. A key that was used again after its expiry has the latest outcome. Only
 * `answers.swept` removes rows, so that every fold of the log gives the same rows.
 */
export const idempotency: Projection = {
  name: 'idempotency',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    let before = 0;
    const rows = new Map<string, Row>();
    for (const event of events) {
      if (event.type === 'answers.swept') before = Math.max(before, sweptOf(rows, event.data.before));
      const row = rowOf(event);
      if (row !== null) rows.set(idempotencySubject(row.at), row);
    }
    // Sweeps rows from before this batch first. Rows of the batch itself are kept only if they are later than its sweeps.
    if (before > 0) await tx.run('idempotency-sweep', SWEEP, [before]);
    if (rows.size > 0) await tx.run('idempotency-upsert', UPSERT, columnsOf([...rows.values()]));
  },
};

interface Row {
  readonly at: Pick<AnswerKept, 'space' | 'scope' | 'caller' | 'key'>;
  readonly kept: KeptAnswer;
  readonly revision: number;
}

function rowOf(event: ProjectEvent): Row | null {
  return event.type === 'answer.kept' ? { at: event.data, kept: evolveKept(event.data), revision: event.revision } : null;
}

/** Does in memory what the sweeping statement does, for rows that are not yet in the table. */
function sweptOf(rows: Map<string, Row>, before: number): number {
  for (const [key, { kept }] of rows) if (kept.until < before) rows.delete(key);
  return before;
}

function columnsOf(rows: readonly Row[]): readonly unknown[] {
  return [
    rows.map(({ at }) => at.space),
    rows.map(({ at }) => at.scope),
    rows.map(({ at }) => at.caller),
    rows.map(({ at }) => at.key),
    rows.map(({ kept }) => kept.request),
    rows.map(({ kept }) => outcomeText(kept.outcome)),
    rows.map(({ kept }) => kept.until),
    rows.map(({ revision }) => revision),
  ];
}
