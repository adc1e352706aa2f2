import type { ProjectEvent, SaveRecord } from '../../../src/domain/events.ts';
import { evolveRecordList, isRecordListEvent, type RecordListEvent } from '../../../src/domain/record/evolve.ts';
import type { RecordListState } from '../../../src/domain/states.ts';
import { recordListSubject } from '../../../src/domain/subjects.ts';
import { groupBy } from '../../../src/kernel/group.ts';
import type { Projection } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';

const PRIORS = `
SELECT w.i::int AS i, s.records::text AS text
FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS w (space, collection, player, i)
JOIN {save_records} s ON s.project = $1 AND s.space = w.space AND s.collection = w.collection AND s.player = w.player`;

const UPSERT = `
INSERT INTO {save_records} (project, space, collection, player, records, revision)
SELECT $1, space, collection, player, records::json, revision
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[]) AS w (space, collection, player, records, revision)
ON CONFLICT (project, space, collection, player) DO UPDATE SET records = excluded.records, revision = excluded.revision`;

type ListEvent = ProjectEvent & RecordListEvent;

export const saveRecords: Projection = {
  name: 'save_records',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    const touched = [...groupBy(events.filter(isRecordListEvent), subjectOf).values()];
    if (touched.length === 0) return;
    const priors = await load(tx, touched);
    const rows = touched.flatMap((group, index) => fold(group, priors.get(index) ?? null));
    await tx.run('save-records-upsert', UPSERT, [
      rows.map(({ event }) => event.data.space),
      rows.map(({ event }) => event.data.collection),
      rows.map(({ event }) => event.data.player),
      rows.map(({ state }) => JSON.stringify(state.records)),
      rows.map(({ event }) => event.revision),
    ]);
  },
};

/** The list, from its row. */
export function recordListFrom(text: string): RecordListState {
  return { records: JSON.parse(text) as readonly SaveRecord[] };
}

function subjectOf({ data: { space, collection, player } }: ListEvent): string {
  return recordListSubject(space, collection, player);
}

function fold(events: readonly ListEvent[], prior: RecordListState | null) {
  let state = prior;
  for (const event of events) state = evolveRecordList(state, event, event.metadata.recordedAt);
  const event = events.at(-1);
  return event === undefined || state === null ? [] : [{ event, state }];
}

async function load(tx: Transaction, groups: readonly (readonly ListEvent[])[]): Promise<Map<number, RecordListState>> {
  const firsts = groups.flatMap((group) => group.slice(0, 1));
  const rows = await tx.run<{ i: number; text: string }>('save-records-priors', PRIORS, [
    firsts.map(({ data }) => data.space),
    firsts.map(({ data }) => data.collection),
    firsts.map(({ data }) => data.player),
  ]);
  return new Map(rows.map((row) => [row.i - 1, recordListFrom(row.text)]));
}
