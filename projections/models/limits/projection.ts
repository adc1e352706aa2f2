import type { ProjectEvent, Space } from '../../../src/domain/events.ts';
import { evolveWindow } from '../../../src/domain/limit/evolve.ts';
import type { WindowState } from '../../../src/domain/states.ts';
import type { Projection } from '../../batch.ts';

/** {@link evolveWindow} in SQL: a flagged window stays flagged, and the next one starts unflagged. */
const UPSERT = `
INSERT INTO {limits} AS l (project, space, counter, start, used, flagged, revision)
SELECT $1, space, counter, start, used, flagged, revision
FROM unnest($2::text[], $3::text[], $4::bigint[], $5::double precision[], $6::boolean[], $7::bigint[])
  AS w (space, counter, start, used, flagged, revision)
ON CONFLICT (project, space, counter) DO UPDATE SET
  start = excluded.start, used = excluded.used, revision = excluded.revision,
  flagged = excluded.flagged OR (l.start = excluded.start AND l.flagged)`;

interface Row {
  readonly space: Space;
  readonly counter: string;
  readonly state: WindowState;
  readonly revision: number;
}

export const limits: Projection = {
  name: 'limits',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    const rows = [...foldWindows(events).values()];
    if (rows.length === 0) return;
    await tx.run('limits-upsert', UPSERT, [
      rows.map((row) => row.space),
      rows.map((row) => row.counter),
      rows.map((row) => row.state.start),
      rows.map((row) => row.state.used),
      rows.map((row) => row.state.flagged),
      rows.map((row) => row.revision),
    ]);
  },
};

function foldWindows(events: readonly ProjectEvent[]): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const event of events) {
    if (event.type !== 'document.written' && event.type !== 'record.appended' && event.type !== 'call.counted') continue;
    const { space, windows = [] } = event.data;
    for (const change of windows) {
      const key = `${space}/${change.counter}`;
      const state = evolveWindow(rows.get(key)?.state ?? null, change);
      rows.set(key, { space, counter: change.counter, state, revision: event.revision });
    }
  }
  return rows;
}
