import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { memberSpellings } from '../wire-names.ts';

/** Splits the body of an endpoint call: the endpoint's input, and what is said about the call. */

/** The input of a POST: the object member `input`, else `args`, else the whole body, without members that address or secure the call. */
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

/** The request id that was sealed; empty if there is none. */
export function requestIdIn(payload: JsonObject): string {
  const id = member(payload, 'encryptedRequestId');
  return typeof id === 'string' ? id : '';
}

/** The `security` block of client libraries, if it is an object. */
export function securityIn(body: JsonObject): JsonObject | null {
  return objectIn(body, 'security');
}

function objectIn(body: JsonObject, name: string): JsonObject | null {
  const value: Json | undefined = member(body, name);
  return isObject(value) ? value : null;
}
