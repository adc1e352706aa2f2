import { z } from 'zod';
import {
  address,
  bytes,
  choice,
  domains,
  issuedSecret,
  issuer,
  KIB,
  type Kind,
  listening,
  MIB,
  matching,
  networks,
  optional,
  optionalText,
  optionalWholeNumber,
  origins,
  pattern,
  prefixes,
  type Secrecy,
  secretText,
  wholeNumber,
} from './kinds.ts';

/** A setting: the variable, its meaning, what is allowed. The tables below have one row for each. */
export interface Setting<T> {
  readonly variable: string;
  readonly about: string;
  /** The default as it would be written in the environment; `null`: not set. */
  readonly initial: string | null;
  /** What is allowed, in words. */
  readonly allowed: string;
  readonly secret: Secrecy;
  readonly parse: z.ZodType<T, string | undefined>;
}

function setting<T>(variable: string, initial: string | null, kind: Kind<T>, about: string): Setting<T> {
  return { variable, about, initial, allowed: kind.allowed, parse: kind.parse, secret: kind.secret ?? 'no' };
}

/** What a node may do. A node has one or more of these roles. */
const ROLES = ['api', 'projector', 'worker'] as const;
export type Role = (typeof ROLES)[number];

const roles: Kind<readonly Role[]> = {
  allowed: `one or more of ${ROLES.join(', ')}, with commas between`,
  parse: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(ROLES)))
    .transform((names) => ROLES.filter((role) => names.includes(role))),
};

