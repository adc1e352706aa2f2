import type { ProjectEvent } from '../../../src/domain/events.ts';
import type { Projection } from '../../batch.ts';

const UNDONE = `
INSERT INTO {undone_commits} (project, commit, undone, revision)
SELECT $1, commit, undone, revision FROM unnest($2::bigint[], $3::boolean[], $4::bigint[]) AS w (commit, undone, revision)
ON CONFLICT (project, commit) DO UPDATE SET undone = excluded.undone, revision = excluded.revision`;

/** What support put right. */
export const corrections: Projection = {
  name: 'corrections',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    const undone = [...undoneIn(events)];
    if (undone.length === 0) return;
    await tx.run('corrections-undone', UNDONE, [
      undone.map(([commit]) => commit),
      undone.map(([, state]) => state.undone),
      undone.map(([, state]) => state.revision),
    ]);
  },
};

function undoneIn(events: readonly ProjectEvent[]): ReadonlyMap<number, { readonly undone: boolean; readonly revision: number }> {
  const commits = new Map<number, { readonly undone: boolean; readonly revision: number }>();
  for (const { type, data, revision } of events) {
    if (type === 'correction.made') for (const [commit, undone] of data.undone ?? []) commits.set(commit, { undone, revision });
  }
  return commits;
}
