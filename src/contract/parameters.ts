import { z } from 'zod';

/** Parameters that many routes share: path, header and query parameters, and headers of answers. */

const described = <Schema extends z.ZodType>(schema: Schema, description: string, example?: unknown): Schema =>
  schema.meta({ description, ...(example === undefined ? {} : { examples: [example] }) });

/** The player of the examples. */
export const PLAYER = '76561198000000001';

/** Path parameters of all routes, by name. */
export const PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  project: described(z.string(), 'Id of the project', 'demo'),
  collection: described(z.string().regex(/^[A-Za-z0-9_-]{1,128}$/), 'Id or name of a collection', 'saves'),
  key: described(z.string().regex(/^[A-Za-z0-9_:-]{1,256}$/), "Key of a document; a player's is the player's id", PLAYER),
  record: described(z.string(), 'Id of a save record', 'a1b2c3'),
  player: described(z.string(), 'Id of a player', PLAYER),
  slug: described(z.string(), 'Slug of an endpoint', 'buy'),
  query: described(z.string(), 'Id or name of a query', 'richest'),
  page: described(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/), 'Slug of a page', 'news'),
  id: described(z.string(), 'Id of the definition, or its slug or name', 'saves'),
  held: described(z.string(), 'What somebody holds: a revision or any id', 'req_0000'),
  grant: described(z.string(), 'Id of a grant', '2f6c1a9be0d34c57'),
  approval: described(z.string(), 'Id of an approval', '5b1c04f2a9d7e310'),
  job: described(z.string(), 'The `jobId` of a push', '12'),
};

const whole = (text: string) => described(z.int().min(0), text);

/** The layer of definitions and data that a request uses. */
export const TARGET = {
  'x-ns-publish-target': described(
    z.enum(['live', 'next']).default('live'),
    'Which definitions and data it is for: `next` is what is staged. Also `?revisionTarget=next`',
  ),
} as const;

export const AT_POSITION = {
  'x-ns-position': whole("Read at least this revision of the project's log, as an answer named it"),
} as const;

/** Of reads that are served as of a moment of the past, too. */
export const AT = {
  at: described(
    z.string().min(1),
    [
      'As of this moment: a revision of the log, or an ISO time with its zone (a date alone is its midnight in UTC). The answer is what a reader',
      'saw then, by the definitions and settings of then; `x-ns-at` names its revision. Takes a secret key with the permission `history`, or, for',
      'his own data, the player, where the collection has `history: owner`',
    ].join('\n'),
    '2026-03-01T12:00:00Z',
  ),
} as const;
export const STORED_VIEW = {
  view: described(
    z.literal('stored'),
    'As it was stored, without the defaults of its schema: as of `at`, or of now. Open to who may read what was',
  ),
} as const;

/** The player, and what proves the player. */
export const AS_PLAYER = {
  'x-platform-id': described(
    z.string(),
    'Who plays: with a public key the player whose call, save or append it is. Also `?platformId=`, and `platformId` in the body of a call',
    PLAYER,
  ),
  'x-platform-token': described(
    z.string(),
    "What proves the player, where the project asks for it: a token of the player's platform, or the studio's own login",
  ),
  'x-auth-session': described(z.string(), "A session's token, where the project uses sessions; also `Authorization: Bearer`"),
  'x-on-behalf-of': described(z.string(), 'Of a host that acts for a player: whom it acts for'),
  'x-ns-revision-id': whole('The revision of the game that asks, where the project enforces revisions'),
} as const;

export const SAVE_VERSION = {
  'x-ns-save-version': whole(
    'The version that the write is based on; 0: there must be none yet. Also `If-Match`, `If-None-Match: *` for 0, and `?saveVersion=`',
  ),
} as const;

