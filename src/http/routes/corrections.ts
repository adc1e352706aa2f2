import { corrections } from '../../contract/routes/corrections.ts';
import { holdsMask, MASK } from '../../domain/personal/mask.ts';
import { namesPersonal } from '../../domain/personal/names.ts';
import { invalidBody } from '../body.ts';
import type { Handlers } from '../handlers.ts';
import { recordProbe } from '../looks.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Support: changes one document, undoes and restores. */
export function correctionHandlers(services: Services): Handlers<typeof corrections> {
  const { app } = services;
  return answering(services, corrections, {
    async change({ exchange, caller, params: { collection, key }, body, target }) {
      const wanted = 'document' in body ? body.document : 'ops' in body ? body.ops : null;
      if (exchange.person !== null && holdsMask(wanted)) throw invalidBody(`${MASK} stands for a value that was not shown; leave it out`);
      await recordProbe(app, exchange, {
        at: { project: caller.projectId, page: corrections.change.id, collection, key },
        reason: body.dryRun ? undefined : body.reason,
        names: (personal) => namesPersonal(wanted, personal.in(collection)),
      });
      return managed(await app.corrections.change(caller, { collection, key, target }, body));
    },
    restore: async ({ caller, params, body }) => managed(await app.corrections.restore(caller, params.player, body)),
    undo: async ({ caller, body }) => managed(await app.corrections.undo(caller, body)),
  });
}
