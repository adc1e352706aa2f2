import { economy } from '../../contract/routes/economy.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** What became of the money of all players. */
export function economyHandlers(services: Services): Handlers<typeof economy> {
  const { app } = services;
  return answering(services, economy, {
    days: async ({ caller, target, query }) => managed(await app.economy.days(caller, target, query)),
    flows: async ({ caller, target, query }) => managed(await app.economy.flows(caller, target, query)),
    players: async ({ caller, target, query }) => managed(await app.economy.players(caller, target, query)),
    entries: async ({ caller, target, query }) => managed(await app.economy.entries(caller, target, query)),
    alarms: async ({ caller, query }) => managed(await app.economy.alarms(caller, query)),
    supply: async ({ caller, target, query }) => managed(await app.economy.supply(caller, target, query.currency)),
  });
}
