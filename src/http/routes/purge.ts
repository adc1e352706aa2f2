import { purge } from '../../contract/routes/purge.ts';
import { readJson } from '../body.ts';
import { authenticate } from '../credentials.ts';
import type { Handlers } from '../handlers.ts';
import { flagOf, invalidResource, managed, membersOf, type Services } from './services.ts';

const invalid = invalidResource('documents');
const COLLECTION_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** Deletes the documents of a collection. */
export function purgeHandlers({ app, managementBody }: Services): Handlers<typeof purge> {
  return {
    async documents(ctx) {
      const caller = await authenticate(app, ctx, purge.documents);
      const { exchange } = ctx.state;
      const body = membersOf(await readJson(exchange, managementBody, invalid), ['collection', 'dryRun'], invalid);
      const { collection } = body;
      if (typeof collection !== 'string' || !COLLECTION_ID.test(collection)) throw invalid('`collection` must be the id of a collection');
      return managed(await app.purge.documents(caller, collection, { dryRun: flagOf(exchange, 'dryRun', body, invalid) }));
    },
  };
}
