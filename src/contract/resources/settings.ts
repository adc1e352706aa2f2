import { z } from 'zod';
import { isNumber, isObject, type Json, type JsonObject, stringifyJson, toDouble } from '../../kernel/json.ts';
import { analytics } from './analytics.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { flag, map, optional, type Shape, type Written } from './member.ts';

/** Settings of a project: names, types, ranges and defaults. */

const MAX_MESSAGE = 500;
const MAX_DESCRIPTION = 256;
export const MAX_NAME = 64;
/** The most characters of a setting that is an object, because every node holds the settings of its open projects. */
const MAX_OBJECT = 16_384;

const code = 'INVALID_SETTING';

function switched(initial: boolean, description: string) {
  return optional(flag, description, { default: initial, code, expected: 'true or false' });
}

function truncated(value: unknown): unknown {
  const json = value as Json;
  return isNumber(json) ? Math.trunc(toDouble(json)) : value;
}

function boundedWholeNumber(initial: number, min: number, max: number, description: string) {
  const expected = `a whole number from ${min} to ${max}`;
  return optional(z.preprocess(truncated, z.number().int().min(min).max(max)), description, { default: initial, code, expected });
}

/** Minutes. Null, `disabled` and any value that is not positive switch it off; other values are moved into the range. */
function minutes(min: number, max: number, description: string) {
  const within = (value: unknown) => {
    if (value === null || value === 'disabled') return null;
    const json = value as Json;
    if (!isNumber(json)) return value;
    const number = toDouble(json);
    return number <= 0 ? null : Math.min(Math.max(Math.trunc(number), min), max);
  };
  const schema = z.preprocess(within, z.number().int().min(min).max(max).nullable());
  return optional(schema, description, { default: null, code, expected: `minutes from ${min} to ${max}, or null` });
}

/** One of these words; the first is the default. `also`: other spellings of some of them. */
function oneOf<const W extends readonly [string, ...string[]]>(
  words: W,
  description: string,
  also: Readonly<Record<string, W[number]>> = {},
) {
  const meant = (value: unknown) => (typeof value === 'string' && Object.hasOwn(also, value) ? also[value] : value);
  return optional(z.preprocess(meant, z.enum(words)), description, { default: words[0], code, expected: `one of ${words.join(', ')}` });
}

function boundedText(most: number, description: string) {
  return optional(z.string().max(most), description, { default: '', code, expected: `a text of at most ${most} characters` });
}

const OBJECT = `an object of at most ${MAX_OBJECT} characters`;

/** An object that fits a schema. It stays as it was sent, because readers parse it. */
function object(schema: z.ZodType) {
  const { $schema, ...described } = jsonSchemaOf(schema);
  const fits = (value: unknown) =>
    isObject(value as Json) && stringifyJson(value as JsonObject).length <= MAX_OBJECT && schema.safeParse(value).success;
  return z.custom<JsonObject>(fits).meta(described);
}

const ALARM = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_ALARMS = 50;

/** When what came in of a currency is too much. */
const economyAlarm = z
  .strictObject({
    name: z.string().regex(ALARM).meta({ description: 'Names it in what is told' }),
    currency: z.string().min(1).max(512).meta({ description: '`_currency` of fields; of a field without one, `collection.field`' }),
    source: z.string().min(1).max(64).exactOptional().meta({ description: 'Of one source only' }),
    overMedian: z.number().gt(1).max(1e6).exactOptional().meta({
      description: 'Raised when the faucet of a day is more than so many times the median of the 14 days before',
    }),
    perPlayerHour: z
      .number()
      .gt(0)
      .max(1e300)
      .exactOptional()
      .meta({ description: 'Raised when more comes in for one player within an hour (UTC)' }),
  })
  .refine(({ overMedian, perPlayerHour }) => (overMedian === undefined) !== (perPlayerHour === undefined))
  .readonly();

export type EconomyAlarm = z.output<typeof economyAlarm>;

const economyAlarms = z
  .array(economyAlarm)
  .max(MAX_ALARMS)
  .refine((alarms) => new Set(alarms.map(({ name }) => name)).size === alarms.length)
  .readonly();

