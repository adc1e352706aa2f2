import { NOTICES } from './notices.ts';

/** What a refused request means for the player, and what support can do. */

export interface Meaning {
  readonly means: string;
  readonly toDo: string;
}

/** A request that was refused, as the call log has it. */
interface Refused {
  /** `null`: it was no call of an endpoint. */
  readonly slug: string | null;
  readonly code: string | null;
}

const GAME_MENDS = 'Whoever wrote the game has to look at it: the sentence above says at what.';
const STEP_SAYS = 'Its step and condition say why: they stand with the call.';
const NOTHING_TO_DO = 'Nothing, when it happens once: the game sends it again.';

const WRONG_KEY: Meaning = {
  means: 'The program that called has a wrong key, one that is switched off, or one that may not do that. The player is not at fault.',
  toDo: 'Whoever wrote the game looks at its keys; the page Keys says what each may do and when it was used.',
};
const NOT_SIGNED_IN: Meaning = {
  means: 'The game called without a session that holds: it had ended, was shut out, or was another player’s.',
  toDo: 'The player starts the game again, which signs in anew. The player’s page lists the sessions, and when each ended.',
};
const OLD_SETTINGS: Meaning = {
  means: 'The game went by older security settings. It takes the new ones and calls again by itself.',
  toDo: 'Nothing, unless it goes on: then the player starts the game again.',
};
const TAMPERED: Meaning = {
  means: 'A sealed request came twice, or was changed on its way. Nothing was done.',
  toDo: 'Once, it is a bad line. Where it comes again and again from one player, look at what else that player does.',
};
const WRONG_CLOCK: Meaning = {
  means: 'The clock of the player’s device is wrong, or the request was on its way for too long. Nothing was done.',
  toDo: 'The player lets the device set date and time by itself.',
};
const BAD_REQUEST: Meaning = { means: 'The game sent something that cannot be used. Nothing was stored.', toDo: GAME_MENDS };
const TOO_LARGE: Meaning = { means: 'It was more than may be stored at once. Nothing was stored.', toDo: GAME_MENDS };
const MISSED: Meaning = {
  means: 'The game saved what rests on something older than what is stored, as when two devices play at once. That save is not stored.',
  toDo: 'The player loads again. What is stored, and what it was before, stands in the history of the document.',
};

