import { z } from 'zod';
import { CATALOGUE, type Code, MISSING } from '../kernel/errors.ts';
import { takesSecretKey } from './credentials.ts';
import { tellsOfPlayers } from './looking.ts';
import type { Route } from './route.ts';
import { anyJson } from './values.ts';

export type { Code };

/** The refusals that a route may answer with: its own, and those of its kind. */

/** The envelope of every refusal. A route may put more members beside `error`. */
export const Failure = z
  .object({
    ok: z.literal(false),
    error: z
      .object({
        code: z.string().meta({ description: 'A word for programs; see the codes of the answer' }),
        message: z.string().meta({ description: 'A sentence for people' }),
        requestId: z.string().optional().meta({ description: 'The `X-Correlation-ID` of the answer' }),
        missing: z.enum(MISSING).optional().meta({ description: 'What there is not, where the code is NOT_FOUND' }),
      })
      .catchall(anyJson),
    message: z.string().meta({ description: 'A copy of `error.message`' }),
    status: z
      .int()
      .optional()
      .meta({ description: 'The status that is meant, where the HTTP status is 200: a game cannot read another body' }),
  })
  .catchall(anyJson)
  .meta({ id: 'Refusal', description: 'Why a request was not done' });

/** Codes that any request may get. */
const ALWAYS: readonly Code[] = ['INTERNAL_ERROR', 'STORAGE_UNAVAILABLE', 'BUSY', 'RATE_LIMITED', 'UNKNOWN_PARAMETER'];
/** Codes that any request to a project may get. A player that it names is checked on every route. */
const OF_PROJECT: readonly Code[] = ['UNAUTHORIZED', 'UNKNOWN_EVENT', 'HISTORY_MISMATCH', 'INVALID_PLATFORMID'];
/** Codes of routes that prove a player or accept a sealed request. */
const OF_PLAYER: readonly Code[] = [
  ...(['PLATFORM_AUTH_FAILED', 'MISSING_PLATFORM_ID', 'REVISION_OUTDATED'] as const),
  ...(['AUTH_SESSION_DISABLED', 'AUTH_SESSION_REQUIRED', 'AUTH_SESSION_INVALID', 'AUTH_SESSION_EXPIRED'] as const),
  'AUTH_SESSION_PLATFORMID_MISMATCH',
];
const OF_BODY: readonly Code[] = ['INVALID_BODY', 'PAYLOAD_TOO_LARGE', 'REQUEST_TIMEOUT', 'UNSUPPORTED_ENCODING'];
/** Codes of routes that write. */
const OF_WRITE: readonly Code[] = ['WRITE_CONFLICT', 'OUTCOME_UNKNOWN', 'APPEND_TOO_LARGE', 'QUOTA_EXCEEDED'];
const OF_IDEMPOTENCY: readonly Code[] = ['IDEMPOTENCY_KEY_REUSED', 'ANSWER_TOO_LARGE'];

/** Codes of what shows data of players to people. */
const OF_LOOK: readonly Code[] = ['REVEAL_NEEDED', 'LOOK_NOT_RECORDED', 'BEHIND'];

/** Codes that may have another status than the catalogue's. */
const ALSO: Partial<Record<Code, readonly number[]>> = {
  // Everywhere but in endpoint calls. A starting game gets 426.
  REVISION_OUTDATED: [409],
  // An editor takes 404 for a missing route, so publishing answers 400.
  ENDPOINT_NOT_FOUND: [400],
  AUTH_SESSION_PLATFORMID_MISMATCH: [403],
};

/** Every code that the route may answer with. */
function codesOf(route: Route): readonly Code[] {
  const { keys, body } = route;
  const codes = new Set<Code>([...ALWAYS, ...route.errors]);
  // A part of the path that no name may be, such as `constructor`, is no route.
  if (route.path.includes(':')) codes.add('NOT_FOUND');
  const add = (more: readonly Code[]) => {
    for (const code of more) codes.add(code);
  };
  if (keys !== null) {
    add(OF_PROJECT);
    // An `Idempotency-Key` that is none.
    codes.add('INVALID_REQUEST');
    codes.add(keys.disabledProject);
    if (keys.disabledKey === 'KEY_DISABLED') codes.add('KEY_DISABLED');
    if (keys.needs !== null || takesSecretKey(keys)) codes.add('FORBIDDEN');
    if (!takesSecretKey(keys)) add(OF_PLAYER);
    // The setting `nextAccess` closes a target.
    if (route.headers !== undefined && Object.hasOwn(route.headers, 'x-ns-publish-target')) codes.add('FORBIDDEN');
  }
  if (tellsOfPlayers(route)) add(OF_LOOK);
  if (body !== undefined) add(OF_BODY);
  if (route.writes) add(OF_WRITE);
  if (route.idempotent) add(OF_IDEMPOTENCY);
  return [...codes].sort();
}

/** The codes of a route by HTTP status. */
export function codesByStatus(route: Route): ReadonlyMap<number, readonly Code[]> {
  const found = new Map<number, Code[]>();
  for (const code of codesOf(route)) {
    for (const status of statusesOf(code)) found.set(status, [...(found.get(status) ?? []), code]);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

/** The HTTP statuses of a code, the catalogue's first. */
function statusesOf(code: Code): readonly number[] {
  return [CATALOGUE[code][0], ...(ALSO[code] ?? [])];
}