export const settings = z
  .strictObject({
    description: boundedText(MAX_DESCRIPTION, 'For people.'),
    enabled: switched(true, '`false`: every request is refused.'),
    requirePlayerAuth: switched(false, 'Players have to prove who they are.'),
    guestSignIn: switched(false, 'Players without an account are guests, whom their devices prove.'),
    enableAuthSessions: switched(false, 'Players who are proven get a session.'),
    authSessionTtlSeconds: boundedWholeNumber(3600, 60, 86_400, 'How long a session lasts.'),
    enableEncryptedRequests: switched(false, 'Requests of players are sealed.'),
    // The default must equal the one in the security config, which clients follow.
    encryptedRequestWindowSeconds: boundedWholeNumber(120, 30, 600, 'How old a sealed request may be.'),
    // Existing games use these words for one document per player, so copied settings must be accepted.
    playerKeyMode: oneOf(['player', 'playerSave'], 'What `playerKey` is in templates.', { public: 'player' }),
    inputValidation: oneOf(['enforce', 'off'], 'Whether the input of endpoints is checked.'),
    validateEndpointWrites: switched(false, 'What endpoints write is held to the schema, too.'),
    strictComparisons: switched(false, 'Endpoints that compare by order what is neither numbers nor two instants fail.'),
    strictSaveVersion: switched(false, 'Collections that ask for it take only writes that name the version they are based on.'),
    nextData: oneOf(['isolated', 'shared'], 'Whether staged definitions have data of their own.'),
    nextAccess: oneOf(['anyone', 'players', 'keys'], 'Who may use the target `next` with a public key: `keys`: secret keys only.'),
    approvals: oneOf(['off', 'required'], 'Whether a second person approves whatever goes live.'),
    fillDefaults: switched(true, 'Documents are read with the defaults of their schema.'),
    revisionEnforcementEnabled: switched(false, 'Older revisions of the game are told to upgrade.'),
    revisionEnforcementMode: oneOf(['allow_continue', 'force_upgrade'], 'What they are told.'),
    revisionGracePeriodMinutes: minutes(5, 1440, 'How long they may go on.'),
    revisionPostGraceAction: oneOf(['block_writes', 'block_all'], 'What happens afterwards.', {
      block_saves: 'block_writes',
      allow_readonly: 'block_writes',
    }),
    revisionForceEndpointUpgrade: switched(false, 'Endpoints refuse older revisions.'),
    revisionNotifyMessage: boundedText(MAX_MESSAGE, 'What players are shown.'),
    revisionShowDefaultMessage: switched(false, 'Players are shown a message of the client’s own.'),
    revisionShowNewVersionBanner: switched(true, 'Players are shown a banner.'),
    revisionShowUpdateOptions: switched(true, 'Players are shown how to update.'),
    revisionEscalateAfterMinutes: minutes(60, 1440, 'When players are told again, and louder.'),
    revisionShowPopupOnce: switched(true, 'Players are told once.'),
    revisionTestOutdatedEditor: switched(false, 'Editors count as outdated.'),
    revisionTestOutdatedLive: switched(false, 'Games count as outdated.'),
    analytics: optional(object(analytics), 'What is taken of what games report.', {
      default: {},
      code,
      expected: `${OBJECT}, its switches true or false, retentionDays a whole number of days (0: for ever), allowedEventTypes a list of texts`,
    }),
    economyAlarms: optional(economyAlarms, 'Alarms of the economy.', {
      default: [],
      code,
      expected: `a list of at most ${MAX_ALARMS} alarms: a name of letters, digits, - and _, which no other has, a currency, perhaps a source, and one of overMedian (more than 1) and perPlayerHour (more than 0)`,
    }),
    webhooks: optional(object(map), 'Kept for editors.', { default: {}, code, expected: OBJECT }),
    endpointRateLimits: optional(object(map).nullable(), 'Kept for editors.', { default: null, code, expected: OBJECT }),
  })
  .meta({ id: 'Settings', description: 'Settings of a project.' });

/** A project's name. It is changed like a setting but stored beside the settings, because every project has one from its creation. */
export const projectName = optional(z.string().trim().min(1).max(MAX_NAME), 'What people call the project.', {
  default: '',
  code,
  expected: `a text of 1 to ${MAX_NAME} characters`,
});

/** A body that changes settings: they are its own members, or those of one of these members, as answers have them. */
const settingsBody = z.looseObject({
  settings: optional(map, 'The settings.'),
  config: optional(map, 'The same as `settings`.'),
});

export type WrittenSettings = JsonObject & Written<typeof settings>;
export type SettingsBody = JsonObject & Written<typeof settingsBody>;

type Filled<S extends Shape> = { readonly [Name in keyof S]: Exclude<z.output<S[Name]>, undefined> };

/** Every setting, with the default of those that are not set. */
export type ProjectSettings = Filled<typeof settings.shape>;
