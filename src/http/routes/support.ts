import { support } from '../../contract/routes/support.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Support: finds players, and changes what leads to a guest. */
export function supportHandlers(services: Services): Handlers<typeof support> {
  const { app } = services;
  return answering(services, support, {
    find: async ({ caller, query }) => managed(await app.support.find(caller, query)),
    show: async ({ caller, params }) => managed(await app.support.show(caller, params.player)),
    issueCode: async ({ caller, params }) => managed(await app.support.issueCode(caller, params.player)),
    unlink: async ({ caller, params }) => managed(await app.support.unlink(caller, params.player)),
    revoke: async ({ caller, params, body }) => managed(await app.support.revoke(caller, params.player, body.device)),
  });
}
