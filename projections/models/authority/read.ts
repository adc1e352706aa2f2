import type { ApiKey, AuthorityState, GamePackage } from '../../../src/domain/states.ts';
import { isObject, parseStored } from '../../../src/kernel/json.ts';

/** Project, keys and game package as one JSON text. The parts are texts inside it, so that numbers in the settings keep their value. */
export const AUTHORITY_QUERY = `
SELECT json_build_object(
  'projectId', p.project, 'name', p.name, 'createdAt', p.created_at, 'deleted', p.deleted, 'settings', p.settings::text,
  'gamePackage', p.package::text,
  'keys', (SELECT coalesce(json_agg(json_build_object(
      'keyId', k.key_id, 'kind', k.kind, 'label', k.label, 'hash', k.hash, 'display', k.display, 'enabled', k.enabled,
      'permissions', k.permissions, 'createdAt', k.created_at) ORDER BY k.ordinal), '[]')
    FROM {project_keys} k WHERE k.project = p.project))::text AS body
FROM {projects} p WHERE p.project = $1`;

interface Body extends Omit<AuthorityState, 'settings' | 'keys' | 'gamePackage'> {
  readonly settings: string;
  readonly gamePackage: string | null;
  readonly keys: readonly ApiKey[];
}

export function authorityFrom(text: string): AuthorityState {
  const { settings, keys, gamePackage, ...rest } = JSON.parse(text) as Body;
  return {
    ...rest,
    settings: settings === '{}' ? {} : parseStored(settings),
    keys: new Map(keys.map((key) => [key.keyId, key])),
    gamePackage: gamePackage === null ? null : packageFrom(gamePackage),
  };
}

/** Parses the text that `stringifyJson` wrote. */
function packageFrom(text: string): GamePackage {
  const { members, publishedAt, syncedAt } = parseStored(text);
  if (!isObject(members)) throw new Error('a game package has members');
  return { members, publishedAt: Number(publishedAt), syncedAt: Number(syncedAt) };
}
