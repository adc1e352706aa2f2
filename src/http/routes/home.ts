import type { home } from '../../contract/routes/system.ts';
import { headerText } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import type { HttpSettings } from '../settings.ts';

const HEADERS = { 'Cache-Control': 'no-cache' };
/** The page has no script and loads nothing. */
const PAGE = { ...HEADERS, 'Content-Security-Policy': "default-src 'none'", 'X-Content-Type-Options': 'nosniff' };

/** What somebody is told who opens the server's address. Links are relative: a proxy may serve the installation under a path. */
export function homeHandlers({ product, version, apiDocs }: HttpSettings): Handlers<typeof home> {
  const reference = apiDocs ? { docs: 'docs', openapi: 'openapi.json' } : {};
  const places = { ...reference, health: 'health', ready: 'ready' };
  const items = Object.values(places).map((place) => `<li><a href="${place}">/${place}</a></li>`);
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Savepoint</title></head>
<body><h1>Savepoint ${version}</h1><p>This is the server of a game. It answers at:</p><ul>
${items.join('\n')}
</ul></body></html>
`;
  return {
    async read(ctx) {
      const { exchange } = ctx.state;
      if (headerText(exchange, 'accept')?.includes('text/html'))
        return { text: html, contentType: 'text/html; charset=utf-8', headers: PAGE };
      return { body: { ok: true, product, version, ...places }, headers: HEADERS };
    },
  };
}
