import type { Actor } from '../src/domain/events.ts';

/** An actor as text, with members in one order: what was decided here and what was read from the log have them in orders of their own. */
export function printedActor({ kind, keyId, person, player, endpoint }: Actor): string {
  return JSON.stringify({ kind, keyId, person, player, endpoint });
}
