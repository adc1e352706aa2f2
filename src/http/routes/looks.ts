import { looks } from '../../contract/routes/looks.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Who looked at the data of players. */
export function lookHandlers(services: Services): Handlers<typeof looks> {
  return answering(services, looks, {
    list: async ({ caller, query }) => managed(await services.app.looks.list(caller, query)),
  });
}
