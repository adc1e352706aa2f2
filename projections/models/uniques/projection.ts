import { keyOf } from '../../../src/domain/document/evolve.ts';
import type { ProjectEvent, Space } from '../../../src/domain/events.ts';
import type { Projection } from '../../batch.ts';

const UPSERT = `
INSERT INTO {uniques} (project, space, collection, hash, holder, revision)
SELECT $1, space, collection, hash, holder, revision
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[]) AS w (space, collection, hash, holder, revision)
ON CONFLICT (project, space, collection, hash) DO UPDATE SET holder = excluded.holder, revision = excluded.revision`;

const DELETE = `
DELETE FROM {uniques} u USING unnest($2::text[], $3::text[], $4::text[]) AS w (space, collection, hash)
WHERE u.project = $1 AND u.space = w.space AND u.collection = w.collection AND u.hash = w.hash`;

interface Claim {
  readonly space: Space;
  readonly collection: string;
  readonly hash: string;
  /** `null` when no document holds the value. */
  readonly holder: string | null;
  readonly revision: number;
}

export const uniques: Projection = {
  name: 'uniques',
  kind: 'state',
  derived: false,
  async project({ events }, tx) {
    const claims = latest(events);
    const taken = claims.filter((claim) => claim.holder !== null);
    const freed = claims.filter((claim) => claim.holder === null);
    if (taken.length > 0) {
      await tx.run('uniques-upsert', UPSERT, [
        taken.map(({ space }) => space),
        taken.map(({ collection }) => collection),
        taken.map(({ hash }) => hash),
        taken.map(({ holder }) => holder),
        taken.map(({ revision }) => revision),
      ]);
    }
    if (freed.length === 0) return;
    await tx.run('uniques-delete', DELETE, [
      freed.map(({ space }) => space),
      freed.map(({ collection }) => collection),
      freed.map(({ hash }) => hash),
    ]);
  },
};

function latest(events: readonly ProjectEvent[]): Claim[] {
  const claims = new Map<string, Claim>();
  for (const event of events) for (const claim of claimsOf(event)) claims.set(`${claim.space}/${claim.collection}/${claim.hash}`, claim);
  return [...claims.values()];
}

function claimsOf(event: ProjectEvent): readonly Claim[] {
  const { revision } = event;
  if (event.type === 'unique.claimed') {
    const { space, collection, claims } = event.data;
    return claims.map(([hash, holder]) => ({ space, collection, hash, holder, revision }));
  }
  if (event.type !== 'document.written' && event.type !== 'document.deleted' && event.type !== 'record.appended') return [];
  const { space, collection, unique } = event.data;
  if (unique === undefined) return [];
  const freed = unique.freed.map((hash) => ({ space, collection, hash, holder: null, revision }));
  return [...freed, ...unique.taken.map((hash) => ({ space, collection, hash, holder: keyOf(event), revision }))];
}
