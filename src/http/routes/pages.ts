import type { pages } from '../../contract/routes/pages.ts';
import { pageBody } from '../../domain/page/page.ts';
import { freshHeaders } from '../answer.ts';
import { headerText, param, queryParam } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { DOCUMENT_HEADERS, HTML_TYPE, wantsHtml } from '../html/document.ts';
import { pageHtml } from '../html/page.ts';
import { readAnswer, type Services } from './services.ts';

/** A project's pages: as JSON, and for browsers as a document. */
export function pageHandlers({ app }: Services): Handlers<typeof pages> {
  return {
    async read(ctx) {
      const { exchange } = ctx.state;
      const found = await app.pages.read(param(ctx, 'project'), param(ctx, 'page'));
      const format = queryParam(ctx, 'format');
      if (format === null && wantsHtml(headerText(exchange, 'accept'))) {
        return {
          text: await pageHtml(found.page),
          contentType: HTML_TYPE,
          headers: { ...freshHeaders(found), ...DOCUMENT_HEADERS },
        };
      }
      return readAnswer({ position: found.position, stale: found.stale, result: pageBody(found.page, format) });
    },
  };
}
