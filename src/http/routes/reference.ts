import type { reference } from '../../contract/routes/reference.ts';
import { asTextOf } from '../../contract/values.ts';
import { notFound } from '../../kernel/errors.ts';
import { param } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { DOCUMENT_HEADERS, HTML_TYPE } from '../html/document.ts';
import { Manual } from '../manual/manual.ts';
import { Reference } from '../reference/reference.ts';

/** The page runs only our files and calls only our API. Inline styles are allowed because the library sets them. */
const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};
/** For files whose names change with their content. */
const IMMUTABLE_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' };

const MANUAL_HEADERS = { ...DOCUMENT_HEADERS, 'Cache-Control': 'no-cache' };

/** The description of the API, the page that shows it, and the manual. */
export function referenceHandlers(version: string): Handlers<typeof reference> {
  const made = new Reference(version);
  const manual = new Manual();
  return {
    async openApi() {
      return { text: asTextOf(made.openApi()), headers: { 'Cache-Control': 'no-cache' } };
    },

    async page() {
      return { text: made.html(), contentType: HTML_TYPE, headers: SECURITY_HEADERS };
    },

    // Its links are relative to `/docs`, so that they hold behind a proxy that serves the installation under a path.
    async slash() {
      return { status: 308, body: { ok: true }, headers: { Location: '../docs' } };
    },

    async manual() {
      return { text: manual.index(), contentType: HTML_TYPE, headers: MANUAL_HEADERS };
    },

    async manualSlash() {
      return { status: 308, body: { ok: true }, headers: { Location: '../manual' } };
    },

    async manualPage(ctx) {
      const html = manual.page(param(ctx, 'page'));
      if (html === undefined) throw notFound('page', 'The manual has no such page; /manual leads to all');
      return { text: html, contentType: HTML_TYPE, headers: MANUAL_HEADERS };
    },

    async asset(ctx) {
      const asset = made.asset(param(ctx, 'asset'));
      if (asset === undefined) throw notFound('route');
      return { text: asset.text, contentType: asset.contentType, headers: IMMUTABLE_HEADERS };
    },
  };
}
