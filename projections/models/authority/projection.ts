import { evolveAuthority } from '../../../src/domain/project/evolve.ts';
import type { AuthorityState } from '../../../src/domain/states.ts';
import { changesAuthority } from '../../../src/domain/subjects.ts';
import { stringifyJson } from '../../../src/kernel/json.ts';
import type { Projection } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';
import { AUTHORITY_QUERY, authorityFrom } from './read.ts';

const PROJECT = `
INSERT INTO {projects} (project, name, created_at, deleted, settings, revision, package) VALUES ($1, $2, $3, $4, $5::json, $6, $7::json)
ON CONFLICT (project) DO UPDATE SET name = excluded.name, created_at = excluded.created_at, deleted = excluded.deleted,
  settings = excluded.settings, revision = excluded.revision, package = excluded.package`;

const KEYS = `
INSERT INTO {project_keys} (project, key_id, ordinal, kind, label, hash, display, enabled, permissions, created_at)
SELECT $1, key_id, ordinal, kind, label, hash, display, enabled, permissions::json, created_at
FROM unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::text[], $10::bigint[])
  AS w (key_id, ordinal, kind, label, hash, display, enabled, permissions, created_at)`;

const LABELS = `
INSERT INTO {key_labels} (project, key_id, label)
SELECT $1, key_id, label FROM unnest($2::text[], $3::text[]) AS w (key_id, label)
ON CONFLICT DO NOTHING`;

/**
 * Projects, settings and keys. They are few and change rarely, so they are loaded, folded and written as a whole. This is the only read
 * model that keeps a deleted project.
 */
export const authority: Projection = {
  name: 'authority',
  kind: 'state',
  derived: false,
  async project({ all }, tx) {
    const events = all.filter((event) => changesAuthority(event.type));
    const last = events.at(-1);
    if (last === undefined) return;
    const state = events.reduce(evolveAuthority, await load(tx));
    if (state !== null) await store(tx, state, last.revision);
    const issued = events.flatMap((event) => (event.type === 'key.issued' ? [event.data] : []));
    if (issued.length > 0) await tx.run('authority-labels', LABELS, [issued.map(({ keyId }) => keyId), issued.map(({ label }) => label)]);
  },
};

async function load(tx: Transaction): Promise<AuthorityState | null> {
  const [row] = await tx.run<{ body: string }>('authority-load', AUTHORITY_QUERY, []);
  return row ? authorityFrom(row.body) : null;
}

async function store(tx: Transaction, state: AuthorityState, revision: number): Promise<void> {
  const { name, createdAt, deleted, settings, gamePackage } = state;
  const packaged = gamePackage === null ? null : stringifyJson({ ...gamePackage });
  await tx.run('authority-project', PROJECT, [name, createdAt, deleted, stringifyJson(settings), revision, packaged]);
  await tx.run('authority-clear', 'DELETE FROM {project_keys} WHERE project = $1', []);
  const keys = [...state.keys.values()];
  await tx.run('authority-keys', KEYS, [
    keys.map((key) => key.keyId),
    keys.map((_, index) => index),
    keys.map((key) => key.kind),
    keys.map((key) => key.label),
    keys.map((key) => key.hash),
    keys.map((key) => key.display),
    keys.map((key) => key.enabled),
    keys.map((key) => (key.permissions === null ? null : JSON.stringify(key.permissions))),
    keys.map((key) => key.createdAt),
  ]);
}