/** Every `idempotent` route accepts it. */
export const IDEMPOTENCY_KEY = {
  'Idempotency-Key': described(
    z.string().regex(/^[ -~]{1,128}$/),
    [
      'Makes the request happen once: the same key of the same caller with the same request is answered as it was first, with',
      '`idempotent-replay: true`, also where that was a refusal that had been decided; another request under it is 409',
      'IDEMPOTENCY_KEY_REUSED. Kept for `IDEMPOTENCY_HOURS`. After 504 OUTCOME_UNKNOWN, or no answer, send the request again with its key.',
    ].join('\n'),
  ),
} as const;

/** Every route that shows what players have takes it of people. */
export const REVEAL = {
  'x-ns-reveal': described(
    z.string().max(256),
    'Of a person with the permission `reveal`: why personal values (`_personal`) are asked for, percent-encoded. It is recorded before the answer, which then shows them',
  ),
} as const;

export const PUBLISH_BASE = {
  'x-ns-base': whole(
    'The revision of the log that this is made on, as `x-ns-position` of a read, push or promotion named it. If anything was published after it, 409 PUBLISH_CONFLICT',
  ),
} as const;

/** Why somebody publishes. */
export const WHY = {
  message: described(
    z.string().max(500),
    'Why, in a line of at most 500 characters: `publishes` and the log tell it with who, when and what',
    'Summer prices',
  ),
  ticket: described(z.string().max(128), 'Of the support desk, in a line of at most 128 characters; told beside `message`', 'T-77'),
} as const;

/** A parameter that is `true` or `false`. If the schema of the route's body has a flag of its name, it may stand there instead. */
export const flag = (description: string) => described(z.enum(['true', 'false']).default('false'), description);

export const REPLACE_ALL = { replaceAll: flag('Removes the definitions that the lists which are there do not hold') } as const;

export const STRICT = { strict: flag('What the validator finds refuses the push, as 400 STRICT_FINDINGS') } as const;
/** Of bodies whose other members the use case reads. */
export const STRICT_IN_BODY = { strict: described(z.boolean().optional(), 'As in the query') } as const;

/** Headers of answers. */
export const POSITION_HEADER = {
  'x-ns-position': whole("Revision of the project's log that the answer reflects, or that the write became"),
} as const;
export const STALE_HEADER = { 'x-ns-stale': described(z.literal('true'), 'The answer may lag behind the log').optional() } as const;
/** Refusals of a text that names a moment. */
export const MOMENT_ERRORS = ['INVALID_AT', 'AT_BEFORE_FIRST', 'AT_AFTER_LAST', 'AT_IN_FUTURE'] as const;
/** Refusals of `at`. */
export const AT_ERRORS = [...MOMENT_ERRORS, 'REDACTED', 'PAST_TIMEOUT', 'BEHIND', 'FORBIDDEN'] as const;
/** Headers of answers that are read from the log or a view of it. */
export const READ_HEADERS = { ...POSITION_HEADER, ...STALE_HEADER } as const;
/** Headers of answers to publishes. */
export const PUBLISHED_HEADERS = {
  ...READ_HEADERS,
  'x-ns-published': whole(
    'The revision under which `publishes` lists what this published; missing where that was nothing, and of an answer that is given again',
  ).optional(),
} as const;
export const VERSION_HEADER = { 'x-ns-save-version': whole('Number of accepted writes to the document') } as const;
export const REPLAY_HEADER = {
  'idempotent-replay': described(z.literal('true'), 'The first answer to a request that was sent again').optional(),
} as const;
/** Header of answers as of a moment of the past. */
export const AT_HEADER = {
  'x-ns-at': whole('The revision that the answer is of, where `at` asked for a moment: `at` of a lasting link').optional(),
} as const;
/** Headers of every route that names a player. */
export const PROOF_HEADER = {
  'x-ns-player-proof': described(
    z.literal('none'),
    'The player was named and not proven, which this project takes: its setting is requirePlayerAuth',
  ).optional(),
} as const;
/** Headers of every answer. */
export const COMMON_HEADERS = { 'X-Correlation-ID': described(z.string(), "The caller's own id of the request, or a new one") } as const;