/** Of codes that mean something else to a player than to whoever acts here. */
const OF_PLAYERS: Readonly<Record<string, Meaning>> = {
  ACCESS_DENIED: {
    means: 'The game asked for what is another player’s. Nothing was shown or changed.',
    toDo: 'Whoever wrote the game has to look at it: it names the wrong player, or somebody tries what they may not.',
  },
  UNAUTHORIZED: WRONG_KEY,
  SECRET_KEY_INVALID: WRONG_KEY,
  SECRET_KEY_REQUIRED: WRONG_KEY,
  KEY_DISABLED: WRONG_KEY,
  FORBIDDEN: WRONG_KEY,
  PLATFORM_AUTH_FAILED: {
    means: 'It could not be proven that the player is who the game says. Nothing was done in the player’s name.',
    toDo: 'The player signs in anew where the game comes from. If many are refused so, look at Health: the service that proves players may be away.',
  },
  AUTH_SESSION_REQUIRED: NOT_SIGNED_IN,
  AUTH_SESSION_INVALID: NOT_SIGNED_IN,
  AUTH_SESSION_EXPIRED: NOT_SIGNED_IN,
  AUTH_SESSION_PLATFORMID_MISMATCH: NOT_SIGNED_IN,
  AUTH_SESSION_DISABLED: {
    means: 'The game asked for a session, and this project has none.',
    toDo: 'Whoever wrote the game has to look at it, or the project’s setting enableAuthSessions is to be switched on.',
  },
  GUESTS_DISABLED: {
    means: 'The player came as a guest, and this project has none.',
    toDo: 'Whoever wrote the game has to look at it, or the project’s setting guestSignIn is to be switched on.',
  },
  GUEST_CODE_INVALID: {
    means: 'The recovery code is wrong, was used, or a newer one took its place.',
    toDo: 'Make the player a new one: savepoint player code, on the command line.',
  },
  GUEST_CONFLICT: {
    means: 'What the player has now stands against it: the sentence above says what. Nothing was changed.',
    toDo: 'Look at the player’s devices and account.',
  },
  GUEST_NOT_LINKED: {
    means: 'No player is linked to this account, so it leads to nobody.',
    toDo: 'Find the player by another way, and make a recovery code: savepoint player code, on the command line.',
  },
  REVISION_OUTDATED: { means: 'The player’s game is too old to play on.', toDo: 'The player updates the game.' },
  SECURITY_ENCRYPTION_REQUIRED: OLD_SETTINGS,
  SECURITY_SESSION_DISABLED: OLD_SETTINGS,
  SECURITY_CONFIG_NOT_FOUND: OLD_SETTINGS,
  ENCRYPTED_REQUEST_REPLAY_DETECTED: TAMPERED,
  REQUEST_SIGNATURE_INVALID: TAMPERED,
  ENCRYPTED_REQUEST_STALE: WRONG_CLOCK,
  ENCRYPTED_REQUEST_INVALID_ID: BAD_REQUEST,
  MISSING_PLATFORM_ID: BAD_REQUEST,
  INVALID_PLATFORMID: BAD_REQUEST,
  INVALID_KEY: BAD_REQUEST,
  INVALID_JSON: BAD_REQUEST,
  INVALID_BODY: BAD_REQUEST,
  INVALID_INPUT: {
    means: 'The game sent something that the endpoint does not take: the sentence above names it. Nothing was stored.',
    toDo: 'Whoever wrote the game has to look at it. If it comes from one player alone, that player’s game may be old.',
  },
  INVALID_OPERATION: BAD_REQUEST,
  INVALID_REQUEST: BAD_REQUEST,
  INVALID_ANALYTICS_EVENT: BAD_REQUEST,
  VALIDATION_FAILED: BAD_REQUEST,
  UNKNOWN_PARAMETER: BAD_REQUEST,
  UNSUPPORTED_ENCODING: BAD_REQUEST,
  COLLECTION_TYPE_MISMATCH: BAD_REQUEST,
  ADDRESS_TAKEN: BAD_REQUEST,
  IDEMPOTENCY_KEY_REUSED: {
    means: 'The game gave two different requests the same key. The first was done, this one was not.',
    toDo: GAME_MENDS,
  },
  SCHEMA_VALIDATION_FAILED: {
    means: 'What was to be stored does not fit what the collection may hold. Nothing was stored.',
    toDo: GAME_MENDS,
  },
  UNIQUE_VIOLATION: {
    means: 'Somebody else has this value already, such as a name. Nothing was stored.',
    toDo: 'The player chooses another one.',
  },
  PAYLOAD_TOO_LARGE: TOO_LARGE,
  APPEND_TOO_LARGE: TOO_LARGE,
  ANSWER_TOO_LARGE: TOO_LARGE,
  RESULT_TOO_LARGE: { means: 'The answer would have been more than the server sends at once. Nothing was stored.', toDo: GAME_MENDS },
  LEDGER_RANGE_TOO_LARGE: { means: 'The game asked for more of the ledger than may be read at once.', toDo: GAME_MENDS },
  NOT_FOUND: {
    means: 'What the game asked for is not there. Often the player has saved nothing there yet.',
    toDo: 'Nothing, if the player plays on. If something is missing that was there, the time line says when it went.',
  },
  RECORD_NOT_FOUND: {
    means: 'The player has no such save slot, or has it no more.',
    toDo: 'Look at the save slots. One that was deleted can be restored: the part Restore of the player’s page.',
  },
  STALE_SAVE: MISSED,
  SAVE_VERSION_REQUIRED: MISSED,
  WRITE_CONFLICT: { means: 'Others kept changing the same thing, so nothing was stored.', toDo: NOTHING_TO_DO },
  REQUEST_TIMEOUT: {
    means: 'The request did not arrive whole: mostly the player’s line was bad. Nothing was stored.',
    toDo: 'The player tries again on a better line.',
  },
  RATE_LIMITED: {
    means: 'Too many requests came at once from where the player is. Nothing was stored.',
    toDo: 'Nothing, when it is rare. If many players are refused so, whoever runs the server looks at its limits.',
  },
  OUTCOME_UNKNOWN: {
    means: 'It could not be told in time whether it was stored: it may be, whole, or not at all.',
    toDo: 'Look whether a change stands beside it on the time line, before anything is given again.',
  },
  INTERNAL_ERROR: {
    means: 'The server failed.',
    toDo: 'Whoever runs the server finds the request in its log. Look at Health whether more of them fail.',
  },
  ENDPOINT_NOT_SUPPORTED: { means: 'The endpoint has a step that this server does not run. Nothing was stored.', toDo: GAME_MENDS },
  CONDITION_FAILED: { means: 'A condition of the endpoint did not hold, and stopped it.', toDo: STEP_SAYS },
  DISABLED: meaningOf('PROJECT_DISABLED'),
  ECONOMY_ALARM: {
    means: 'Nothing was refused: more came in than an alarm of the project allows.',
    toDo: 'The page Economy has it among what was raised, with the entries that it counted.',
  },
};

