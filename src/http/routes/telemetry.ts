import type { Caller } from '../../app/app.ts';
import { isProjectId } from '../../domain/project/keys.ts';
import { acceptMembers, wireNames } from '../../domain/wire-names.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import type { Answer } from '../answer.ts';
import { type BodyBounds, invalidBody, invalidJson, readJson } from '../body.ts';
import { authenticate, claimOfQuery, type KeyRules, targetOf, VIEW_KEYS } from '../credentials.ts';
import { type Context, type Exchange, param } from '../exchange.ts';
import type { Routes, Services } from './services.ts';

/** Any key, public or secret (security 1.5); what a disabled one answers differs between the routes (security 1.3). */
const REPORT_KEYS: KeyRules = { ...VIEW_KEYS, disabledKey: 'KEY_DISABLED' };
const NO_STORE = { 'Cache-Control': 'no-store' };

/** Analytics events and heartbeats (runtime-storage 12 and 13.1). */
export function telemetryRoutes(router: Routes, services: Services): void {
  const { app, gameBody, settings } = services;
  const names = wireNames(settings.wireNames);

  router.post('/:project/analytics/events', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, REPORT_KEYS);
    const { exchange } = ctx.state;
    const body = neutral(await readJson(exchange, gameBody, invalidJson));
    return { body: { ok: true, ...(await app.telemetry.track(caller, body, claimOfQuery(exchange), targetOf(exchange))) } };
  });

  router.post('/:project/stats/heartbeat', async (ctx): Promise<Answer> => {
    const caller = await heartbeatCaller(services, ctx);
    const { exchange } = ctx.state;
    const body = neutral(await readableJson(exchange, gameBody));
    return {
      body: names.body({ ...(await app.telemetry.heartbeat(caller, body, claimOfQuery(exchange), targetOf(exchange))) }),
      headers: NO_STORE,
    };
  });
}

/** A player's stats, which the aliases do not serve (runtime-storage 13.2). */
export function statsRoute(router: Routes, { app, settings }: Services): void {
  const names = wireNames(settings.wireNames);
  router.get('/:project/stats/:player', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, VIEW_KEYS);
    const { body, stale } = await app.telemetry.stats(caller, param(ctx, 'player'), targetOf(ctx.state.exchange));
    return { body: names.body(body), headers: stale ? { ...NO_STORE, 'x-ns-stale': 'true' } : NO_STORE };
  });
}

/** A game tells that a save did not show (runtime-storage 15). */
export function saveFailureRoute(router: Routes, { app, gameBody }: Services): void {
  router.post('/:project/save-failure', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, REPORT_KEYS);
    const body = await readJson(ctx.state.exchange, gameBody, invalidBody);
    return { body: { ok: true, ...(await app.telemetry.saveFailed(caller, body)) } };
  });
}

/**
 * As `authenticate`, but a game that goes on with a key that is none is told to wait: 429 RATE_LIMITED (security 9.1). A good key is
 * never kept waiting, whoever else is behind the same address.
 */
async function heartbeatCaller({ app, badKeys }: Services, ctx: Context): Promise<Caller> {
  try {
    return await authenticate(app, ctx, VIEW_KEYS);
  } catch (error) {
    if (badKeys === null || !(error instanceof Refusal) || error.code !== 'UNAUTHORIZED') throw error;
    const { exchange } = ctx.state;
    const address = exchange.addressOf(exchange.req);
    const project = param(ctx, 'project');
    // Whatever can be no project's id counts as one, or the ids would fill the memory.
    const counted = isProjectId(project) ? project : '';
    if (badKeys.blockedFor(address, counted) > 0) throw refusal('RATE_LIMITED', TRY_LATER, { headers: { 'Retry-After': '60' } });
    badKeys.failed(address, counted);
    throw error;
  }
}

const TRY_LATER = 'Too many heartbeats without a valid key. Retry after 60 seconds.';

function neutral(body: Json | undefined): Json | undefined {
  return isObject(body) ? acceptMembers(body) : body;
}

/** The body, or nothing where it cannot be read: a heartbeat is no reason for an error in a game. */
async function readableJson(exchange: Exchange, bounds: BodyBounds): Promise<Json | undefined> {
  try {
    return await readJson(exchange, bounds, invalidBody);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_BODY') return undefined;
    throw error;
  }
}
