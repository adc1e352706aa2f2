import type { Answer } from '../answer.ts';
import { authenticate, DOCUMENT_KEYS, VIEW_KEYS } from '../credentials.ts';
import { queryText } from '../exchange.ts';
import { addressOf, collectionOf, documentBody, type Routes, readAnswer, type Services, versionedHeaders } from './services.ts';

/** Append to a global collection (runtime-storage 10.1). */
export function appendRoute(router: Routes, { app, gameBody }: Services): void {
  router.post('/:project/:collection/append', async (ctx): Promise<Answer> => {
    const claimed = await authenticate(app, ctx, DOCUMENT_KEYS);
    const address = collectionOf(ctx);
    const caller = await app.records.mayAppend(claimed, address);
    const body = await documentBody(ctx, gameBody);
    const writerId = caller.verified ?? caller.onBehalfOf ?? caller.platformId ?? 'anonymous';
    return readAnswer(await app.records.append(caller, address, body, writerId));
  });
}

/** List and single record of a global collection (runtime-storage 10.2, 10.3). */
export function recordViewRoutes(router: Routes, { app }: Services): void {
  router.get('/:project/:collection/list', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, VIEW_KEYS);
    const { exchange } = ctx.state;
    const page = { limit: queryText(exchange, 'limit'), after: queryText(exchange, 'after') };
    return readAnswer(await app.records.list(caller, collectionOf(ctx), page));
  });

  router.get('/:project/:collection/record/:key', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, VIEW_KEYS);
    const found = await app.records.get(caller, addressOf(ctx));
    return { text: found.text, headers: versionedHeaders(found) };
  });
}