/** Of codes that mean the same to everybody, what is said elsewhere, too. */
function meaningOf(code: string): Meaning {
  const { happened, toDo } = NOTICES[code] ?? { happened: '', toDo: '' };
  return { means: happened, toDo };
}

const OF_ALL = [
  ...['BEHIND', 'BUSY', 'BUILDING', 'STORAGE_UNAVAILABLE', 'HISTORY_MISMATCH', 'UNKNOWN_EVENT', 'PROJECT_DISABLED', 'QUOTA_EXCEEDED'],
  ...['RATE_LIMIT', 'RATE_LIMIT_DAILY', 'RECORD_LIMIT_REACHED', 'RECORD_DELETE_DISABLED', 'ENDPOINT_ONLY', 'REDACTED', 'PAST_TIMEOUT'],
  ...['ENDPOINT_NOT_FOUND', 'ENDPOINT_DISABLED', 'ENDPOINT_DEPRECATED', 'ENDPOINT_EXECUTION_FAILED', 'LIMIT_EXCEEDED', 'SCAN_TOO_LARGE'],
  ...['QUERY_FAILED', 'QUERY_TIMEOUT', 'INVALID_AT', 'AT_BEFORE_FIRST', 'AT_AFTER_LAST', 'AT_IN_FUTURE'],
] as const;

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ...OF_ALL.map((code): [string, Meaning] => [code, meaningOf(code)]),
  ...Object.entries(OF_PLAYERS),
]);

const OWN: Meaning = {
  means: 'The game itself refuses so: whoever wrote the endpoint chose this code, and the player was told the sentence beside it.',
  toDo: `${STEP_SAYS} If it should have held, try the call as this player.`,
};
const FAILED_STEP: Meaning = {
  means: 'A step of the endpoint failed, and stopped it.',
  toDo: GAME_MENDS,
};

/** What a refusal means; `null`: no more than the server's own sentence says. A code that is not the server's is the game's own. */
export function meaningOfRefusal({ slug, code }: Refused): Meaning | null {
  if (code === null) return null;
  const known = MEANINGS.get(code);
  if (known !== undefined) return known;
  if (slug === null) return null;
  return code.startsWith('ENDPOINT_ERROR.') ? FAILED_STEP : OWN;
}
