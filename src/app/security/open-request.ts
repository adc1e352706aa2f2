import { fingerprintOf, type OpenedEnvelope, openEnvelope } from '../../domain/security/envelope.ts';
import type { AuthorityState } from '../../domain/states.ts';
import { accepted } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Caller } from '../caller.ts';

/** Opens a sealed request with the public keys of its project. */

export type OpenSealed = (authority: AuthorityState, player: string) => OpenedEnvelope;

/** Opens the envelope once, however often the call is decided. Throws the `Refusal` of an envelope that does not open. */
export function opener(caller: Caller, slug: string, envelope: JsonObject, sessionId: string | null): OpenSealed {
  let known: { readonly authority: AuthorityState; readonly opened: OpenedEnvelope } | null = null;
  return (authority, player) => {
    if (known?.authority === authority) return known.opened;
    const opened = accepted(
      openEnvelope({
        envelope,
        projectId: caller.projectId,
        slug,
        publicKey: (fingerprint) => publicKeys(authority).get(fingerprint),
        player: caller.isSecret ? null : player,
        sessionId,
      }),
    );
    known = { authority, opened };
    return opened;
  };
}

/** One index per state of the authority. It lives as long as the keys in it. */
const indexes = new WeakMap<AuthorityState, ReadonlyMap<string, string>>();

/** Enabled public keys by fingerprint. */
function publicKeys(authority: AuthorityState): ReadonlyMap<string, string> {
  const known = indexes.get(authority);
  if (known) return known;
  const usable = [...authority.keys.values()].filter((key) => key.kind === 'public' && key.enabled);
  const index = new Map(usable.map((key) => [fingerprintOf(key.display), key.display]));
  indexes.set(authority, index);
  return index;
}
