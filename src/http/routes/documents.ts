import { wireNames } from '../../domain/wire-names.ts';
import { andThen } from '../../kernel/awaitable.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { type Answer, freshHeaders } from '../answer.ts';
import { authenticate, DOCUMENT_KEYS, saveVersionOf, VIEW_KEYS } from '../credentials.ts';
import { type Context, queryText } from '../exchange.ts';
import { addressOf, documentBody, type Routes, readAnswer, type Services, versionedHeaders } from './services.ts';

/** GET, POST and DELETE of one document (runtime-storage 4). */
export function documentRoutes(router: Routes, { app, gameBody }: Services): void {
  router.get('/:project/:collection/:key', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, DOCUMENT_KEYS);
    const found = await app.documents.read(caller, addressOf(ctx));
    return { text: found.text, headers: versionedHeaders(found) };
  });

  router.post('/:project/:collection/:key', async (ctx): Promise<Answer> => {
    const address = addressOf(ctx);
    const caller = await authenticate(app, ctx, DOCUMENT_KEYS);
    const written = await app.documents.write(caller, address, () => {
      const saveVersion = saveVersionOf(ctx.state.exchange);
      return andThen(documentBody(ctx, gameBody), (body) => ({ body, saveVersion }));
    });
    return { text: `{"ok":true,"version":${written.version}}`, headers: versionedHeaders(written) };
  });

  router.delete('/:project/:collection/:key', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, DOCUMENT_KEYS);
    const removed = await app.documents.remove(caller, addressOf(ctx), () => saveVersionOf(ctx.state.exchange));
    return { text: '{"ok":true}', headers: freshHeaders(removed) };
  });
}

/** Probe and ledger, which the aliases do not serve. */
export function documentViewRoutes(router: Routes, { app, settings }: Services): void {
  router.get('/:project/:collection/:key/probe', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, DOCUMENT_KEYS);
    const exists = await app.documents.exists(caller, addressOf(ctx));
    return { body: { ok: true, exists }, headers: { 'Cache-Control': 'no-store' } };
  });

  router.get('/:project/:collection/:key/ledger', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, VIEW_KEYS);
    const ledger = await app.documents.ledger(caller, addressOf(ctx), ledgerQuery(ctx));
    if (typeof ledger.body === 'string' || settings.wireNames === 'neutral') return readAnswer(ledger);
    return readAnswer({ ...ledger, body: publishedLedger(ledger.body) });
  });
}

function ledgerQuery(ctx: Context) {
  const { exchange } = ctx.state;
  return {
    field: queryText(exchange, 'field'),
    from: queryText(exchange, 'from'),
    to: queryText(exchange, 'to'),
    limit: queryText(exchange, 'limit'),
    cursor: queryText(exchange, 'cursor'),
  };
}

/** A ledger under the published names: its own members and those of its entries. */
function publishedLedger(body: JsonObject): JsonObject {
  const names = wireNames('published');
  const entries = body['entries'];
  if (!Array.isArray(entries)) return names.body(body);
  return names.body({ ...body, entries: entries.map((entry) => (isObject(entry) ? names.body(entry) : entry)) });
}
