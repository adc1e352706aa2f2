import { grants } from '../../contract/routes/grants.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Support: what many players are given. */
export function grantHandlers(services: Services): Handlers<typeof grants> {
  const { app } = services;
  return answering(services, grants, {
    begin: async ({ caller, body }) => managed(await app.grants.begin(caller, body)),
    list: async ({ caller, query }) => managed(await app.grants.list(caller, query)),
    read: async ({ caller, params }) => managed(await app.grants.read(caller, params.grant)),
    players: async ({ caller, params, query }) => managed(await app.grants.players(caller, params.grant, query)),
    stop: async ({ caller, params, body }) => managed(await app.grants.stop(caller, params.grant, body)),
    resume: async ({ caller, params, body }) => managed(await app.grants.resume(caller, params.grant, body)),
    undo: async ({ caller, params, body }) => managed(await app.grants.undo(caller, params.grant, body)),
  });
}
