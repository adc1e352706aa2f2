import { randomBytes } from 'node:crypto';
import { createSession, type OpenedSession, type RevokedSession, refreshSession, revokeSession } from '../../domain/session/decide.ts';
import { readToken, SESSION_RANDOM_BYTES, type SessionToken } from '../../domain/session/token.ts';
import type { AuthSession, SessionFamily } from '../../domain/states.ts';
import { sessionSubject } from '../../domain/subjects.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import { accessOf } from '../access.ts';
import type { Positioned } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, projectOf, settingsOf } from '../context.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { recheckSessionDevice, requireDevice, requireSessionDevice } from './guest-proof.ts';
import { familyOf, NO_PROOF, type ProvenPlayer, sessionOf, verifyPlayer } from './players.ts';

/**
 * Auth sessions of the caller's player. Besides the refusals of key and project they throw 403 `AUTH_SESSION_DISABLED`, 400
 * `INVALID_PLATFORMID`, 401 `AUTH_SESSION_REQUIRED`, `AUTH_SESSION_INVALID`, `AUTH_SESSION_EXPIRED`, `PLATFORM_AUTH_FAILED`, 403
 * `AUTH_SESSION_PLATFORMID_MISMATCH`.
 */
export interface Sessions {
  create(caller: Caller): Promise<SessionAnswer>;
  /** Makes a new session; the old one stays. */
  refresh(caller: Caller): Promise<SessionAnswer>;
  /** As `refresh`, with the player proven anew. */
  reauth(caller: Caller): Promise<SessionAnswer>;
  /** Ends a session and all that were refreshed from it. */
  revoke(caller: Caller): Promise<SessionAnswer>;
}

export interface SessionAnswer extends Positioned {
  /** `null` after a revoke. */
  readonly token: string | null;
  readonly ttlSeconds: number;
  readonly player: string;
  readonly session: AuthSession;
}

/** A session proves a player from this node's memory, without a request to the player's platform. */
export function createSessions(context: AppContext): Sessions {
  return {
    async create(caller) {
      const project = await opened(context, caller);
      const player = caller.platformId?.trim() ?? '';
      if (!context.platformId.test(player)) throw refusal('INVALID_PLATFORMID');
      const { device } = await requireProven(context, project, caller, player);
      const random = randomBytes(SESSION_RANDOM_BYTES);
      return run(project, caller, 'session.create', (ctx, now, ttlSeconds) => {
        if (device !== null) requireDevice(ctx, device);
        const opened = createSession(player, { ttlSeconds, random, now, device: device?.device });
        ctx.assumeAbsent(sessionSubject(opened.session.sessionId));
        return opened;
      });
    },

    refresh: async (caller) => refresh(context, await opened(context, caller), caller),

    async reauth(caller) {
      const project = await opened(context, caller);
      const { sessionToken } = caller.proof ?? NO_PROOF;
      if (sessionToken === null) throw refusal('AUTH_SESSION_REQUIRED');
      const { player } = await sessionOf(context, project, settingsOf(project), sessionToken);
      await requireProven(context, project, caller, player);
      return refresh(context, project, caller);
    },

    async revoke(caller) {
      const project = await opened(context, caller);
      const token = tokenOf(caller);
      return run(project, caller, 'session.revoke', (ctx, now) => revokeSession(token, familyIn(ctx, token), now));
    },
  };
}

/** The caller's project. Throws 403 `AUTH_SESSION_DISABLED` if it has no sessions. */
async function opened(context: AppContext, caller: Caller): Promise<Project> {
  const project = await projectOf(context, caller);
  if (!settingsOf(project).enableAuthSessions) throw refusal('AUTH_SESSION_DISABLED');
  return project;
}

async function refresh(context: AppContext, project: Project, caller: Caller): Promise<SessionAnswer> {
  const token = tokenOf(caller);
  await requireSessionDevice(project, await familyOf(context, project, token));
  const random = randomBytes(SESSION_RANDOM_BYTES);
  return run(project, caller, 'session.refresh', (ctx, now, ttlSeconds) => {
    const family = familyIn(ctx, token);
    recheckSessionDevice(ctx, family);
    return refreshSession(token, family, { ttlSeconds, random, now });
  });
}

function tokenOf({ proof = NO_PROOF }: Caller): SessionToken {
  if (proof.sessionToken === null) throw refusal('AUTH_SESSION_REQUIRED');
  const token = readToken(proof.sessionToken);
  if (token === null) throw refusal('AUTH_SESSION_INVALID');
  return token;
}

/** Requires that token and claims are all of `player`. On these routes another player is 403. */
async function requireProven(context: AppContext, project: Project, caller: Caller, player: string): Promise<ProvenPlayer> {
  const { claims, token, address } = caller.proof ?? NO_PROOF;
  const proven = await verifyPlayer(context, project, caller.platformId?.trim() ?? null, token, address);
  if (claims.every((claim) => claim.trim() === player)) return proven;
  const { code, message } = refusal('AUTH_SESSION_PLATFORMID_MISMATCH');
  throw new Refusal(403, code, message);
}

function familyIn(ctx: DecisionContext, { family }: SessionToken): SessionFamily | null {
  return ctx.read(sessionSubject(family));
}

async function run(
  project: Project,
  caller: Caller,
  cause: string,
  decide: (ctx: DecisionContext, now: number, ttlSeconds: number) => OpenedSession | RevokedSession | Refusal,
): Promise<SessionAnswer> {
  const outcome = await execute(project, caller, cause, (ctx, now) => {
    const { settings } = accessOf(ctx, caller, 'live');
    if (!settings.enableAuthSessions) throw refusal('AUTH_SESSION_DISABLED');
    const ttlSeconds = settings.authSessionTtlSeconds;
    const decision = accepted(decide(ctx, now, ttlSeconds));
    const { player, session, events } = decision;
    return decided({ player, session, ttlSeconds, token: 'token' in decision ? decision.token : null }, events);
  });
  return { ...outcome.answer, position: outcome.revision, stale: false };
}
