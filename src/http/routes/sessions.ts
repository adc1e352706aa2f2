import { randomUUID } from 'node:crypto';
import type { Caller, SessionAnswer } from '../../app/app.ts';
import { type OutputNames, WIRE_TEXTS, type WireNamesMode, wireNames } from '../../domain/wire-names.ts';
import { Refusal } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { type Answer, freshHeaders } from '../answer.ts';
import { type BodyBounds, invalidBody, readJson } from '../body.ts';
import { authenticate, type KeyRules, withBodyClaim } from '../credentials.ts';
import type { Context, Exchange } from '../exchange.ts';
import type { Routes, Services } from './services.ts';

const SESSION_KEYS: KeyRules = { carriers: 'runtime', disabledKey: 'UNAUTHORIZED', disabledProject: 'PROJECT_DISABLED', needs: null };

const OPERATIONS = ['create', 'refresh', 'reauth', 'revoke'] as const;

/** Auth sessions (security 4). What is refused has status 200 and the real one inside: a game cannot read the body of any other. */
export function sessionRoutes(router: Routes, { app, settings, gameBody }: Services): void {
  const names = wireNames(settings.wireNames);
  const route = (operation: (typeof OPERATIONS)[number]) =>
    router.post(`/:project/${operation}`, async (ctx): Promise<Answer> => {
      const requestId = randomUUID();
      try {
        const answer = await app.sessions[operation](await callerOf(ctx));
        return opened(ctx, answer, settings.wireNames, requestId);
      } catch (error) {
        if (error instanceof Refusal && isSessionFailure(error)) return refused(error, names, requestId);
        throw error;
      }
    });

  const callerOf = async (ctx: Context): Promise<Caller> => {
    const caller = await authenticate(app, ctx, SESSION_KEYS);
    return withBodyClaim(caller, await bodyOf(ctx.state.exchange, gameBody));
  };

  for (const operation of OPERATIONS) route(operation);
}

/** What is not JSON counts as absent: everything may come in headers. */
async function bodyOf(exchange: Exchange, bounds: BodyBounds): Promise<Json | undefined> {
  try {
    return await readJson(exchange, bounds, invalidBody);
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) return undefined;
    throw error;
  }
}

/** Of the request and its credentials. What the server cannot do now, and a body beyond its bounds, keep their statuses. */
function isSessionFailure({ status }: Refusal): boolean {
  return status < 500 && status !== 408 && status !== 413;
}

function opened(ctx: Context, answer: SessionAnswer, mode: WireNamesMode, requestId: string): Answer {
  const { session, token, ttlSeconds, player } = answer;
  const shown: JsonObject = {
    id: session.sessionId,
    projectId: String(ctx.params['project']),
    // The owner of the project: an installation has one, its operator.
    userId: 1,
    platformId: player,
    createdAt: new Date(session.createdAt).toISOString(),
    expiresAt: new Date(session.expiresAt).toISOString(),
    revokedAt: session.revokedAt === null ? null : new Date(session.revokedAt).toISOString(),
  };
  const body: JsonObject = {
    ok: true,
    status: 200,
    ...(token === null ? {} : { sessionToken: spelled(token, mode), ttlSeconds }),
    session: wireNames(mode).body(shown),
    _requestId: requestId,
  };
  return { body, headers: { ...freshHeaders(answer), 'X-Request-Id': requestId } };
}

/** Its prefix has two spellings, and either is read. */
function spelled(token: string, mode: WireNamesMode): string {
  const { sessionPrefix } = WIRE_TEXTS;
  return `${sessionPrefix[mode]}${token.slice(sessionPrefix.neutral.length)}`;
}

function refused({ status, code, message, extra }: Refusal, names: OutputNames, requestId: string): Answer {
  const error = { ...extra.error, code: names.code(code), message, requestId };
  const headers = { ...extra.headers, 'Cache-Control': 'no-store', 'X-Request-Id': requestId };
  return { body: { ...extra.body, ok: false, status, error, message, _requestId: requestId }, headers };
}
