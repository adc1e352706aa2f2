import type { Json, JsonObject } from '../kernel/json.ts';

/**
 * The one table of names on the wire. Inside the server every name is neutral, and by default so are the names in answers. Published
 * clients of one platform have their own names for some. Input may always use either spelling. With `WIRE_NAMES=published` answers use the
 * published ones.
 *
 * Input: `headerSpellings` and `memberSpellings` list what a reader looks up; `acceptMember`, `acceptValue` and `acceptMembers` turn any
 * known spelling into the neutral one. Output: `wireNames('published')` renames members and codes of an answer that the server made. What
 * players or authors wrote (documents, records, endpoint responses, definitions, game values) is never renamed.
 */

export type WireNamesMode = 'neutral' | 'published';

/** `published`: the spelling of answers in that mode. `also`: further spellings that are accepted. */
interface WireName {
  readonly neutral: string;
  readonly published: string;
  readonly also?: readonly string[];
}

/** Lower case, as Node gives them. */
const HEADERS: readonly WireName[] = [
  { neutral: 'x-platform-id', published: 'x-steam-id' },
  { neutral: 'x-platform-player-id', published: 'x-sbox-steam-id' },
  { neutral: 'x-platform-token', published: 'x-sbox-token' },
  { neutral: 'x-platform-auth-token', published: 'x-sbox-auth-token' },
  { neutral: 'x-platform-secret-key', published: 'x-sbox-secret-key' },
];

/** Members of queries, bodies, tokens and answers, including settings and definition fields. */
const MEMBERS: readonly WireName[] = [
  { neutral: 'platformId', published: 'steamId' },
  { neutral: 'platformid', published: 'steamid' },
  { neutral: 'platform_id', published: 'steam_id' },
  { neutral: 'requirePlayerAuth', published: 'requireSboxAuth', also: ['requirePlatformAuth'] },
  { neutral: 'skipPlayerAuth', published: 'skipSboxAuth', also: ['skipPlatformAuth'] },
];

const CODES: readonly WireName[] = [
  { neutral: 'PLATFORM_AUTH_FAILED', published: 'SBOX_AUTH_FAILED' },
  { neutral: 'AUTH_SESSION_PLATFORMID_MISMATCH', published: 'AUTH_SESSION_STEAMID_MISMATCH' },
  { neutral: 'INVALID_PLATFORMID', published: 'INVALID_STEAMID' },
  { neutral: 'MISSING_PLATFORM_ID', published: 'MISSING_STEAM_ID' },
];

/** Values of `collectionType`. */
const COLLECTION_TYPES: readonly WireName[] = [
  { neutral: 'per-platformid', published: 'per-steamid', also: ['player', 'per-player'] },
  { neutral: 'global', published: 'global' },
];

/** Values of `identityType` in envelopes. */
const IDENTITY_TYPES: readonly WireName[] = [{ neutral: 'platform', published: 'steam' }];

/**
 * Names under which an envelope may carry the player's id. The spelling of the name decides the spelling of the identity's type, from which
 * the client derived its key.
 */
export const ENVELOPE_IDENTITIES: readonly { readonly name: string; readonly identityType: string }[] = [
  { name: 'platformId', identityType: 'platform' },
  { name: 'steamId', identityType: 'steam' },
];

const TABLES = { header: HEADERS, member: MEMBERS, code: CODES, collectionType: COLLECTION_TYPES, identityType: IDENTITY_TYPES };
type Table = keyof typeof TABLES;

/** Texts with a neutral and a published form. Clients choose that of envelope labels and session prefixes: both are understood. */
export const WIRE_TEXTS = {
  keyPrefix: { neutral: 'platform_', published: 'sbox_' },
  sessionPrefix: { neutral: 'ns_sess_', published: 'sbox_sess_' },
  envelopeLabel: {
    neutral: 'network-storage.encrypted-request.v1',
    published: 'sboxcool.network-storage.encrypted-request.v1',
  },
  /** Prefixes that collection ids may not have, because they are reserved for the server's own sources. */
  reservedCollection: { neutral: '__platform_', published: '__sbox_' },
} as const satisfies Record<string, Record<WireNamesMode, string>>;

/** How the published platform's token service is called, and what it answers. */
export const VERIFIER_PRESET = {
  url: 'https://public.facepunch.com/sbox/auth/token',
  idMember: 'steamid',
  tokenMember: 'token',
  success: { path: 'Status', value: 'ok' },
  idPath: 'SteamId',
} as const;

