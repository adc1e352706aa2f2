import { isIP } from 'node:net';
import { z } from 'zod';

/**
 * The only reader of the environment. Every setting is one row of the two tables below: its variable, what it means, what it may
 * be. The rows are also what the documentation is made from ({@link describeSettings}).
 */
interface Setting<T> {
  readonly variable: string;
  readonly about: string;
  /** As it would stand in the environment; `null`: not set. */
  readonly initial: string | null;
  /** What is allowed, in words. */
  readonly allowed: string;
  readonly secret: Secrecy;
  readonly parse: z.ZodType<T, string | undefined>;
}

/** How much of a value no message may show: an address is shown without its password. */
type Secrecy = 'no' | 'partly' | 'whole';

/** How one kind of value is read and described. */
interface Kind<T> {
  readonly allowed: string;
  readonly parse: z.ZodType<T, string | undefined>;
  readonly secret?: Secrecy;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const UNITS: Readonly<Record<string, number>> = { '': 1, KiB: KIB, MiB: MIB, GiB: 1024 * MIB };

function setting<T>(variable: string, initial: string | null, kind: Kind<T>, about: string): Setting<T> {
  return { variable, about, initial, allowed: kind.allowed, parse: kind.parse, secret: kind.secret ?? 'no' };
}

function whole(min: number, max: number, unit = ''): Kind<number> {
  const number = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
  return { allowed: `a whole number${unit === '' ? '' : ` of ${unit}`} from ${min} to ${max}`, parse: number };
}

function bytes(min: number, max: number): Kind<number> {
  const parse = z
    .string()
    .regex(/^\d{1,15} ?(KiB|MiB|GiB)?$/)
    .transform((text) => Number.parseInt(text, 10) * (UNITS[text.replace(/[\d ]/g, '')] ?? Number.NaN))
    .pipe(z.number().min(min).max(max));
  return { allowed: `bytes, or a number with KiB, MiB or GiB, from ${sizeText(min)} to ${sizeText(max)}`, parse };
}

function sizeText(size: number): string {
  const unit = ['GiB', 'MiB', 'KiB'].find((name) => size % (UNITS[name] ?? 1) === 0);
  return unit === undefined ? String(size) : `${size / (UNITS[unit] ?? 1)} ${unit}`;
}

function choice<const T extends string>(...options: readonly [T, ...T[]]): Kind<T> {
  return { allowed: `one of ${options.join(', ')}`, parse: z.enum(options) };
}

/** What a node may do; a node does one or more of them. */
export const ROLES = ['api', 'projector', 'worker'] as const;
export type Role = (typeof ROLES)[number];

const roles: Kind<readonly Role[]> = {
  allowed: `one or more of ${ROLES.join(', ')}, with commas between`,
  parse: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(ROLES)))
    .transform((names) => ROLES.filter((role) => names.includes(role))),
};

function matching(pattern: RegExp, allowed: string): Kind<string> {
  return { allowed, parse: z.string().regex(pattern) };
}

/** A server's address, or `null`. It may hold a password, so it is never shown whole. `clear`: what it has to look like besides. */
function address(schemes: readonly string[], allowed: string, clear = /^/): Kind<string | null> {
  const fits = (text: string) => clear.test(text) && URL.canParse(text) && schemes.includes(new URL(text).protocol);
  return {
    allowed,
    secret: 'partly',
    parse: z
      .string()
      .refine(fits)
      .optional()
      .transform((text) => text ?? null),
  };
}

function optional(pattern: RegExp, allowed: string): Kind<string | null> {
  const parse = z
    .string()
    .regex(pattern)
    .optional()
    .transform((text) => text ?? null);
  return { allowed, parse };
}

function optionalText(most: number): Kind<string | null> {
  return optional(new RegExp(`^.{1,${most}}$`), `a text of at most ${most} characters`);
}

/** Long enough that nobody finds it out from what it signs. */
const secretText: Kind<string | null> = { ...optional(/^.{16,1000}$/, 'a text of 16 to 1000 characters'), secret: 'whole' };

/** Addresses and networks; `none` for none at all. */
const networks: Kind<readonly string[]> = {
  allowed: 'IP addresses and networks such as 10.0.0.0/8, with commas between, or none',
  parse: z
    .string()
    .transform((text) => (text === 'none' ? [] : text.split(',').map((one) => one.trim())))
    .pipe(z.array(z.string().refine(isNetwork))),
};

