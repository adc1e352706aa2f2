import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { RevisionStatus } from '../revision/status.ts';
import type { ApiKey } from '../states.ts';
import type { AccessContext } from './context.ts';

/** Who asks, as far as access depends on it. */
export interface Credential {
  readonly isSecret: boolean;
  /** The second key of queries; `null` if none was sent. */
  readonly extraSecret: ApiKey | 'invalid' | null;
  readonly platformId: string | null;
  readonly onBehalfOf: string | null;
  /** The player it acts for, once proven. */
  readonly verified?: string;
  /** How the game's revision relates to the current one; `null` if unknown, or if nothing is enforced. */
  readonly revision: RevisionStatus | null;
}

/** What names a player. */
export type Named = Pick<Credential, 'platformId' | 'onBehalfOf' | 'verified'>;

/** The player of a call: proven, or only named; `null`: the call names nobody. */
export function namedPlayer({ verified, onBehalfOf, platformId }: Named): string | null {
  return verified ?? onBehalfOf ?? platformId;
}

/** The player that a call acts for. Refuses a host's player, unless proven, whose id does not fit `pattern`. */
export function playerOf(who: Credential, pattern: RegExp): string | Refusal {
  const { verified, onBehalfOf } = who;
  if (verified === undefined && onBehalfOf !== null && !pattern.test(onBehalfOf)) return refusal('INVALID_PLATFORMID');
  return namedPlayer(who) ?? 'anonymous';
}

/** Whether the caller's player has to be proven. */
export function needsProof({ settings }: Pick<AccessContext, 'settings'>, { isSecret }: Pick<Credential, 'isSecret'>): boolean {
  return settings.requirePlayerAuth && !isSecret;
}

/** Whether that is still to be done. */
export function isUnproven(access: Pick<AccessContext, 'settings'>, who: Credential): boolean {
  return needsProof(access, who) && who.verified === undefined;
}
