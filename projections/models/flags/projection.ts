import type { ProjectEvent } from '../../../src/domain/events.ts';
import type { Projection } from '../../batch.ts';

/** A row is never overwritten, because a flagged write is a fact. */
const INSERT = `
INSERT INTO {flags} (project, revision, space, collection, key, rule, time_window, start, subject, amount, most, at, event_id)
SELECT $1, revision, space, collection, key, rule, time_window, start, subject, amount, most, at, event_id
FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::double precision[],
            $11::double precision[], $12::bigint[], $13::text[])
  AS w (revision, space, collection, key, rule, time_window, start, subject, amount, most, at, event_id)
ON CONFLICT DO NOTHING`;

type Flagged = Extract<ProjectEvent, { readonly type: 'write.flagged' }>;

export const flags: Projection = {
  name: 'flags',
  kind: 'view',
  derived: false,
  async project({ events }, tx) {
    const rows = events.filter((event): event is Flagged => event.type === 'write.flagged');
    if (rows.length === 0) return;
    await tx.run('flags-insert', INSERT, [
      rows.map(({ revision }) => revision),
      rows.map(({ data }) => data.space),
      rows.map(({ data }) => data.collection),
      rows.map(({ data }) => data.key),
      rows.map(({ data }) => data.rule),
      rows.map(({ data }) => data.window),
      rows.map(({ data }) => data.start),
      rows.map(({ data }) => data.subject),
      rows.map(({ data }) => data.amount),
      rows.map(({ data }) => data.limit),
      rows.map(({ metadata }) => metadata.recordedAt),
      rows.map(({ id }) => id),
    ]);
  },
};