export const SERVER = {
  port: setting('PORT', '8080', wholeNumber(0, 65_535), 'TCP port of the HTTP server; 0 takes any free one.'),
  host: setting('HOST', '127.0.0.1', matching(/^[\w.:-]+$/, 'an address or a host name'), 'Address to listen on; 0.0.0.0 is every one.'),
  dataDir: setting('SAVEPOINT_DATA', './data', matching(/^[^\0]+$/, 'a path'), 'Folder for everything this node keeps on its machine.'),
  databaseUrl: setting(
    'DATABASE_URL',
    null,
    address(
      ['postgres:', 'postgresql:'],
      'postgres://user:password@host:port/database; in a password @ : / ? # % are %40 %3A %2F %3F %23 %25',
    ),
    'A Postgres server of your own; without it the embedded one in the data folder runs.',
  ),
  eventStoreUrl: setting(
    'EVENTSTORE_URL',
    null,
    // The EventStoreDB client takes everything after the first `@` for the host, so its errors would show the rest of a password.
    address(
      ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:'],
      'esdb://user:password@host:port, a @ in the password as %40',
      /^[^@]*@?[^@]*$/,
    ),
    'An EventStoreDB or KurrentDB to keep the log in; without it Postgres keeps it.',
  ),
  roles: setting('ROLES', ROLES.join(','), roles, 'What this node does: serve requests, write the read models, run jobs.'),
  workers: setting('WORKERS', '1', wholeNumber(1, 64), 'Processes that serve requests on this machine, behind one port.'),
  redisUrl: setting(
    'REDIS_URL',
    null,
    address(['redis:', 'rediss:'], 'redis://user:password@host:port/0'),
    'A Redis for background jobs and for request buckets over all processes; without it jobs are in Postgres and each process counts for itself.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '127.0.0.0/8,::1',
    networks,
    'Balancers whose `X-Forwarded-For` is believed when requests are counted by address.',
  ),
  consoleListen: setting(
    'CONSOLE_LISTEN',
    '127.0.0.1:8090',
    listening,
    'Where the console listens. Another address than one of this machine alone takes the settings below.',
  ),
  consoleUrl: setting(
    'CONSOLE_URL',
    null,
    optional(/^https:\/\/[a-z0-9.-]+(?::\d{1,5})?$/, 'an origin of https, such as https://console.game.example'),
    'How browsers reach the console; it answers to this name alone. Not set: `http://console.localhost` with its port, from this machine.',
  ),
  consoleNetworks: setting('CONSOLE_NETWORKS', 'none', networks, 'With CONSOLE_URL: who may reach the console.'),
  consoleTls: setting(
    'CONSOLE_TLS',
    null,
    optional(/^[^,]+,[^,]+$/, 'two paths with a comma between: of the certificate and of its key, in PEM'),
    'With CONSOLE_URL: the console speaks TLS itself.',
  ),
  consoleProxies: setting(
    'CONSOLE_PROXIES',
    'none',
    networks,
    'With CONSOLE_URL: the proxies that speak TLS in front of the console, which is reached through them alone.',
  ),
  consolePasswords: setting(
    'CONSOLE_PASSWORDS',
    'on',
    choice('on', 'off'),
    'Whether people may sign in to the console by name and password; `off` takes CONSOLE_OIDC_ISSUER. A link of `savepoint console link` always signs in.',
  ),
  oidcIssuer: setting(
    'CONSOLE_OIDC_ISSUER',
    null,
    issuer,
    'An issuer of OpenID Connect where people may sign in to the console (docs/console.md).',
  ),
  oidcClient: setting('CONSOLE_OIDC_CLIENT_ID', null, optionalText(200), 'By what name the issuer knows this console.'),
  oidcSecret: setting('CONSOLE_OIDC_CLIENT_SECRET', null, issuedSecret, 'What the issuer has given it as a secret; not set: it has none.'),
  oidcName: setting('CONSOLE_OIDC_NAME', null, optionalText(40), 'What people call the issuer: "Sign in with …". Not set: its host.'),
  oidcDomains: setting(
    'CONSOLE_OIDC_DOMAINS',
    'none',
    domains,
    'Whose verified e-mail addresses may sign in by the issuer, by their domains; `none`: any whom an owner has let in.',
  ),
  corsOrigins: setting('CORS_ORIGINS', 'none', origins, 'Web pages that may call from a browser, by their origin.'),
  webhookPrefixes: setting(
    'WEBHOOK_PREFIXES',
    null,
    prefixes,
    'How the addresses begin that webhook steps may post to; `none`: nowhere; not set: those of the one chat service that endpoints in the wild name.',
  ),
  alarmWebhookUrl: setting(
    'ALARM_WEBHOOK_URL',
    null,
    address(['https:', 'http:'], 'https://host/path'),
    'Where alarms of economies are posted to, as JSON. A name that resolves to a private address is refused.',
  ),
  wireNames: setting(
    'WIRE_NAMES',
    'neutral',
    choice('neutral', 'published'),
    'The spelling of names in answers; both are read, always. `published` lists save slots under both spellings of their members (`recordId` and `RecordId`).',
  ),
  v1Routes: setting('V1_ROUTES', 'old', choice('old', 'all'), 'Under /v1: what old clients call there, or all that /v3 serves.'),
  keyPrefix: setting('KEY_PREFIX', 'sp_', matching(/^[a-z0-9]{0,15}_?$/, 'at most 16 of a-z 0-9, then _'), 'How new API keys begin.'),
  platformIdPattern: setting(
    'PLATFORM_ID_PATTERN',
    '^[79][0-9]{3,16}$',
    pattern,
    'What a player id looks like, also of a login of your own: of `A-Z a-z 0-9 - :`, at most 128 characters; a node does not start with a pattern that admits others. Leave `_` out: it ends the player in the key of a save slot.',
  ),
  apiDocs: setting(
    'API_DOCS',
    'on',
    choice('on', 'off'),
    'Whether anybody may read the description of the API: `/openapi.json`, its page `/docs`, and the manual, `/manual`.',
  ),
  metricsToken: setting('METRICS_TOKEN', null, secretText, 'Who sends it as `Authorization: Bearer …` may read `/metrics` from elsewhere.'),
  metricsPort: setting(
    'METRICS_PORT',
    null,
    optionalWholeNumber(0, 65_535),
    'A port of its own for `/metrics` (and `/alive`, `/health`, `/ready`), open to whoever reaches it unless there is a token; `PORT` serves no metrics then.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'The least important messages that are still written.',
  ),
  logFormat: setting(
    'LOG_FORMAT',
    'auto',
    choice('auto', 'json', 'text'),
    'How the log is written: JSON lines, or text for people; `auto` is text on a terminal and JSON elsewhere.',
  ),
  callLevel: setting(
    'LOG_CALLS',
    'info',
    choice('debug', 'info', 'warn', 'silent'),
    'The level of the line about each endpoint call that was refused or failed (slug, code, project); of one slug and code ten in 10 s.',
  ),
} as const;

