import { randomUUID } from 'node:crypto';
import type { SessionAnswer } from '../../app/app.ts';
import type { SessionOpened } from '../../contract/answers.ts';
import type { AnswerOf } from '../../contract/route.ts';
import { sessions } from '../../contract/routes/players.ts';
import { type OutputNames, WIRE_TEXTS, type WireNamesMode, wireNames } from '../../domain/wire-names.ts';
import { Refusal } from '../../kernel/errors.ts';
import { freshHeaders } from '../answer.ts';
import { withBodyClaim } from '../credentials.ts';
import { factsOf } from '../errors.ts';
import { param } from '../exchange.ts';
import type { ContextOf, Handler, Handlers } from '../handlers.ts';
import { readRequest } from '../request.ts';
import type { Services } from './services.ts';

type Opening = typeof sessions.create;

/** Auth sessions. A refusal has HTTP status 200 and its real status in the body: a game cannot read the body of any other answer. */
export function sessionHandlers(services: Services): Handlers<typeof sessions> {
  const { app, settings } = services;
  const names = wireNames(settings.wireNames);
  const handler =
    (operation: keyof typeof sessions): Handler<Opening> =>
    async (ctx) => {
      const requestId = randomUUID();
      ctx.state.exchange.madeId = requestId;
      try {
        const { caller, body } = await readRequest(services, ctx, sessions[operation]);
        const claiming = withBodyClaim(ctx, caller, body);
        return opened(ctx, await app.sessions[operation](claiming), settings.wireNames, requestId);
      } catch (error) {
        if (!(error instanceof Refusal && isSessionFailure(error))) throw error;
        ctx.state.refused = error;
        return refused(error, names, requestId);
      }
    };
  return { create: handler('create'), refresh: handler('refresh'), reauth: handler('reauth'), revoke: handler('revoke') };
}

/**
 * Whether a refusal is about the request or its credentials. Refusals for an overloaded server, or for a body beyond its bounds, keep their
 * HTTP status.
 */
function isSessionFailure({ status }: Refusal): boolean {
  return status < 500 && status !== 408 && status !== 413;
}

function opened(ctx: ContextOf<Opening>, answer: SessionAnswer, mode: WireNamesMode, requestId: string): AnswerOf<Opening> {
  const { session, token, ttlSeconds, player } = answer;
  const shown = {
    id: session.sessionId,
    projectId: param(ctx, 'project'),
    // The owner of the project: an installation has one owner, its operator.
    userId: 1,
    platformId: player,
    createdAt: new Date(session.createdAt).toISOString(),
    expiresAt: new Date(session.expiresAt).toISOString(),
    revokedAt: session.revokedAt === null ? null : new Date(session.revokedAt).toISOString(),
  };
  const body: SessionOpened = {
    ok: true,
    status: 200,
    ...(token === null ? {} : { sessionToken: spelled(token, mode), ttlSeconds }),
    session: wireNames(mode).body(shown),
    _requestId: requestId,
  };
  return { body, headers: { ...freshHeaders(answer), 'X-Request-Id': requestId } };
}

/** The token with the prefix of these names; either prefix is accepted. */
function spelled(token: string, mode: WireNamesMode): string {
  const { sessionPrefix } = WIRE_TEXTS;
  return `${sessionPrefix[mode]}${token.slice(sessionPrefix.neutral.length)}`;
}

function refused(refusal: Refusal, names: OutputNames, requestId: string): AnswerOf<Opening> {
  const { status, code, message, extra } = refusal;
  const error = { ...extra.error, code: names.code(code), message, requestId };
  const headers = { ...factsOf(refusal), 'Cache-Control': 'no-store', 'X-Request-Id': requestId };
  return { body: { ...extra.body, ok: false, status, error, message, _requestId: requestId }, headers };
}
