import type { PeopleDesk } from '../../app/app.ts';
import { BASES, OF_PERSONS } from '../../contract/families.ts';
import { refusal } from '../../kernel/errors.ts';
import { respond } from '../answer.ts';
import type { Exchange, Middleware } from '../exchange.ts';
import { disconnectSignal } from '../guards/disconnect.ts';
import { type ApiParts, isAttended } from './api.ts';
import { ConsoleFiles } from './files.ts';
import { answerHealth, type HealthDesk, isHealthRoute } from './health.ts';
import { answerPeople, isPeopleRoute } from './people.ts';
import type { ConsolePlace } from './place.ts';
import { SessionRoutes } from './sessions.ts';
import { PersonTurns } from './turns.ts';

/**
 * The console's own origin: its page, `/api` for signing in, and under `/v3` the very routes that games and tools call, with the person in
 * place of a key. Nothing of it is served where games are.
 */

const PASSED = new RegExp(`^(?:${OF_PERSONS.map((family) => BASES[family]).join('|')})/`, 'i');

/** A call of an endpoint runs it, whatever the method. */
const ENDPOINT_CALL = new RegExp(`^${BASES.endpoints}/`, 'i');

/** What is read in the name of a person. Files and the page itself are the same for everybody. */
const ASKED = /^\/(?:api|v3)\//;

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Robots-Tag': 'noindex',
} as const;

export interface ConsoleParts extends ApiParts {
  /** Folder of the built page. */
  readonly folder: string;
  /** Where it is reached; known once it listens. */
  place(): ConsolePlace;
  readonly people: PeopleDesk;
  readonly health: HealthDesk;
}

/** Answers what is the console's own; passes requests of a person on to the routes. */
export function consoleOrigin(parts: ConsoleParts): Middleware {
  const files = new ConsoleFiles(parts.folder);
  const turns = new PersonTurns();
  const sessions = new SessionRoutes(parts);

  const answerApi = async (exchange: Exchange, place: ConsolePlace, address: string | null) => {
    const stillSignedIn = () => sessions.shown(exchange, place);
    if (isHealthRoute(exchange.path))
      return answerHealth({ exchange, desk: parts.health, body: parts.body, stillSignedIn }, await sessions.proven(exchange, place));
    if (!isPeopleRoute(exchange.path)) return sessions.answer(exchange, place, address);
    const { people: desk, body } = parts;
    // A token lies in a file of the command line. Whoever finds it must not be able to let others in.
    if (sessions.commands.tokenOf(exchange) !== null && !SAFE_METHODS.has(exchange.method))
      throw refusal('ACCESS_DENIED', 'People are managed on the page of the console, or by `savepoint user` on the machine itself');
    return answerPeople({ exchange, place, desk, body, stillSignedIn }, await sessions.proven(exchange, place));
  };

  return async (ctx, next) => {
    const { exchange } = ctx.state;
    const place = parts.place();
    for (const [name, value] of Object.entries(HEADERS)) ctx.res.setHeader(name, value);
    const address = place.admit(exchange.req);
    const isSafe = SAFE_METHODS.has(exchange.method);
    const sent = sessions.commands.tokenOf(exchange);
    const isCommandLine = sent !== null || sessions.commands.isBeginning(exchange);
    const elsewhere = place.elsewhere(exchange.req);
    if (isCommandLine) refuseBrowser(exchange);
    else if (elsewhere !== null && !isSafe) throw refusal('ACCESS_DENIED', `The console answers at ${place.origin} alone`);
    else if (elsewhere !== null)
      return respond(ctx, { status: 307, text: '', headers: { Location: elsewhere, 'Cache-Control': 'no-store' } });
    else if (!isSafe) requireOrigin(exchange, place);
    if (!isCommandLine && ASKED.test(exchange.path)) refuseOtherPages(exchange, place);
    if (exchange.path.startsWith('/api/')) {
      exchange.route = 'console /api';
      // What is asked with HEAD is answered without its body.
      const asked = exchange.method === 'HEAD' ? { ...exchange, method: 'GET' } : exchange;
      return respond(ctx, await answerApi(asked, place, address));
    }
    // The schemas of source files are the same for everybody.
    if (isSafe && exchange.path.startsWith('/schemas/')) return next();
    if (!exchange.path.startsWith('/v3/')) {
      exchange.route = 'console page';
      if (!isSafe) throw refusal('NOT_FOUND');
      return respond(ctx, await files.answer(exchange.path, acceptsGzip(exchange)));
    }
    if (!PASSED.test(exchange.path)) throw refusal('NOT_FOUND', 'The console does not pass this route on');
    const token = sent === null ? sessions.tokenOf(exchange, place) : null;
    // A browser sends no Origin with a GET of its own page, so the token alone proves where a call came from.
    if (sent === null && (!isSafe || ENDPOINT_CALL.test(exchange.path))) sessions.requireCsrf(exchange, token);
    const ask = async (isUse: boolean) =>
      (await (sent === null ? sessions.signedIn(token, isUse && isAttended(exchange)) : sessions.commands.signedIn(sent, isUse))).person;
    const { first, again } = await asked(ask);
    const left = () => disconnectSignal(ctx.res);
    return turns.run(first.id, left, (hasWaited) => {
      exchange.person = hasWaited ? () => ask(false) : again;
      return next();
    });
  };
}

/**
 * Asks once before anything is looked at, for the first who wants to know, and anew for everybody after. Who asks anew is an open stream,
 * and that is no use of the session: a forgotten page would never be signed out.
 */
async function asked<T>(ask: (isUse: boolean) => Promise<T>): Promise<{ readonly first: T; readonly again: () => Promise<T> }> {
  const first = await ask(true);
  let known: Promise<T> | null = Promise.resolve(first);
  const again = () => {
    const answer = known ?? ask(false);
    known = null;
    return answer;
  };
  return { first, again };
}

/** Throws 403 ACCESS_DENIED for a change that a page of another origin sent, or that no page did. */
function requireOrigin({ headers }: Exchange, { origin }: ConsolePlace): void {
  if (headers.origin !== origin) throw refusal('ACCESS_DENIED', `A change takes the header Origin: ${origin}`);
}

/**
 * Throws 403 ACCESS_DENIED for what a page elsewhere has a browser read. It is shown nothing, but from a page of the same site the cookie
 * goes along, and a look would be recorded in the name of somebody who never looked.
 */
function refuseOtherPages({ headers }: Exchange, { origin }: ConsolePlace): void {
  const { 'sec-fetch-site': from = 'same-origin', origin: named = origin } = headers;
  if ((from === 'same-origin' || from === 'none') && named === origin) return;
  throw refusal('ACCESS_DENIED', `This is read by the pages of ${origin} alone`);
}

/** Throws 403 ACCESS_DENIED for what a page of a browser sent as the command line does. */
function refuseBrowser({ headers }: Exchange): void {
  if (headers.origin === undefined && headers['sec-fetch-site'] === undefined) return;
  throw refusal('ACCESS_DENIED', 'This is for the command line, and no page of a browser may send it');
}

function acceptsGzip({ headers }: Exchange): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
}
