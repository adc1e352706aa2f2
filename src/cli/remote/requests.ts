import type { Remote, Target } from '../../folder/remote.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';

/** Helpers for requests and their answers. */

/** The path of a route of the project: `pathOf(remote, 'manage', 'logs')` is `/v3/manage/{project}/logs`. */
export function pathOf({ server }: Remote, family: 'manage' | 'endpoints' | 'storage' | 'queries', ...parts: readonly string[]): string {
  return ['/v3', family, ...[server.project, ...parts].map(encodeURIComponent)].join('/');
}

/** The header that names the player of a request. */
export function asPlayer(player: string | undefined): Readonly<Record<string, string>> {
  return player === undefined ? {} : { 'x-platform-id': player };
}

export const TARGETS: readonly Target[] = ['live', 'next'];

/** The objects in a list of an answer. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}
