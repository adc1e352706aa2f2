import { corrections } from '../../contract/routes/corrections.ts';
import { holdsMask, MASK } from '../../domain/personal/mask.ts';
import { invalidBody } from '../body.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Support: changes one document, undoes and restores. */
export function correctionHandlers(services: Services): Handlers<typeof corrections> {
  const { app } = services;
  return answering(services, corrections, {
    async change({ exchange, caller, params: { collection, key }, body, target }) {
      if (exchange.person !== null && holdsMask('document' in body ? body.document : 'ops' in body ? body.ops : null))
        throw invalidBody(`${MASK} stands for a value that was not shown; leave it out`);
      return managed(await app.corrections.change(caller, { collection, key, target }, body));
    },
    restore: async ({ caller, params, body }) => managed(await app.corrections.restore(caller, params.player, body)),
    undo: async ({ caller, body }) => managed(await app.corrections.undo(caller, body)),
  });
}