export const LIMITS = {
  documentBytes: setting('LIMIT_DOCUMENT', '64 KiB', bytes(KIB, MIB), 'Largest document; `GROUP_BYTES` must be four times that.'),
  gameBodyBytes: setting('LIMIT_GAME_BODY', '256 KiB', bytes(KIB, 16 * MIB), 'Largest request body of a game.'),
  managementBodyBytes: setting('LIMIT_MANAGEMENT_BODY', '8 MiB', bytes(KIB, 64 * MIB), 'Largest request body of the management routes.'),
  bodyDepth: setting('LIMIT_BODY_DEPTH', '64', wholeNumber(4, 512), 'Deepest nesting of a request body.'),
  gameBurst: setting('LIMIT_GAME_BURST', '600', wholeNumber(1, 1e9), 'Requests of one address that pass at once, game routes.'),
  gameRefill: setting('LIMIT_GAME_REFILL', '200', wholeNumber(1, 1e9), 'Requests per second of one address, game routes.'),
  managementBurst: setting('LIMIT_MANAGEMENT_BURST', '120', wholeNumber(1, 1e9), 'The same at once, management routes.'),
  managementRefill: setting('LIMIT_MANAGEMENT_REFILL', '20', wholeNumber(1, 1e9), 'The same per second, management routes.'),
  sessionBurst: setting('LIMIT_SESSION_BURST', '120', wholeNumber(1, 1e9), 'The same at once, routes of auth sessions.'),
  sessionRefill: setting('LIMIT_SESSION_REFILL', '30', wholeNumber(1, 1e9), 'The same per second, routes of auth sessions.'),
  guestBurst: setting(
    'LIMIT_GUEST_BURST',
    '60',
    wholeNumber(1, 1e9),
    'The same at once, routes of guests: new players behind one address.',
  ),
  guestHourly: setting('LIMIT_GUEST_HOURLY', '120', wholeNumber(1, 1e9), 'The same per hour, routes of guests.'),
  systemBurst: setting('LIMIT_SYSTEM_BURST', '60', wholeNumber(1, 1e9), 'The same at once, `/alive`, `/health`, `/ready` and `/metrics`.'),
  systemRefill: setting(
    'LIMIT_SYSTEM_REFILL',
    '10',
    wholeNumber(1, 1e9),
    'The same per second, `/alive`, `/health`, `/ready` and `/metrics`.',
  ),
  workingSetBytes: setting('WORKING_SET', '64 MiB', bytes(MIB, 64 * 1024 * MIB), 'Memory for what is cached of documents.'),
  windowBytes: setting(
    'WORKING_SET_WINDOW',
    '64 MiB',
    bytes(MIB, 64 * 1024 * MIB),
    'Memory for changes that are not in the tables yet; beyond it writes answer 503 BEHIND.',
  ),
  queueCommits: setting('QUEUE_COMMITS', '5000', wholeNumber(1, 1e6), 'Commits of one project that may wait; beyond it 503 BUSY.'),
  groupCommits: setting(
    'GROUP_COMMITS',
    '400',
    wholeNumber(1, 10_000),
    'Most commits in one append; fewer while another project is in use.',
  ),
  // EventStoreDB takes 1 MiB per append with default settings.
  groupBytes: setting('GROUP_BYTES', '768 KiB', bytes(64 * KIB, 16 * MIB), 'Most bytes in one append.'),
  keptAnswerHours: setting(
    'IDEMPOTENCY_HOURS',
    '24',
    wholeNumber(1, 720, 'hours'),
    'How long the answer to a request with an `Idempotency-Key` is kept, to be given again.',
  ),
  keptAnswerBytes: setting(
    'LIMIT_KEPT_ANSWER',
    '64 KiB',
    bytes(KIB, 128 * KIB),
    'Largest answer that is kept so; four times that of a push. A request with a key whose answer is larger changes nothing and is 413.',
  ),
  eventsPerDay: setting(
    'QUOTA_EVENTS_PER_DAY',
    '0',
    wholeNumber(0, 1e12),
    'Events that one project may store in a UTC day; 0: as many as come. Beyond it 429 QUOTA_EXCEEDED.',
  ),
  quotaDocuments: setting(
    'QUOTA_DOCUMENTS',
    '0',
    wholeNumber(0, 1e12),
    'Documents and global records that one project may hold, staged data included; 0: as many as come. Beyond it 429 QUOTA_EXCEEDED.',
  ),
  quotaBytes: setting(
    'QUOTA_BYTES',
    '0',
    bytes(0, 1024 ** 3 * MIB),
    'Bytes of their JSON texts that one project may hold; 0: as many as come. Beyond it 429 QUOTA_EXCEEDED for what would make more.',
  ),
  telemetryPerMinute: setting(
    'QUOTA_TELEMETRY_PER_MINUTE',
    '0',
    wholeNumber(0, 1e9),
    'Reports of players of one project that a process stores in a minute; 0: as many as come. Beyond it 200 with `stored: false`.',
  ),
  commandTimeoutMs: setting(
    'COMMAND_TIMEOUT_MS',
    '10000',
    wholeNumber(100, 600_000, 'milliseconds'),
    'Longest time that a request waits for its commit, or for one answer of the storage.',
  ),
  endpointMs: setting(
    'ENDPOINT_TIME_MS',
    '1000',
    wholeNumber(50, 10_000, 'milliseconds'),
    'Longest time that one endpoint call may compute, during which the node does nothing else; then 400 LIMIT_EXCEEDED.',
  ),
  queryTimeoutMs: setting(
    'QUERY_TIMEOUT_MS',
    '10000',
    wholeNumber(100, 600_000, 'milliseconds'),
    'Longest time for a query that passes over all documents, its wait for others included; beyond it 503 QUERY_TIMEOUT, or BUSY where it never began.',
  ),
  answerBytes: setting(
    'LIMIT_ANSWER',
    '4 MiB',
    bytes(64 * KIB, 64 * MIB),
    'Most bytes of the answer of an endpoint and of the rows of a query, beyond which it is 413 RESULT_TOO_LARGE, and of a page of records, which ends there.',
  ),
  boardBytes: setting(
    'BOARD_MEMORY',
    '32 MiB',
    bytes(MIB, 4096 * MIB),
    'Memory for leaderboards that are asked for again and again, some 200 bytes a row; the others are read out of the tables.',
  ),
  liveStreams: setting(
    'LIVE_STREAMS',
    '20000',
    wholeNumber(0, 1e6),
    'Streams of live changes that a process holds open; beyond it 503 BUSY. Each takes a connection and some 20 KB.',
  ),
  liveProjectStreams: setting('LIVE_STREAMS_OF_PROJECT', '10000', wholeNumber(0, 1e6), 'The same of one project.'),
  liveKeyStreams: setting('LIVE_STREAMS_OF_KEY', '10000', wholeNumber(0, 1e6), 'The same that one key of a project opened.'),
  liveAddressStreams: setting(
    'LIVE_STREAMS_OF_ADDRESS',
    '1000',
    wholeNumber(0, 1e6),
    'The same of one client address; this machine itself is not counted. Behind a proxy, set TRUSTED_PROXIES, or all clients are one address.',
  ),
  liveTopics: setting('LIVE_TOPICS', '64', wholeNumber(1, 1_000), 'Topics of one stream.'),
  liveProjectTopics: setting(
    'LIVE_TOPICS_OF_PROJECT',
    '100000',
    wholeNumber(1, 1e7),
    'Topics of all streams of one project in a process; beyond it 503 BUSY.',
  ),
  liveKeyTopics: setting('LIVE_TOPICS_OF_KEY', '100000', wholeNumber(1, 1e7), 'The same that one key of a project opened.'),
  liveAddressTopics: setting('LIVE_TOPICS_OF_ADDRESS', '10000', wholeNumber(1, 1e7), 'The same of one client address.'),
  liveValueBytes: setting(
    'LIVE_VALUES',
    '64 MiB',
    bytes(MIB, 4096 * MIB),
    'Memory of a process for what the topics of all streams show; the others are read again when a client needs them.',
  ),
  liveWaitingBytes: setting(
    'LIVE_WAITING',
    '256 KiB',
    bytes(16 * KIB, 16 * MIB),
    'Most bytes that wait for one client of a stream; it is told to read by itself what is larger.',
  ),
  liveProjectWaitingBytes: setting(
    'LIVE_WAITING_OF_PROJECT',
    '64 MiB',
    bytes(MIB, 4096 * MIB),
    'The same over all streams of one project in a process. Beyond half of it, clients that are slow are sent nothing more; beyond it, all wait for room.',
  ),
  liveAllWaitingBytes: setting('LIVE_WAITING_ALL', '256 MiB', bytes(MIB, 4096 * MIB), 'The same over all streams of a process.'),
  callLogDays: setting(
    'CALL_LOG_DAYS',
    '14',
    wholeNumber(0, 3_650, 'days'),
    'How long the call log is kept; 0: it is not stored, and each process shows the last requests that it served itself.',
  ),
  callLogRequests: setting(
    'CALL_LOG_REQUESTS',
    '100000',
    wholeNumber(100, 1e9),
    'Most calls that succeeded which it keeps of one project, and as many that were refused or failed; one of these takes half a kilobyte, a call 70 bytes and more.',
  ),
  accessLogDays: setting(
    'ACCESS_LOG_DAYS',
    '400',
    wholeNumber(1, 36_500, 'days'),
    'How long it is kept which person looked at the data of which player.',
  ),
  heartbeatFoldMs: setting(
    'HEARTBEAT_FOLD_MS',
    '300000',
    wholeNumber(0, 600_000, 'milliseconds'),
    'How long a node gathers the heartbeats of a player who stays, to store them as one event; 0: each is stored.',
  ),
  startWaitMs: setting(
    'START_WAIT_MS',
    '60000',
    wholeNumber(0, 3_600_000, 'milliseconds'),
    'How long a start waits for a database or log that does not answer; for a database that starts up or recovers, five minutes at least.',
  ),
  shutdownTimeoutMs: setting(
    'SHUTDOWN_TIMEOUT_MS',
    '10000',
    wholeNumber(0, 600_000, 'milliseconds'),
    'Longest wait for running requests on stop.',
  ),
} as const;

/** How players are verified (docs/security.md, "Verifiers"). */
export const VERIFIER = {
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
  timeoutMs: setting('VERIFIER_TIMEOUT_MS', '5000', wholeNumber(100, 60_000, 'milliseconds'), 'Longest time for one verification.'),
  cacheSeconds: setting(
    'VERIFIER_CACHE',
    '60',
    wholeNumber(0, 600, 'seconds'),
    'How long a good token is remembered, and not looked at again; never longer than it lives.',
  ),
} as const;
