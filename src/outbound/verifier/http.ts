import type { Verdict } from '../../app/ports/player-verifier.ts';
import { ExactNumber, type Json, stringifyJson } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import { type Check, failed, VERIFIED } from './check.ts';
import { fetchJson } from './fetch-json.ts';

/** Maps a verification to a service's request and answer (docs/security.md, "Verifiers"). */
export interface HttpMapping {
  readonly url: string;
  /** Members of the JSON body with id and token. */
  readonly idMember: string;
  readonly tokenMember: string;
  /** Path and text of the answer's member that marks a valid proof; `null`: status 2xx suffices. */
  readonly success: { readonly path: string; readonly value: string } | null;
  /** Path of the answer's member with the token's owner; `null`: the service compares the id itself. */
  readonly idPath: string | null;
}

/** Verifies by a service, with one POST for each proof. */
export function httpCheck(mapping: HttpMapping): Check {
  const isRead = mapping.success !== null || mapping.idPath !== null;
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  return async ({ platformId, token }, service) => {
    const body = stringifyJson({ [mapping.idMember]: platformId, [mapping.tokenMember]: token });
    const { status, body: answer } = await service.ask(async (signal) => {
      const fetched = await fetchJson(mapping.url, { method: 'POST', body, headers }, signal);
      const { status, body: answer } = fetched;
      if (status === 429 || status >= 500) throw new Error(`it answered ${status}`);
      // Such as the page of a proxy before it. Nothing is known of the token.
      if (isRead && isGood(status) && answer === undefined) throw new Error(`it answered ${status} with no JSON, or with too much`);
      return fetched;
    });
    if (!isGood(status)) return failed('rejected', 'The token was rejected');
    return judged(mapping, platformId, answer);
  };
}

function isGood(status: number): boolean {
  return status >= 200 && status <= 299;
}

function judged({ success, idPath }: HttpMapping, platformId: string, answer: Json | undefined): Verdict {
  const found = answer ?? null;
  if (success !== null && idText(getPath(found, success.path)) !== success.value) return failed('rejected', 'The token was rejected');
  if (idPath !== null && idText(getPath(found, idPath)) !== platformId) return failed('mismatch', "The token is another player's");
  return VERIFIED;
}

/** An id as text. Ids may also be numbers, which are compared by their digits. */
export function idText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value instanceof ExactNumber ? value.text : null;
}
