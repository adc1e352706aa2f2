import type { ProjectEvent, RecordAppended } from '../../../src/domain/events.ts';
import type { Projection } from '../../batch.ts';

const UPSERT = `
INSERT INTO {idempotency} (project, space, collection, caller, key, body_hash, record_id, timestamp, recorded_at, revision)
SELECT $1, space, collection, caller, key, body_hash, record_id, stamp, recorded_at, revision
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[])
  AS w (space, collection, caller, key, body_hash, record_id, stamp, recorded_at, revision)
ON CONFLICT (project, space, collection, caller, key) DO UPDATE SET
  body_hash = excluded.body_hash, record_id = excluded.record_id, timestamp = excluded.timestamp,
  recorded_at = excluded.recorded_at, revision = excluded.revision`;

type Appended = ProjectEvent & { readonly data: RecordAppended };

/** A key that was used again after its time says what the latest append answered. */
export const idempotency: Projection = {
  name: 'idempotency',
  kind: 'state',
  derived: false,
  async project({ events }, session) {
    const rows = latest(events);
    if (rows.length === 0) return;
    await session.run('idempotency-upsert', UPSERT, [
      rows.map(({ data }) => data.space),
      rows.map(({ data }) => data.collection),
      rows.map(({ data }) => data.idempotency?.caller),
      rows.map(({ data }) => data.idempotency?.key),
      rows.map(({ data }) => data.idempotency?.bodyHash),
      rows.map(({ data }) => data.recordId),
      rows.map(({ data }) => data.timestamp),
      rows.map(({ metadata }) => metadata.recordedAt),
      rows.map(({ revision }) => revision),
    ]);
  },
};

function latest(events: readonly ProjectEvent[]): Appended[] {
  const rows = new Map<string, Appended>();
  for (const event of events) {
    if (event.type !== 'record.appended' || event.data.idempotency === undefined) continue;
    const { space, collection, idempotency: fact } = event.data;
    rows.set(JSON.stringify([space, collection, fact.caller, fact.key]), event);
  }
  return [...rows.values()];
}
