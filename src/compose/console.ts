import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Logger } from 'pino';
import { createSignInStore } from '../../projections/sign-in.ts';
import { createIssuerSignIn } from '../app/people/issuer-sign-in.ts';
import { createPeople, type People } from '../app/people/people.ts';
import { createPeopleDesk } from '../app/people/people-desk.ts';
import { createSignIn, type SignIn } from '../app/people/sign-in.ts';
import type { Issuer } from '../app/ports/issuer.ts';
import { type Config, ConfigProblem } from '../config/config.ts';
import type { HealthDesk } from '../http/console/health.ts';
import { ConsolePlace, type ConsoleSettings } from '../http/console/place.ts';
import type { ConsoleService, HttpServer } from '../http/server.ts';
import { errorMessage, throttled } from '../kernel/error-reporting.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import { createIssuer, type IssuerFailed } from '../outbound/issuer/issuer.ts';

/** The console of a node: where it listens, and the sign-in of its people. */

/** How often the log says why a sign-in at the issuer failed, ms: whoever reaches the console can have one fail. */
const FAILED_EVERY_MS = 1_000;

/** The people of a log, for a command. */
export function peopleOf(log: Log): People {
  return createPeople(log, realScheduler);
}

export function signInOf(pool: pg.Pool, people: People): SignIn {
  return createSignIn(createSignInStore(pool), people, realScheduler);
}

/** What the HTTP server serves as the console; `null`: CONSOLE_LISTEN is off. Throws `ConfigProblem` for files that cannot be read. */
export function consoleParts(
  config: Config,
  pool: pg.Pool,
  people: People,
  logger: Logger,
  health: () => HealthDesk,
): ConsoleService | null {
  if (config.consoleListen === null) return null;
  const store = createSignInStore(pool);
  const passwords = config.consolePasswords === 'on';
  const onLink = (person: string) => {
    if (!passwords) logger.warn({ person }, 'somebody signed in to the console by a link, past the issuer (CONSOLE_PASSWORDS is off)');
  };
  const signIn = createSignIn(store, people, realScheduler, { passwords, onLink });
  const desk = createPeopleDesk(people, signIn, store);
  const failed = throttled(
    (reason: string) => logger.warn({ reason }, 'a sign-in to the console at its issuer did not come about'),
    FAILED_EVERY_MS,
  );
  const issuer = issuerOf(config, failed);
  const { oidcDomains: domains } = config;
  return {
    ...settingsIn(config),
    tls: tlsOf(config),
    signIn,
    passwords,
    issuer: issuer && createIssuerSignIn({ issuer, domains, people, signIn, scheduler: realScheduler }),
    people: desk,
    health: health(),
  };
}

/** The issuer where people sign in; `null`: there is none. */
export function issuerOf({ oidcIssuer, oidcClient, oidcSecret, oidcName }: Config, failed: IssuerFailed): Issuer | null {
  if (oidcIssuer === null || oidcClient === null) return null;
  const name = oidcName ?? new URL(oidcIssuer).host;
  return createIssuer({ address: oidcIssuer, client: oidcClient, secret: oidcSecret, name }, realScheduler, failed);
}

/**
 * Listens for the console, and answers its origin; `null`: there is none, or its port is taken. Games come first: a node that finds the
 * port of its console in use serves them all the same.
 */
export async function listenConsole(config: Config, pool: pg.Pool, server: HttpServer, logger: Logger): Promise<string | null> {
  const { consoleListen: at } = config;
  if (at === null) return null;
  try {
    const { origin } = await server.listenConsole(at.port, at.host);
    await createSignInStore(pool).noteOrigin(origin);
    return origin;
  } catch (error) {
    const reason = errorMessage(error);
    logger.warn(
      { reason, CONSOLE_LISTEN: `${at.host}:${at.port}` },
      'this node has no console: it cannot listen there; another CONSOLE_LISTEN gives it one',
    );
    return null;
  }
}

/** Where a browser signs in with a link. What stands behind the # is sent to no server, and so in no log. */
export function addressOfLink(origin: string, link: string): string {
  return `${origin}/sign-in#${link}`;
}

/** The origin of the console as a node last noted it, else as this configuration says; `null`: no node has one. */
export async function originOf(config: Config, pool: pg.Pool): Promise<string | null> {
  const noted = await createSignInStore(pool).origin();
  if (noted !== null || config.consoleListen === null) return noted;
  return new ConsolePlace(settingsIn(config), config.consoleListen.port).origin;
}

function settingsIn({ consoleUrl, consoleNetworks, consoleProxies }: Config): Omit<ConsoleSettings, 'tls'> {
  return { origin: consoleUrl, networks: consoleUrl === null ? null : consoleNetworks, proxies: consoleProxies, folder: builtFolder() };
}

function tlsOf({ consoleTls }: Config): ConsoleSettings['tls'] {
  if (consoleTls === null) return null;
  const [cert = '', key = ''] = consoleTls.split(',').map((path) => {
    try {
      return readFileSync(path.trim(), 'utf8');
    } catch (error) {
      throw new ConfigProblem(`CONSOLE_TLS names a file that cannot be read: ${errorMessage(error)}`);
    }
  });
  return { cert, key };
}

/** `dist/console`, whether this runs from the sources or from `dist/`. */
function builtFolder(): string {
  const built = fileURLToPath(new URL('../../console/', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('../../dist/console/', import.meta.url));
}
