import { purge } from '../../contract/routes/purge.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Deletes the documents of a collection. */
export function purgeHandlers(services: Services): Handlers<typeof purge> {
  return answering(services, purge, {
    async documents({ caller, body: { collection }, query: { dryRun } }) {
      return managed(await services.app.purge.documents(caller, collection, { dryRun }));
    },
  });
}
