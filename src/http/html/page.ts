import MarkdownIt from 'markdown-it';
import { isPageSlug } from '../../domain/page/page.ts';
import type { PageState } from '../../domain/states.ts';
import { type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { escaped, htmlDocument } from './document.ts';

/** A project's page as a document for browsers. HTML that an author wrote is shown as text, so no page can run a script. */

/** Formatting takes time by the square of a paragraph, and by lines and cells; what is beyond these bounds is shown as it was written. */
const MAX_PARAGRAPH = 2_000;
const MAX_LINES = 2_000;
const MAX_CELLS_OF_A_LINE = 20;

const documents = new WeakMap<PageState, string>();

/** Formatted once for each state of a page, because anybody may ask for it. */
export function pageHtml(state: PageState): string {
  const known = documents.get(state);
  if (known !== undefined) return known;
  const html = pageDocument(state);
  documents.set(state, html);
  return html;
}

function pageDocument({ page, updatedAt }: PageState): string {
  const content = page.pageType === 'markdown' ? markdownHtml(page.contentMd) : `<dl>${listed(page.kvData)}</dl>`;
  // A text that begins with a heading of its own needs no second one.
  const heading = content.startsWith('<h1>') ? '' : `<h1>${escaped(page.title)}</h1>\n`;
  const status = page.statusLevel === undefined ? '' : `<p>Status: <strong>${escaped(page.statusLevel)}</strong></p>\n`;
  const changed = `<p><small>Changed ${new Date(updatedAt).toISOString()}</small></p>`;
  return htmlDocument({ title: page.title, body: `${heading}${status}${content}\n${changed}`, root: '../../' });
}

function listed(data: JsonObject): string {
  const shown = (value: JsonObject[string]) => escaped(typeof value === 'string' ? value : stringifyJson(value));
  return Object.entries(data)
    .map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${shown(value)}</dd>`)
    .join('');
}

const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image');
markdown.validateLink = (address) => /^(?:https?:\/\/|mailto:)/i.test(address) || isPageSlug(address);
markdown.core.ruler.at('inline', (state) => {
  for (const token of state.tokens) {
    if (token.type !== 'inline') continue;
    token.children = [];
    if (token.content.length <= MAX_PARAGRAPH) {
      state.md.inline.parse(token.content, state.md, state.env, token.children);
      continue;
    }
    const text = new state.Token('text', '', 0);
    text.content = token.content;
    token.children.push(text);
  }
});

function markdownHtml(text: string): string {
  const lines = text.split('\n');
  const isBounded = lines.length <= MAX_LINES && lines.every((line) => line.split('|').length <= MAX_CELLS_OF_A_LINE);
  return isBounded ? markdown.render(text) : `<pre class="plain">${escaped(text)}</pre>`;
}
