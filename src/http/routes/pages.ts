import { pageBody, pageHtml } from '../../domain/page/page.ts';
import { type Answer, freshHeaders } from '../answer.ts';
import { type Exchange, headerText, param, queryText } from '../exchange.ts';
import { type Routes, readAnswer, type Services } from './services.ts';

/** Whatever is in a page, a browser runs and loads nothing for it. */
const SAFE = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** A project's pages: as JSON, and for browsers as a plain document (runtime-storage 18). */
export function pageRoutes(router: Routes, { app }: Services): void {
  router.get('/:project/:page', async (ctx): Promise<Answer> => {
    const { exchange } = ctx.state;
    const found = await app.pages.read(param(ctx, 'project'), param(ctx, 'page'));
    const format = queryText(exchange, 'format');
    if (format === null && wantsHtml(exchange)) {
      return { text: pageHtml(found.page), contentType: 'text/html; charset=utf-8', headers: { ...freshHeaders(found), ...SAFE } };
    }
    return readAnswer({ position: found.position, stale: found.stale, body: pageBody(found.page, format) });
  });
}

/** Browsers ask for it by name; clients of the game send no `Accept`, or take anything. */
function wantsHtml(exchange: Exchange): boolean {
  return headerText(exchange, 'accept')?.includes('text/html') ?? false;
}
