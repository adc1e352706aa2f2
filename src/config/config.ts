import { type Secrecy, sizeText } from './kinds.ts';
import { unfitCharacters } from './player-ids.ts';
import { LIMITS, SERVER, type Setting, VERIFIER } from './settings.ts';

/** Reads settings from the environment and from flags. No other module does. */

type Values<T> = { readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : never };

type Limits = Values<typeof LIMITS>;
type Verifier = Values<typeof VERIFIER>;
export type Config = Values<typeof SERVER> & {
  readonly verifier: Verifier;
  readonly limits: Limits;
};

/** Settings that flags of the command line override, as text, under the same rules. */
export type Overrides = { readonly [K in keyof typeof SERVER]?: string | undefined };

/** Thrown for invalid settings. The message has a line for each: the variable, its value, what is allowed. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem';
}

/**
 * Reads every setting: the override, else the variable, else its default. An empty variable counts as not set. Throws {@link ConfigProblem}
 * that names every invalid setting, without the secret parts of values.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, overrides: Overrides = {}): Config {
  const problems: string[] = [];
  const server = readTable(SERVER, env, overrides, problems);
  const verifier = readTable(VERIFIER, env, {}, problems);
  const limits = readTable(LIMITS, env, {}, problems);
  if (problems.length === 0)
    problems.push(
      ...contradictions(limits as Limits),
      ...unfitIds(server as Values<typeof SERVER>),
      ...openConsole(server as Values<typeof SERVER>),
      ...unfitIssuer(server as Values<typeof SERVER>),
    );
  if (problems.length > 0) throw new ConfigProblem(problems.join('\n'));
  // The tables were read without a problem, so each name has a value of its row's type.
  return { ...server, verifier, limits } as Config;
}

/** An event may contain a document, the request, and the document that it was forked from, with their changes. */
const DOCUMENTS_PER_APPEND = 4;

/** Finds settings that are valid separately, but together would allow writes that can never be stored. */
function contradictions({ documentBytes, groupBytes }: Limits): string[] {
  const needed = DOCUMENTS_PER_APPEND * documentBytes;
  if (groupBytes >= needed) return [];
  return [
    `GROUP_BYTES is ${sizeText(groupBytes)}; allowed with a LIMIT_DOCUMENT of ${sizeText(documentBytes)}: ${sizeText(needed)} or more`,
  ];
}

const LOOPBACK = /^(?:127\.[\d.]+|::1|localhost)$/;

/** Finds a console that could be reached from elsewhere without TLS, or by everybody. */
function openConsole({ consoleListen, consoleUrl, consoleNetworks, consoleTls, consoleProxies }: Values<typeof SERVER>): string[] {
  if (consoleListen === null) return [];
  const isHere = LOOPBACK.test(consoleListen.host);
  if (isHere && consoleUrl === null) return [];
  const why = isHere ? 'CONSOLE_URL is set' : `CONSOLE_LISTEN is ${consoleListen.host}, which others reach`;
  return [
    ...(consoleUrl === null ? [`${why}; allowed: with CONSOLE_URL, the https address under which browsers reach the console`] : []),
    ...(consoleNetworks.length === 0 ? [`${why}; allowed: with CONSOLE_NETWORKS, the networks that may reach the console`] : []),
    ...(consoleTls === null && consoleProxies.length === 0
      ? [`${why}; allowed: with CONSOLE_TLS (certificate and key) or CONSOLE_PROXIES (who speaks TLS in front of it)`]
      : []),
  ];
}

/** Finds an issuer that nobody could sign in at, and a console that nobody could sign in to but by a link. */
function unfitIssuer({ oidcIssuer, oidcClient, oidcSecret, oidcName, oidcDomains, consolePasswords }: Values<typeof SERVER>): string[] {
  if (oidcIssuer !== null)
    return oidcClient === null
      ? ['CONSOLE_OIDC_ISSUER is set; allowed: with CONSOLE_OIDC_CLIENT_ID, as the issuer knows this console']
      : [];
  const alone = { CONSOLE_OIDC_CLIENT_ID: oidcClient, CONSOLE_OIDC_CLIENT_SECRET: oidcSecret, CONSOLE_OIDC_NAME: oidcName };
  return [
    ...Object.entries(alone).flatMap(([variable, value]) =>
      value === null ? [] : [`${variable} is set; allowed: with CONSOLE_OIDC_ISSUER`],
    ),
    ...(oidcDomains.length > 0 ? ['CONSOLE_OIDC_DOMAINS is set; allowed: with CONSOLE_OIDC_ISSUER'] : []),
    ...(consolePasswords === 'off' ? ['CONSOLE_PASSWORDS is off; allowed: with CONSOLE_OIDC_ISSUER, where people sign in instead'] : []),
  ];
}

/** Finds a pattern of player ids that lets players in who could save nothing. */
function unfitIds({ platformIdPattern }: Values<typeof SERVER>): string[] {
  const unfit = unfitCharacters(platformIdPattern);
  if (unfit.length === 0) return [];
  const named = unfit.map((char) => JSON.stringify(char)).join(' ');
  const allowed = 'ids of A-Z a-z 0-9 _ : - alone, because they are parts of document keys and addresses';
  return [`PLATFORM_ID_PATTERN is ${JSON.stringify(platformIdPattern)}; allowed: ${allowed}; this one admits ${named}, too`];
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

/**
 * An address without password and parameters, for logs. A text that is not an address may contain anything, so none of it is shown.
 */
export function redactUrl(text: string): string {
  if (!URL.canParse(text)) return '(not shown: not an address)';
  const { protocol, username, password, host, pathname } = new URL(text);
  const user = username === '' ? '' : `${username}${password === '' ? '' : ':***'}@`;
  // Without `//` the whole text would be the path, and a password in it would be shown.
  return host === '' ? `${protocol}***` : `${protocol}//${user}${host}${pathname}`;
}
