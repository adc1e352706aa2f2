import type { Done, Written } from '../../contract/answers.ts';
import { documents, documentViews } from '../../contract/routes/documents.ts';
import { asTextOf, parsedText, type TextOf } from '../../contract/values.ts';
import { publishedLedger } from '../../domain/wire-answers.ts';
import { andThen } from '../../kernel/awaitable.ts';
import { freshHeaders } from '../answer.ts';
import { authenticate, saveVersionOf } from '../credentials.ts';
import { param, queryParam } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { addressOf, documentBody, readAnswer, type Services, versionedHeaders } from './services.ts';

const DONE: TextOf<Done> = asTextOf('{"ok":true}');

/** GET, POST and DELETE of one document. */
export function documentHandlers({ app, gameBody }: Services): Handlers<typeof documents> {
  return {
    read: (ctx) =>
      andThen(authenticate(app, ctx, documents.read), (caller) =>
        andThen(app.documents.read(caller, addressOf(ctx)), (found) => ({ text: found.text, headers: versionedHeaders(found) })),
      ),

    async write(ctx) {
      const address = addressOf(ctx);
      const caller = await authenticate(app, ctx, documents.write);
      const written = await app.documents.write(caller, address, () => {
        const saveVersion = saveVersionOf(ctx.state.exchange);
        return andThen(documentBody(ctx, gameBody), (body) => ({ body, saveVersion }));
      });
      return { text: asTextOf<Written>(`{"ok":true,"version":${written.version}}`), headers: versionedHeaders(written) };
    },

    async remove(ctx) {
      const caller = await authenticate(app, ctx, documents.remove);
      const removed = await app.documents.remove(caller, addressOf(ctx), () => saveVersionOf(ctx.state.exchange));
      return { text: DONE, headers: freshHeaders(removed) };
    },
  };
}

/** Probe and ledger, which the aliases do not serve. */
export function documentViewHandlers({ app, settings, turns }: Services): Handlers<typeof documentViews> {
  return {
    async exists(ctx) {
      const caller = await authenticate(app, ctx, documentViews.exists);
      const exists = await app.documents.exists(caller, addressOf(ctx));
      return { body: { ok: true, exists }, headers: { 'Cache-Control': 'no-store' } };
    },

    async ledger(ctx) {
      const caller = await authenticate(app, ctx, documentViews.ledger);
      const ledger = await app.documents.ledger(caller, addressOf(ctx), {
        field: queryParam(ctx, 'field'),
        from: queryParam(ctx, 'from'),
        to: queryParam(ctx, 'to'),
        limit: queryParam(ctx, 'limit'),
        cursor: queryParam(ctx, 'cursor'),
        order: queryParam(ctx, 'order'),
        who: queryParam(ctx, 'who'),
      });
      if (settings.wireNames === 'neutral') return readAnswer(ledger);
      const { result } = ledger;
      const reprinted = () => publishedLedger(typeof result === 'string' ? parsedText(result) : result);
      return readAnswer({ ...ledger, result: await turns.run(param(ctx, 'project'), reprinted) });
    },
  };
}
