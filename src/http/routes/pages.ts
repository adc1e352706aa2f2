import type { pages } from '../../contract/routes/system.ts';
import { pageBody, pageHtml } from '../../domain/page/page.ts';
import { freshHeaders } from '../answer.ts';
import { type Exchange, headerText, param, queryParam } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { readAnswer, type Services } from './services.ts';

/** With these headers a browser runs no script of a page and loads nothing for it. */
const SECURITY_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** A project's pages: as JSON, and for browsers as a plain document. */
export function pageHandlers({ app }: Services): Handlers<typeof pages> {
  return {
    async read(ctx) {
      const { exchange } = ctx.state;
      const found = await app.pages.read(param(ctx, 'project'), param(ctx, 'page'));
      const format = queryParam(ctx, 'format');
      if (format === null && wantsHtml(exchange)) {
        return {
          text: pageHtml(found.page),
          contentType: 'text/html; charset=utf-8',
          headers: { ...freshHeaders(found), ...SECURITY_HEADERS },
        };
      }
      return readAnswer({ position: found.position, stale: found.stale, result: pageBody(found.page, format) });
    },
  };
}

/** Browsers ask for HTML by name. Game clients send no `Accept`, or take anything. */
function wantsHtml(exchange: Exchange): boolean {
  return headerText(exchange, 'accept')?.includes('text/html') ?? false;
}
