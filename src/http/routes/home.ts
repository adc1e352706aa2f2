import type { home } from '../../contract/routes/reference.ts';
import { headerText } from '../exchange.ts';
import type { Handlers } from '../handlers.ts';
import { DOCUMENT_HEADERS, escaped, HTML_TYPE, htmlDocument, wantsHtml } from '../html/document.ts';
import type { Ready, SystemParts } from './system.ts';

const HEADERS = { 'Cache-Control': 'no-cache' };
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f6f54"/><path d="M9 7h11l4 4v14H9z" fill="#fff"/><path d="M12 7h7v6h-7zM12 17h9v8h-9z" fill="#1f6f54"/></svg>\n`;

/** What each place is, for people. */
const ABOUT: Readonly<Record<string, string>> = {
  docs: 'the routes of the HTTP API, to look up and to try',
  manual: 'the manual',
  'openapi.json': 'the same routes as an OpenAPI description',
  health: 'whether process, database and log answer',
  ready: 'whether requests may be sent here',
};

/** What somebody is told who opens the server's address. Links are relative: a proxy may serve the installation under a path. */
export function homeHandlers({ settings: { product, version, apiDocs }, probes }: SystemParts): Handlers<typeof home> {
  const reference = apiDocs ? { docs: 'docs', manual: 'manual', openapi: 'openapi.json' } : {};
  const places = { ...reference, health: 'health', ready: 'ready' };
  const items = Object.values(places).map((place) => `<li><a href="${place}">/${place}</a>: ${ABOUT[place]}</li>`);
  const page = (ready: Ready) =>
    htmlDocument({
      title: 'Savepoint',
      root: '',
      body: `<h1>Savepoint ${escaped(version)}</h1>
<p>This is the server of a game: it keeps what players have, and decides what they may do.</p>
<p>Status: <strong>${escaped(statusOf(ready))}</strong></p>
<ul>
${items.join('\n')}
</ul>`,
    });
  return {
    async read(ctx) {
      if (wantsHtml(headerText(ctx.state.exchange, 'accept'))) {
        return { text: page(await probes.ready()), contentType: HTML_TYPE, headers: { ...HEADERS, ...DOCUMENT_HEADERS } };
      }
      return { body: { ok: true, product, version, ...places }, headers: HEADERS };
    },

    async icon() {
      return { text: ICON, contentType: 'image/svg+xml', headers: { 'Cache-Control': 'public, max-age=86400' } };
    },
  };
}

function statusOf(ready: Ready): string {
  if (ready.status === 'ready') return 'ready';
  return ready.status === 'catching-up' ? 'catching up: read models are behind the log' : `not available: ${ready.away.join(', ')} away`;
}
