import { Readable } from 'node:stream';
import { documentLists } from '../../contract/routes/document-list.ts';
import { refusal } from '../../kernel/errors.ts';
import { freshHeaders } from '../answer.ts';
import { authenticate } from '../credentials.ts';
import { boundTaking } from '../guards/unsent.ts';
import type { Handlers } from '../handlers.ts';
import { hiddenFrom, hiddenNow } from '../masking.ts';
import { isAskedFor } from '../person-gate.ts';
import { answering, readRequest } from '../request.ts';
import { requireReveal } from '../reveal.ts';
import { managed, type Services } from './services.ts';

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

/** Documents of a collection, as a table and as a file. */
export function documentListHandlers(services: Services): Handlers<typeof documentLists> {
  const { app, settings } = services;
  const { list } = answering(
    services,
    { list: documentLists.list },
    {
      async list({ exchange, caller, target, params: { collection }, query }) {
        const hidden = await hiddenFrom(app, exchange, caller.projectId);
        return managed(await app.documentLists.list(caller, { collection, target }, query, hidden));
      },
    },
  );
  return {
    list,
    async export(ctx) {
      const { exchange, caller, target, params, query } = await readRequest(services, ctx, documentLists.export);
      const hidden = await hiddenNow(app, exchange, caller.projectId);
      const check = async () => {
        await authenticate(app, ctx, documentLists.export);
        await requireReveal(exchange, caller.projectId);
        // What the file is bounded by may have become personal meanwhile.
        const personal = await hiddenFrom(app, exchange, caller.projectId);
        if (personal !== null && isAskedFor(exchange, documentLists.export, personal, params.collection)) throw refusal('REVEAL_NEEDED');
      };
      const file = await app.documentLists.export(caller, { collection: params.collection, target }, query, hidden, check);
      // One text at a time is read ahead. A stream that fails or is left ends what makes it.
      const stream = Readable.from(file.texts, { highWaterMark: 1 });
      stream.once('close', file.close);
      boundTaking(ctx.res, stream, settings.fileIdleMs);
      const headers = { ...freshHeaders(file), 'Content-Disposition': `attachment; filename="${file.fileName}"` };
      return { stream, contentType: TYPES[query.format], headers };
    },
  };
}
