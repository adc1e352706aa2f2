import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { memberSpellings } from '../wire-names.ts';

/** The body of an endpoint call: what is the endpoint's, and what is said about the call (endpoint-language 1.5, security 6 and 7.4). */

/**
 * The input of a POST: the object member `input`, else `args`, else the whole body; without the members that address and secure the
 * call.
 */
export function inputOfBody(body: JsonObject): JsonObject {
  const { endpoint, slug, security, _endpointSlug, ...input } = objectIn(body, 'input') ?? objectIn(body, 'args') ?? body;
  return input;
}

/** Members of a sealed payload that never become input. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  ...['apiKey', 'token', 'authSessionToken', 'sessionToken', 'encryptedRequestId', 'security', '_endpointSlug'],
  ...memberSpellings('platformId'),
]);

/** The input that was sealed. */
export function inputOfPayload(payload: JsonObject): JsonObject {
  return inputOfBody(Object.fromEntries(Object.entries(payload).filter(([name]) => !CREDENTIALS.has(name))));
}

/** The one-use id that was sealed; empty where there is none. */
export function requestIdIn(payload: JsonObject): string {
  const id = member(payload, 'encryptedRequestId');
  return typeof id === 'string' ? id : '';
}

/** The `security` block that client libraries send; whatever else stands there is none. */
export function securityIn(body: JsonObject): JsonObject | null {
  return objectIn(body, 'security');
}

function objectIn(body: JsonObject, name: string): JsonObject | null {
  const value: Json | undefined = member(body, name);
  return isObject(value) ? value : null;
}
