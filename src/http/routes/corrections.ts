import { corrections } from '../../contract/routes/corrections.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Support: changes one document, undoes and restores. */
export function correctionHandlers(services: Services): Handlers<typeof corrections> {
  const { app } = services;
  return answering(services, corrections, {
    change: async ({ caller, params: { collection, key }, body, target }) =>
      managed(await app.corrections.change(caller, { collection, key, target }, body)),
    restore: async ({ caller, params, body }) => managed(await app.corrections.restore(caller, params.player, body)),
    undo: async ({ caller, body }) => managed(await app.corrections.undo(caller, body)),
  });
}
