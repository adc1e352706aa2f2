import type { CallBody, SealedPayload, SecurityBlock } from '../../contract/resources/call.ts';
import { type JsonObject, stringOrEmpty } from '../../kernel/json.ts';
import { objectOrNull } from '../../kernel/json-read.ts';
import { memberSpellings } from '../wire-names.ts';

/** Splits the body of an endpoint call: the endpoint's input, and what is said about the call. */

/** The input of a POST: the object member `input`, else `args`, else the whole body, without members that address or secure the call. */
export function inputOfBody(body: CallBody): JsonObject {
  const { endpoint, slug, security, _endpointSlug, ...input } = objectOrNull(body.input) ?? objectOrNull(body.args) ?? body;
  return input;
}

/** Members beside an input that prove the caller or name the call. Those of a sealed payload never become input. */
export const CREDENTIALS: ReadonlySet<string> = new Set([
  ...['apiKey', 'token', 'authSessionToken', 'sessionToken', 'encryptedRequestId', 'security', '_endpointSlug'],
  ...memberSpellings('platformId'),
]);

/** The input that was sealed, or the input of a plain body without what proves the caller. */
export function inputOfPayload(payload: SealedPayload): JsonObject {
  return inputOfBody(Object.fromEntries(Object.entries(payload).filter(([name]) => !CREDENTIALS.has(name))));
}

/** The request id that was sealed; empty if there is none. */
export function requestIdIn({ encryptedRequestId }: SealedPayload): string {
  return stringOrEmpty(encryptedRequestId);
}

/** The `security` block of client libraries, if it is an object. */
export function securityIn({ security }: CallBody): SecurityBlock | null {
  return objectOrNull(security);
}
