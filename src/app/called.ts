import { allows } from '../domain/project/permissions.ts';
import type { AccessKey } from '../domain/states.ts';
import type { AppContext } from './context.ts';

/** Players of one answer whose names are looked up. */
const MOST_CALLED = 200;

/**
 * What players whom an answer names are called, as games reported it last, for whoever finds players by their names; left out: nobody has a
 * name, or it is not told.
 */
export async function calledOf(
  { telemetry }: Pick<AppContext, 'telemetry'>,
  projectId: string,
  key: AccessKey,
  players: readonly (string | undefined)[],
): Promise<{ readonly called?: Readonly<Record<string, string>> }> {
  const ids = [...new Set(players.filter((player) => player !== undefined))].slice(0, MOST_CALLED);
  if (ids.length === 0 || !allows(key, 'players', 'r')) return {};
  const profiles = await telemetry.reader.profiles(projectId, ids);
  const named = [...profiles].flatMap(([id, { playerName }]) => (playerName === null ? [] : [[id, playerName] as const]));
  return named.length === 0 ? {} : { called: Object.fromEntries(named) };
}
