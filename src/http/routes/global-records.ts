import { globalRecords, globalRecordViews } from '../../contract/routes/global-records.ts';
import { authenticate } from '../credentials.ts';
import { queryParam } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { addressOf, collectionOf, documentBody, pastHeaders, pastViewOf, readAnswer, type Services, versionedHeaders } from './services.ts';

/** Appends to a global collection. */
export function globalRecordHandlers({ app, gameBody }: Services): Handlers<typeof globalRecords> {
  return {
    async append(ctx) {
      const caller = await authenticate(app, ctx, globalRecords.append);
      return readAnswer(await app.records.append(caller, collectionOf(ctx), () => documentBody(ctx, gameBody)));
    },
  };
}

/** Lists the records of a global collection, and reads one of them. */
export function globalRecordViewHandlers({ app }: Services): Handlers<typeof globalRecordViews> {
  return {
    async list(ctx) {
      const caller = await authenticate(app, ctx, globalRecordViews.list);
      const page = { limit: queryParam(ctx, 'limit'), after: queryParam(ctx, 'after') ?? queryParam(ctx, 'cursor') };
      return readAnswer(await app.records.list(caller, collectionOf(ctx), page));
    },

    async read(ctx) {
      const caller = await authenticate(app, ctx, globalRecordViews.read);
      const past = pastViewOf(ctx);
      if (past !== null) {
        const was = await app.past.globalRecord(caller, addressOf(ctx), past.at, past.view);
        return { text: was.text, headers: pastHeaders(was, versionedHeaders(was)) };
      }
      const found = await app.records.get(caller, addressOf(ctx));
      return { text: found.text, headers: versionedHeaders(found) };
    },
  };
}
