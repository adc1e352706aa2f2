import { playerOfKey } from '../../domain/document/key.ts';
import { isObject, type JsonObject, tryParseJson } from '../../kernel/json.ts';
import { objectsIn } from '../../kernel/json-read.ts';
import { PLAYER } from '../../log/commitment.ts';
import type { RecordedEvent } from '../../log/port.ts';

/** Which events `log tail` shows. */
export interface Selection {
  /** Who acted, or whose document it is. */
  readonly player?: string | undefined;
  /** A type, or its first word: `document`. */
  readonly type?: string | undefined;
  /** Unix ms, inclusive. */
  readonly from?: number | undefined;
  /** Unix ms, exclusive. */
  readonly to?: number | undefined;
}

/** Whether something is left out at all. */
export function selects({ player, type, from, to }: Selection): boolean {
  return [player, type, from, to].some((given) => given !== undefined);
}

export function isSelected(event: RecordedEvent, { player, type, from, to }: Selection): boolean {
  if (type !== undefined && event.type !== type && !event.type.startsWith(`${type}.`)) return false;
  if (from !== undefined || to !== undefined) {
    const at = timeOf(event);
    if (at === null || (from !== undefined && at < from) || (to !== undefined && at >= to)) return false;
  }
  return player === undefined || concerns(event, player);
}

/** When an event was recorded, unix ms; `null` of an event that another program wrote. */
export function timeOf({ metadata }: RecordedEvent): number | null {
  const { recordedAt } = objectIn(metadata);
  return typeof recordedAt === 'number' ? recordedAt : null;
}

/** Who caused an event, in words: `key k1, player 42, endpoint buy`. */
export function actorOf({ metadata, data }: RecordedEvent): string {
  const { actor } = objectIn(metadata);
  if (!isObject(actor)) return '';
  const { kind, keyId, person, endpoint } = actor;
  const player = data.includes(PLAYER) ? objectIn(data)[PLAYER] : undefined;
  const parts = [
    keyId === undefined ? String(kind) : `${String(kind)} key ${String(keyId)}`,
    ...(person === undefined ? [] : [String(person)]),
    ...(player === undefined ? [] : [`player ${String(player)}`]),
    ...(endpoint === undefined ? [] : [`endpoint ${String(endpoint)}`]),
  ];
  return parts.join(', ');
}

/** Members of data that name a player. */
const PLAYERS = [PLAYER, 'player', 'platformId', 'writerId', 'guest'];

function concerns({ data }: RecordedEvent, player: string): boolean {
  // Most events say nothing of the player, and need no parsing.
  if (!data.includes(player)) return false;
  const said = objectIn(data);
  const { key, postings } = said;
  if (PLAYERS.some((name) => said[name] === player)) return true;
  if (objectsIn(postings).some((posting) => posting['player'] === player)) return true;
  return typeof key === 'string' && (key === player || playerOfKey(key) === player);
}

function objectIn(text: string): JsonObject {
  const value = tryParseJson(text);
  return value !== undefined && isObject(value) ? value : {};
}