/** Names under which templates see the player's id; the first one is documented. */
export const PLAYER_TEMPLATE_NAMES: readonly string[] = ['platformId', 'steamId'];

/** Where webhook steps may post unless the installation says otherwise: the chat service that existing endpoints use. */
export const WEBHOOK_PREFIXES: readonly string[] = ['https://discord.com/api/webhooks/', 'https://discordapp.com/api/webhooks/'];

/** The player of test runs that name none. */
export const SYNTHETIC_PLAYER = '76561198000000000';

const toNeutral = indexes((entry) => [entry.published, ...(entry.also ?? [])].map((name) => [name, entry.neutral]));
const toPublished = indexes((entry) => [[entry.neutral, entry.published]]);

/** Every spelling of a header, the neutral one first: readers of headers look these up. */
export function headerSpellings(neutral: string): readonly string[] {
  return spellings('header', neutral);
}

/** Every spelling of a member name, the neutral one first: readers of queries and bodies look these up. */
export function memberSpellings(neutral: string): readonly string[] {
  return spellings('member', neutral);
}

/** The neutral name of a member of a query, a transport body or the settings. */
export function acceptMember(name: string): string {
  return toNeutral.member.get(name) ?? name;
}

/** The neutral form of a value from a closed set, such as a collection type. Case and outer blanks do not matter. */
export function acceptValue(table: 'collectionType' | 'identityType', value: string): string {
  const plain = value.trim().toLowerCase();
  return toNeutral[table].get(plain) ?? plain;
}

/** An object with its top-level members under neutral names. A neutral member that is present itself wins. */
export function acceptMembers(body: JsonObject): JsonObject {
  if (!Object.keys(body).some((name) => toNeutral.member.has(name))) return body;
  const renamed = new Map<string, Json>();
  for (const [name, value] of Object.entries(body)) {
    const neutral = acceptMember(name);
    if (neutral === name || !Object.hasOwn(body, neutral)) renamed.set(neutral, value);
  }
  return Object.fromEntries(renamed);
}

/** How a mode spells answers. */
export interface OutputNames {
  code(code: string): string;
  member(name: string): string;
  collectionType(type: string): string;
  /** Renames the top-level members and the `error.code` of a body that the server made. */
  body<Body extends object>(body: Body): Body;
  /** The entry of a save slot. Games built for the published service read its names with a capital letter, so both spellings go out. */
  saveRecord<Entry extends object>(entry: Entry): Entry;
}

const NEUTRAL: OutputNames = { code: same, member: same, collectionType: same, body: same, saveRecord: same };

const PUBLISHED: OutputNames = {
  code: (code) => toPublished.code.get(code) ?? code,
  member: (name) => toPublished.member.get(name) ?? name,
  collectionType: (type) => toPublished.collectionType.get(type) ?? type,
  body: publishedBody,
  saveRecord: (entry) => ({ ...entry, ...capitalised(entry) }),
};

export function wireNames(mode: WireNamesMode): OutputNames {
  return mode === 'published' ? PUBLISHED : NEUTRAL;
}

/** Keeps the type of the body: types know only the neutral names. */
function publishedBody<Body extends object>(body: Body): Body {
  const entries = Object.entries(body).map(([name, value]): [string, Json] => [
    PUBLISHED.member(name),
    name === 'error' ? publishedError(value) : value,
  ]);
  return Object.fromEntries(entries) as Body;
}

function capitalised(entry: object): JsonObject {
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, value]));
}

function publishedError(error: Json): Json {
  if (typeof error === 'string') return PUBLISHED.code(error);
  if (typeof error !== 'object' || error === null || !('code' in error)) return error;
  const { code } = error;
  return typeof code === 'string' ? { ...error, code: PUBLISHED.code(code) } : error;
}

function spellings(table: Table, neutral: string): readonly string[] {
  const entry = TABLES[table].find((candidate) => candidate.neutral === neutral);
  return entry === undefined ? [neutral] : [neutral, entry.published, ...(entry.also ?? [])];
}

function indexes(pairs: (entry: WireName) => string[][]): Readonly<Record<Table, ReadonlyMap<string, string>>> {
  const index = (table: Table) => new Map(TABLES[table].flatMap(pairs).map(([from = '', to = '']) => [from, to]));
  return {
    header: index('header'),
    member: index('member'),
    code: index('code'),
    collectionType: index('collectionType'),
    identityType: index('identityType'),
  };
}

function same<T>(value: T): T {
  return value;
}
