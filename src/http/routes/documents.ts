import type { Done, Written } from '../../contract/answers.ts';
import { documents, documentViews } from '../../contract/routes/documents.ts';
import { asTextOf, parsedText, type TextOf } from '../../contract/values.ts';
import { publishedLedger } from '../../domain/wire-answers.ts';
import { andThen } from '../../kernel/awaitable.ts';
import { freshHeaders } from '../answer.ts';
import { authenticate, saveVersionOf } from '../credentials.ts';
import { param, queryParam } from '../exchange.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import { addressOf, documentBody, momentOf, pastHeaders, pastViewOf, readAnswer, type Services, versionedHeaders } from './services.ts';

const DONE: TextOf<Done> = asTextOf('{"ok":true}');

/** GET, POST and DELETE of one document. */
export function documentHandlers({ app, gameBody }: Services): Handlers<typeof documents> {
  const readPast = async (ctx: ContextOf<typeof documents.read>, { at, view }: NonNullable<ReturnType<typeof pastViewOf>>) => {
    const caller = await authenticate(app, ctx, documents.read);
    const found = await app.past.document(caller, addressOf(ctx), at, view);
    return { text: found.text, headers: pastHeaders(found, versionedHeaders(found)) };
  };
  return {
    read: (ctx) => {
      const past = pastViewOf(ctx);
      if (past !== null) return readPast(ctx, past);
      return andThen(authenticate(app, ctx, documents.read), (caller) =>
        andThen(app.documents.read(caller, addressOf(ctx)), (found) => ({ text: found.text, headers: versionedHeaders(found) })),
      );
    },

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
      const at = momentOf(ctx);
      if (at !== null) {
        const was = await app.past.exists(caller, addressOf(ctx), at);
        return { body: { ok: true, exists: was.exists, at: was.at }, headers: pastHeaders(was) };
      }
      const exists = await app.documents.exists(caller, addressOf(ctx));
      return { body: { ok: true, exists }, headers: { 'Cache-Control': 'no-store' } };
    },

    async ledger(ctx) {
      const caller = await authenticate(app, ctx, documentViews.ledger);
      const at = momentOf(ctx);
      const query = {
        field: queryParam(ctx, 'field'),
        from: queryParam(ctx, 'from'),
        to: queryParam(ctx, 'to'),
        limit: queryParam(ctx, 'limit'),
        cursor: queryParam(ctx, 'cursor'),
        order: queryParam(ctx, 'order'),
        who: queryParam(ctx, 'who'),
      };
      const past = at === null ? null : await app.past.ledger(caller, addressOf(ctx), query, at);
      const ledger = past ?? (await app.documents.ledger(caller, addressOf(ctx), query));
      const headers = past === null ? freshHeaders(ledger) : pastHeaders(past);
      if (settings.wireNames === 'neutral') return readAnswer(ledger, headers);
      const { result } = ledger;
      const reprinted = () => publishedLedger(typeof result === 'string' ? parsedText(result) : result);
      return readAnswer({ ...ledger, result: await turns.run(param(ctx, 'project'), reprinted) }, headers);
    },
  };
}