/** As a browser names them: scheme, host and port, no path. */
const origins: Kind<readonly string[]> = {
  allowed: 'origins such as https://game.example, with commas between, * for every one, or none',
  parse: z
    .string()
    .transform((text) => (text === 'none' ? [] : text.split(',').map((one) => one.trim())))
    .pipe(z.array(z.string().refine((text) => text === '*' || (URL.canParse(text) && new URL(text).origin === text)))),
};

/** Beginnings of addresses as they will be compared; `none` for none at all. */
const prefixes: Kind<readonly string[] | null> = {
  allowed: 'http(s) addresses that end in /, with commas between, or none',
  parse: z
    .string()
    .transform((text) => (text === 'none' ? [] : text.split(',').map((one) => one.trim())))
    .pipe(z.array(z.string().refine(isPrefix)))
    .optional()
    .transform((list) => list ?? null),
};

/** With a path, or `https://a.example` would let `https://a.example.org` through. */
function isPrefix(text: string): boolean {
  if (!URL.canParse(text) || !text.endsWith('/')) return false;
  const { href, protocol, username, password } = new URL(text);
  return href === text && (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

function isNetwork(text: string): boolean {
  const [host = '', length, ...rest] = text.split('/');
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(host)] ?? -1;
  if (longest === -1 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= longest);
}

const pattern: Kind<string> = {
  allowed: 'a regular expression of at most 200 characters',
  parse: z.string().max(200).refine(isPattern),
};

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

const SERVER = {
  port: setting('PORT', '8080', whole(0, 65_535), 'TCP port of the HTTP server; 0 takes any free one.'),
  host: setting('HOST', '127.0.0.1', matching(/^[\w.:-]+$/, 'an address or a host name'), 'Address to listen on; 0.0.0.0 is every one.'),
  dataDir: setting('SAVEPOINT_DATA', './data', matching(/^[^\0]+$/, 'a path'), 'Folder for everything this node keeps on its machine.'),
  databaseUrl: setting(
    'DATABASE_URL',
    null,
    address(['postgres:', 'postgresql:'], 'postgres://user:password@host:port/database'),
    'A Postgres server of your own; without it the embedded one in the data folder runs.',
  ),
  eventStoreUrl: setting(
    'EVENTSTORE_URL',
    null,
    // Its client takes what follows the first `@` for the host, and would show the rest of a password in its errors.
    address(
      ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:'],
      'esdb://user:password@host:port, a @ in the password as %40',
      /^[^@]*@?[^@]*$/,
    ),
    'An EventStoreDB or KurrentDB to keep the log in; without it Postgres keeps it.',
  ),
  roles: setting('ROLES', ROLES.join(','), roles, 'What this node does: serve requests, write the read models, run jobs.'),
  workers: setting('WORKERS', '1', whole(1, 64), 'Processes that serve requests on this machine, behind one port.'),
  redisUrl: setting(
    'REDIS_URL',
    null,
    address(['redis:', 'rediss:'], 'redis://user:password@host:port/0'),
    'A Redis to keep background jobs in; without it Postgres keeps them.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '127.0.0.0/8,::1',
    networks,
    'Balancers whose `X-Forwarded-For` is believed when requests are counted by address.',
  ),
  corsOrigins: setting('CORS_ORIGINS', 'none', origins, 'Web pages that may call from a browser, by their origin.'),
  webhookPrefixes: setting(
    'WEBHOOK_PREFIXES',
    null,
    prefixes,
    'How the addresses begin that webhook steps may post to; `none`: nowhere; not set: those of the one chat service that endpoints in the wild name.',
  ),
  wireNames: setting('WIRE_NAMES', 'neutral', choice('neutral', 'published'), 'The spelling of names in answers; both are read, always.'),
  v1Routes: setting('V1_ROUTES', 'old', choice('old', 'all'), 'Under /v1: what old clients call there, or all that /v3 serves.'),
  keyPrefix: setting('KEY_PREFIX', 'sp_', matching(/^[a-z0-9]{0,15}_?$/, 'at most 16 of a-z 0-9, then _'), 'How new API keys begin.'),
  platformIdPattern: setting(
    'PLATFORM_ID_PATTERN',
    '^[79][0-9]{3,16}$',
    pattern,
    'What a player id looks like, also of a login of your own. Leave `_` out: it ends the player in the key of a save slot.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'The least important messages that are still written.',
  ),
} as const;

const LIMITS = {
  documentBytes: setting('LIMIT_DOCUMENT', '64 KiB', bytes(KIB, MIB), 'Largest document; `GROUP_BYTES` must be four times that.'),
  gameBodyBytes: setting('LIMIT_GAME_BODY', '256 KiB', bytes(KIB, 16 * MIB), 'Largest request body of a game.'),
  managementBodyBytes: setting('LIMIT_MANAGEMENT_BODY', '8 MiB', bytes(KIB, 64 * MIB), 'Largest request body of the management routes.'),
  bodyDepth: setting('LIMIT_BODY_DEPTH', '64', whole(4, 512), 'Deepest nesting of a request body.'),
  gameBurst: setting('LIMIT_GAME_BURST', '600', whole(1, 1e9), 'Requests of one address that pass at once, game routes.'),
  gameRefill: setting('LIMIT_GAME_REFILL', '200', whole(1, 1e9), 'Requests per second of one address, game routes.'),
  managementBurst: setting('LIMIT_MANAGEMENT_BURST', '120', whole(1, 1e9), 'The same at once, management routes.'),
  managementRefill: setting('LIMIT_MANAGEMENT_REFILL', '20', whole(1, 1e9), 'The same per second, management routes.'),
  sessionBurst: setting('LIMIT_SESSION_BURST', '120', whole(1, 1e9), 'The same at once, routes of auth sessions.'),
  sessionRefill: setting('LIMIT_SESSION_REFILL', '30', whole(1, 1e9), 'The same per second, routes of auth sessions.'),
  workingSetBytes: setting('WORKING_SET', '64 MiB', bytes(MIB, 64 * 1024 * MIB), 'Memory for what is cached of documents.'),
  windowBytes: setting(
    'WORKING_SET_WINDOW',
    '64 MiB',
    bytes(MIB, 64 * 1024 * MIB),
    'Memory for changes that are not in the tables yet; beyond it writes answer 503 BEHIND.',
  ),
  queueCommits: setting('QUEUE_COMMITS', '5000', whole(1, 1e6), 'Commits of one project that may wait; beyond it 503 BUSY.'),
  groupCommits: setting('GROUP_COMMITS', '400', whole(1, 10_000), 'Most commits in one append.'),
  // EventStoreDB takes 1 MiB per append with default settings.
  groupBytes: setting('GROUP_BYTES', '768 KiB', bytes(64 * KIB, 16 * MIB), 'Most bytes in one append.'),
  commandTimeoutMs: setting('COMMAND_TIMEOUT_MS', '10000', whole(100, 600_000, 'milliseconds'), 'Longest time for one request.'),
  shutdownTimeoutMs: setting(
    'SHUTDOWN_TIMEOUT_MS',
    '10000',
    whole(0, 600_000, 'milliseconds'),
    'Longest wait for running requests on stop.',
  ),
} as const;

/** How players are verified (docs/operations.md, "Players"). */
const VERIFIER = {
  kind: setting('VERIFIER', 'none', choice('none', 'http', 'jwt', 'hmac'), 'What proves who a player is.'),
  preset: setting('VERIFIER_PRESET', 'custom', choice('custom', 'published'), '`published`: http as the published platform wants it.'),
  url: setting('VERIFIER_URL', null, address(['https:', 'http:'], 'https://host/path'), 'http: the service that is asked.'),
  idMember: setting('VERIFIER_REQUEST_ID', null, optionalText(64), 'http: member of the request that holds the id; else `platformId`.'),
  tokenMember: setting('VERIFIER_REQUEST_TOKEN', null, optionalText(64), 'http: member of the request that holds the token; else `token`.'),
  success: setting(
    'VERIFIER_ANSWER_OK',
    null,
    optional(/^(?:none|[^=]{1,100}=.{1,100})$/, 'path=text, or none'),
    'http: member of the answer and its text when the token is good; else a status of 2xx suffices.',
  ),
  idPath: setting(
    'VERIFIER_ANSWER_ID',
    null,
    optionalText(100),
    'http: path to the id in the answer, which is compared; else `platformId`; `none`: the service compares.',
  ),
  secret: setting('VERIFIER_SECRET', null, secretText, 'hmac, and jwt with HS256: the secret shared with the login.'),
  jwksUrl: setting('VERIFIER_JWKS_URL', null, address(['https:', 'http:'], 'https://host/path'), 'jwt with RS256 or ES256: the key set.'),
  issuer: setting('VERIFIER_ISSUER', null, optionalText(500), 'jwt: what `iss` must be.'),
  audience: setting('VERIFIER_AUDIENCE', null, optionalText(500), 'jwt: what `aud` must hold.'),
  claim: setting('VERIFIER_CLAIM', 'sub', matching(/^.{1,100}$/, 'a name of at most 100 characters'), 'jwt: the claim that holds the id.'),
  timeoutMs: setting('VERIFIER_TIMEOUT_MS', '5000', whole(100, 60_000, 'milliseconds'), 'Longest time for one verification.'),
  cacheSeconds: setting('VERIFIER_CACHE', '60', whole(0, 600, 'seconds'), 'http: how long a good token is believed without asking again.'),
} as const;

type Values<T> = { readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : never };

export type Limits = Values<typeof LIMITS>;
export type Verifier = Values<typeof VERIFIER>;
export type Config = Values<typeof SERVER> & { readonly verifier: Verifier; readonly limits: Limits };

/** What flags of the command line replace, as text: the same rules hold. */
export type Overrides = { readonly [K in keyof typeof SERVER]?: string | undefined };

/** One or more settings are not valid. The message has a line for each: variable, what it is, what is allowed. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem';
}

/**
 * Reads every setting: the override, or the variable, or its default; an empty variable counts as not set. Throws
 * {@link ConfigProblem} that names all that is wrong; secrets in it are shown without their secret part.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, overrides: Overrides = {}): Config {
  const problems: string[] = [];
  const server = readTable(SERVER, env, overrides, problems);
  const verifier = readTable(VERIFIER, env, {}, problems);
  const limits = readTable(LIMITS, env, {}, problems);
  if (problems.length === 0) problems.push(...atOdds(limits as Limits));
  if (problems.length > 0) throw new ConfigProblem(problems.join('\n'));
  // The tables were read without a problem, so each name has a value of its row's type.
  return { ...server, verifier, limits } as Config;
}

/** An event may hold a document, what was asked for, and the document it was forked from, with their changes. */
const DOCUMENTS_PER_APPEND = 4;

/** Settings that are allowed each by itself, and leave writes that can never be stored. */
function atOdds({ documentBytes, groupBytes }: Limits): string[] {
  const needed = DOCUMENTS_PER_APPEND * documentBytes;
  if (groupBytes >= needed) return [];
  return [
    `GROUP_BYTES is ${sizeText(groupBytes)}; allowed with a LIMIT_DOCUMENT of ${sizeText(documentBytes)}: ${sizeText(needed)} or more`,
  ];
}

function readTable(
  table: Readonly<Record<string, Setting<unknown>>>,
  env: Readonly<Record<string, string | undefined>>,
  overrides: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const text = filled(overrides[name]) ?? filled(env[row.variable]) ?? row.initial ?? undefined;
    const result = row.parse.safeParse(text);
    if (result.success) values[name] = result.data;
    else problems.push(`${row.variable} is ${shown(text, row.secret)}; allowed: ${row.allowed}`);
  }
  return values;
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

function shown(text: string | undefined, secret: Secrecy): string {
  if (text === undefined) return 'not set';
  if (secret === 'whole') return '(not shown)';
  return secret === 'partly' ? redactUrl(text) : JSON.stringify(text.slice(0, 200));
}

/** An address fit for logs: without user's password and parameters. What is no address is not shown at all, it may be anything. */
export function redactUrl(text: string): string {
  if (!URL.canParse(text)) return '(not shown: not an address)';
  const { protocol, username, password, host, pathname } = new URL(text);
  const user = username === '' ? '' : `${username}${password === '' ? '' : ':***'}@`;
  // Without `//` the whole text would be the path, and a password in it would be shown.
  return host === '' ? `${protocol}***` : `${protocol}//${user}${host}${pathname}`;
}

export interface SettingDescription {
  readonly variable: string;
  readonly about: string;
  readonly initial: string | null;
  readonly allowed: string;
}

/** All settings in the order of the tables, for the operations page. */
export function describeSettings(): readonly SettingDescription[] {
  return [...Object.values(SERVER), ...Object.values(VERIFIER), ...Object.values(LIMITS)].map(({ variable, about, initial, allowed }) => ({
    variable,
    about,
    initial,
    allowed,
  }));
}
