import { playerStats, saveFailures, telemetry } from '../../contract/routes/telemetry.ts';
import { isProjectId } from '../../domain/project/keys.ts';
import { acceptMembers, wireNames } from '../../domain/wire-names.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { claimOfQuery } from '../credentials.ts';
import { param } from '../exchange.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import type { Services } from './services.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Analytics events and heartbeats. */
export function telemetryHandlers(services: Services): Handlers<typeof telemetry> {
  const { app, settings } = services;
  const names = wireNames(settings.wireNames);
  const handlers = answering(services, telemetry, {
    async track({ caller, body, target, headers, exchange }) {
      const isLocal = headers['x-ns-client-type'] === 'editor';
      const tracked = await app.telemetry.track(caller, neutral(body), claimOfQuery(exchange), target, isLocal);
      return { body: { ok: true as const, ...tracked } };
    },

    async heartbeat({ caller, body, target, exchange }) {
      const told = isObject(body) ? acceptMembers(body) : null;
      const counted = await app.telemetry.heartbeat(caller, told, claimOfQuery(exchange), target);
      return { body: names.body(counted), headers: NO_STORE };
    },
  });
  return { ...handlers, heartbeat: (ctx) => boundBadKeys(services, ctx, () => handlers.heartbeat(ctx)) };
}

/** A player's stats, which the aliases do not serve. */
export function playerStatsHandlers(services: Services): Handlers<typeof playerStats> {
  const { app, settings } = services;
  const names = wireNames(settings.wireNames);
  return answering(services, playerStats, {
    async read({ caller, params, target }) {
      const { body, stale } = await app.telemetry.stats(caller, params.player, target);
      return { body: names.body(body), headers: stale ? { ...NO_STORE, 'x-ns-stale': 'true' } : NO_STORE };
    },
  });
}

/** Takes a game's report that a save failed. */
export function saveFailureHandlers(services: Services): Handlers<typeof saveFailures> {
  return answering(services, saveFailures, {
    report: async ({ caller, body }) => ({ body: { ok: true, ...(await services.app.telemetry.saveFailed(caller, body)) } }),
  });
}

/**
 * Answers 429 RATE_LIMITED to a client that keeps sending an invalid key. A valid key is never blocked, whoever else uses the same address.
 */
async function boundBadKeys<T>({ badKeys }: Services, ctx: ContextOf<typeof telemetry.heartbeat>, answer: () => Awaitable<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (badKeys === null || !(error instanceof Refusal) || error.code !== 'UNAUTHORIZED') throw error;
    const { exchange } = ctx.state;
    const address = exchange.addressOf(exchange.req);
    const project = param(ctx, 'project');
    // Ids that no project can have count as one, because they would fill the memory.
    const counted = isProjectId(project) ? project : '';
    if (badKeys.blockedFor(address, counted) > 0) throw refusal('RATE_LIMITED', TRY_LATER, { retryAfter: 60 });
    badKeys.failed(address, counted);
    throw error;
  }
}

const TRY_LATER = 'Too many heartbeats without a valid key. Retry after 60 seconds.';

function neutral(body: Json): Json {
  return isObject(body) ? acceptMembers(body) : body;
}
