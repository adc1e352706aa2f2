import type { PageState } from '../../domain/states.ts';
import { type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { escaped, htmlDocument } from './document.ts';
import { markdownHtml } from './markdown.ts';

/** A project's page as a document for browsers. HTML that an author wrote is shown as text, so no page can run a script. */

const documents = new WeakMap<PageState, Promise<string>>();

/** Formatted once for each state of a page, because anybody may ask for it. */
export function pageHtml(state: PageState): Promise<string> {
  const known = documents.get(state);
  if (known !== undefined) return known;
  const html = pageDocument(state);
  documents.set(state, html);
  return html;
}

async function pageDocument({ page, updatedAt }: PageState): Promise<string> {
  const content = page.pageType === 'markdown' ? await markdownHtml(page.contentMd) : `<dl>${listed(page.kvData)}</dl>`;
  // A text that begins with a heading of its own needs no second one.
  const heading = content.startsWith('<h1>') ? '' : `<h1>${escaped(page.title)}</h1>\n`;
  const status = page.statusLevel === undefined ? '' : `<p>Status: <strong>${escaped(page.statusLevel)}</strong></p>\n`;
  const time = new Date(updatedAt).toISOString();
  const changed = `<p><small>Changed <time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time></small></p>`;
  return htmlDocument({ title: page.title, body: `${heading}${status}${content}\n${changed}`, root: '../../' });
}

function listed(data: JsonObject): string {
  const shown = (value: JsonObject[string]) => escaped(typeof value === 'string' ? value : stringifyJson(value));
  return Object.entries(data)
    .map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${shown(value)}</dd>`)
    .join('');
}
