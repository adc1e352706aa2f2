import type { ApiKey, AuthorityState } from '../../src/domain/states.ts';
import { parseObject } from '../documents/project.ts';

/** Project and keys as one JSON text; texts inside texts, so that numbers in the settings keep their value. */
export const AUTHORITY_QUERY = `
SELECT json_build_object(
  'projectId', p.project, 'name', p.name, 'createdAt', p.created_at, 'deleted', p.deleted, 'settings', p.settings::text,
  'keys', (SELECT coalesce(json_agg(json_build_object(
      'keyId', k.key_id, 'kind', k.kind, 'label', k.label, 'hash', k.hash, 'display', k.display, 'enabled', k.enabled,
      'permissions', k.permissions, 'createdAt', k.created_at) ORDER BY k.ordinal), '[]')
    FROM {project_keys} k WHERE k.project = p.project))::text AS body
FROM {projects} p WHERE p.project = $1`;

interface Body extends Omit<AuthorityState, 'settings' | 'keys'> {
  readonly settings: string;
  readonly keys: readonly ApiKey[];
}

export function authorityFrom(text: string): AuthorityState {
  const { settings, keys, ...rest } = JSON.parse(text) as Body;
  return { ...rest, settings: settings === '{}' ? {} : parseObject(settings), keys: new Map(keys.map((key) => [key.keyId, key])) };
}
