import { setImmediate as nextTurn } from 'node:timers/promises';
import MarkdownIt, { type Env } from 'markdown-it';
import { isPageSlug } from '../../domain/page/page.ts';
import { escaped } from './document.ts';

/**
 * Markdown of authors as HTML. HTML in it is shown as text, and pictures are links. Whatever it holds, one turn of the event loop does a
 * bounded part of it: a text is formatted section by section, and what would take long is shown as it was written.
 */

/** After so much, the next section begins where it may. One that goes on for twice as long is shown as it was written. */
const SECTION_LENGTH = 4_000;
const SECTION_LINES = 100;
/** A heading, or an item of a list. */
const BEGINNING = /^(?:#{1,6}|[-*+]|\d{1,9}[.)])\s/;
/** Work for a paragraph grows with its length and with the marks in it, which may each begin something that ends anywhere. */
const MAX_WORK_OF_A_SECTION = 200_000;
const MARK = /[[\]*_`~<!&\\()"]/g;
/** Lists and quotes in one another. */
const MAX_NESTING = 8;
const MAX_INDENT = 32;
const MAX_CELLS_OF_A_LINE = 20;
const MAX_REFERENCES = 100;

const NESTED = /^\s*(?:(?:[>*+-]|\d+[.)])\s*)*/;
const MARKER = /[>*+-]|\d+[.)]/g;
const FENCE = /^ {0,3}(```|~~~)/;
const REFERENCE = /^ {0,3}\[[^\]\\]{1,99}\]:[ \t]*[^\s<"'()]{1,999}[ \t]*$/;

/** Addresses by the names under which links refer to them. */
type References = NonNullable<Env['references']>;

/** What may still be done for a section, by its environment. */
const workLeft = new WeakMap<Env, number>();

const markdown = new MarkdownIt({ html: false, linkify: false });
markdown.validateLink = (address) => /^(?:https?:\/\/|mailto:)/i.test(address) || isPageSlug(address);
markdown.core.ruler.at('inline', (state) => {
  for (const token of state.tokens) {
    if (token.type !== 'inline') continue;
    token.children = [];
    const work = token.content.length * (token.content.match(MARK) ?? []).length;
    const left = workLeft.get(state.env) ?? 0;
    if (work <= left) {
      workLeft.set(state.env, left - work);
      state.md.inline.parse(token.content, state.md, state.env, token.children);
      continue;
    }
    const text = new state.Token('text', '', 0);
    text.content = token.content;
    token.children.push(text);
  }
});

/** The policy of the document lets no element style itself, so a class says how a column of a table is aligned. */
markdown.core.ruler.push('aligned columns', (state) => {
  for (const token of state.tokens) {
    const style = token.attrGet('style');
    if (style !== null) token.attrs = [['class', String(style).replace('text-align:', '')]];
  }
});

/** A picture is a link to it; within another link, its text. */
markdown.renderer.rules['image'] = (tokens, place) => {
  const token = tokens[place];
  const text = escaped(token?.content ?? '');
  const opened = tokens
    .slice(0, place)
    .reduce((depth, { type }) => depth + Number(type === 'link_open') - Number(type === 'link_close'), 0);
  return opened > 0 ? text : `<a href="${escaped(String(token?.attrGet('src') ?? ''))}">${text}</a>`;
};

/** The HTML of a text, made in several turns. */
export async function markdownHtml(text: string): Promise<string> {
  const references = referencesIn(text);
  const parts: string[] = [];
  for (const section of sectionsOf(text)) {
    parts.push(sectionHtml(section, references));
    await nextTurn();
  }
  return parts.join('');
}

/** Links may refer to addresses that stand in another section. */
function referencesIn(text: string): References {
  const lines = text.split('\n').filter((line) => REFERENCE.test(line));
  const env: Env = {};
  markdown.parse(lines.slice(0, MAX_REFERENCES).join('\n\n'), env);
  return env.references ?? {};
}

function sectionsOf(text: string): readonly string[] {
  const sections: string[] = [];
  let lines: string[] = [];
  let length = 0;
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const isFull = length > SECTION_LENGTH || lines.length > SECTION_LINES;
    if (isFull && fence === undefined && mayBegin(line, lines.at(-1) ?? '')) {
      sections.push(lines.join('\n'));
      [lines, length] = [[], 0];
    }
    const [, mark] = FENCE.exec(line) ?? [];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    lines.push(line);
    length += line.length + 1;
  }
  return [...sections, lines.join('\n')];
}

/** Whether a section may begin with this line: it goes on with nothing of what stands before. */
function mayBegin(line: string, before: string): boolean {
  return BEGINNING.test(line) || (/^\S/.test(line) && before.trim() === '');
}

function sectionHtml(section: string, references: References): string {
  if (!isBounded(section)) return `<pre class="plain">${escaped(section)}</pre>\n`;
  const env: Env = { references: { ...references } };
  workLeft.set(env, MAX_WORK_OF_A_SECTION);
  return markdown.render(section, env);
}

function isBounded(section: string): boolean {
  const lines = section.split('\n');
  if (section.length > 2 * SECTION_LENGTH || lines.length > 2 * SECTION_LINES) return false;
  return lines.every((line) => {
    const [begin = ''] = NESTED.exec(line) ?? [];
    const indent = begin.search(/\S/);
    const isNested = (begin.match(MARKER) ?? []).length > MAX_NESTING || indent > MAX_INDENT;
    return !isNested && line.split('|').length <= MAX_CELLS_OF_A_LINE;
  });
}
