import type { ProjectEvent } from '../../../src/domain/events.ts';
import type { Projection } from '../../batch.ts';

/** A row is never overwritten, because that an alarm was raised is a fact. */
const INSERT = `
INSERT INTO {alarms} (project, alarm, time_window, revision, currency, source, player, amount, threshold, at)
SELECT $1, alarm, time_window, revision, currency, source, player, amount, threshold, at
FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::double precision[], $9::double precision[], $10::bigint[])
  AS w (alarm, time_window, revision, currency, source, player, amount, threshold, at)
ON CONFLICT DO NOTHING`;

type Raised = Extract<ProjectEvent, { readonly type: 'alarm.raised' }>;

/** What alarms of the economy were raised. */
export const alarms: Projection = {
  name: 'alarms',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    const rows = events.filter((event): event is Raised => event.type === 'alarm.raised');
    if (rows.length === 0) return;
    await tx.run('alarms-insert', INSERT, [
      rows.map(({ data }) => data.alarm),
      rows.map(({ data }) => data.window),
      rows.map(({ revision }) => revision),
      rows.map(({ data }) => data.currency),
      rows.map(({ data }) => data.source ?? null),
      rows.map(({ data }) => data.player ?? null),
      rows.map(({ data }) => data.amount),
      rows.map(({ data }) => data.threshold),
      rows.map(({ metadata }) => metadata.recordedAt),
    ]);
  },
};
