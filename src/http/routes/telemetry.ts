import type { Caller } from '../../app/app.ts';
import { playerStats, saveFailures, telemetry } from '../../contract/routes/telemetry.ts';
import { isProjectId } from '../../domain/project/keys.ts';
import { acceptMembers, wireNames } from '../../domain/wire-names.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { type BodyBounds, invalidBody, invalidJson, readJson } from '../body.ts';
import { authenticate, claimOfQuery, targetOf } from '../credentials.ts';
import { type Exchange, headerText, param } from '../exchange.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import type { Services } from './services.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Analytics events and heartbeats. */
export function telemetryHandlers(services: Services): Handlers<typeof telemetry> {
  const { app, gameBody, settings } = services;
  const names = wireNames(settings.wireNames);
  return {
    async track(ctx) {
      const caller = await authenticate(app, ctx, telemetry.track);
      const { exchange } = ctx.state;
      const body = neutral(await readJson(exchange, gameBody, invalidJson));
      const isLocal = headerText(exchange, 'x-ns-client-type') === 'editor';
      return { body: { ok: true, ...(await app.telemetry.track(caller, body, claimOfQuery(exchange), targetOf(exchange), isLocal)) } };
    },

    async heartbeat(ctx) {
      const caller = await heartbeatCaller(services, ctx);
      const { exchange } = ctx.state;
      const body = await readableJson(exchange, gameBody);
      const told = isObject(body) ? acceptMembers(body) : null;
      const counted = await app.telemetry.heartbeat(caller, told, claimOfQuery(exchange), targetOf(exchange));
      return { body: names.body(counted), headers: NO_STORE };
    },
  };
}

/** A player's stats, which the aliases do not serve. */
export function playerStatsHandlers({ app, settings }: Services): Handlers<typeof playerStats> {
  const names = wireNames(settings.wireNames);
  return {
    async read(ctx) {
      const caller = await authenticate(app, ctx, playerStats.read);
      const { body, stale } = await app.telemetry.stats(caller, param(ctx, 'player'), targetOf(ctx.state.exchange));
      return { body: names.body(body), headers: stale ? { ...NO_STORE, 'x-ns-stale': 'true' } : NO_STORE };
    },
  };
}

/** Takes a game's report that a save failed. */
export function saveFailureHandlers({ app, gameBody }: Services): Handlers<typeof saveFailures> {
  return {
    async report(ctx) {
      const caller = await authenticate(app, ctx, saveFailures.report);
      const body = await readJson(ctx.state.exchange, gameBody, invalidBody);
      return { body: { ok: true, ...(await app.telemetry.saveFailed(caller, body)) } };
    },
  };
}

/**
 * Authenticates like `authenticate`. A client that keeps sending an invalid key gets 429 RATE_LIMITED. A valid key is never blocked,
 * whoever else uses the same address.
 */
async function heartbeatCaller({ app, badKeys }: Services, ctx: ContextOf<typeof telemetry.heartbeat>): Promise<Caller> {
  try {
    return await authenticate(app, ctx, telemetry.heartbeat);
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

function neutral(body: Json | undefined): Json | undefined {
  return isObject(body) ? acceptMembers(body) : body;
}

/** The body; `undefined` if it cannot be read, because a bad heartbeat must cause no error in a game. */
async function readableJson(exchange: Exchange, bounds: BodyBounds): Promise<Json | undefined> {
  try {
    return await readJson(exchange, bounds, invalidBody);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_BODY') return undefined;
    throw error;
  }
}
