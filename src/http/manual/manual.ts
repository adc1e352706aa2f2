import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import MarkdownIt, { type Token } from 'markdown-it';
import { escaped, htmlDocument } from '../html/document.ts';

/**
 * The manual: README.md and the pages of `docs`, as HTML. The build puts them beside this file; when TypeScript runs directly they are the
 * repository's. Nothing is read before the first request, and each page is formatted once.
 */
export class Manual {
  readonly #documents = new Map<string, string>();
  #files: ReadonlyMap<string, string> | null = null;

  /** The first page. Its links lead to the others. */
  index(): string {
    return this.#document('README') ?? '';
  }

  /** A page by its name, such as `security`; `undefined`: there is none. */
  page(name: string): string | undefined {
    return name === 'README' ? undefined : this.#document(name);
  }

  #document(name: string): string | undefined {
    this.#files ??= pageFiles();
    const file = this.#files.get(name);
    if (file === undefined) return undefined;
    const html = this.#documents.get(name) ?? documentOf(name, readFileSync(file, 'utf8'), this.#files);
    this.#documents.set(name, html);
    return html;
  }
}

const HERE = dirname(fileURLToPath(import.meta.url));

/** The files of the pages by name. */
function pageFiles(): ReadonlyMap<string, string> {
  const built = join(HERE, 'pages');
  const repository = join(HERE, '../../..');
  const [docs, readme] = existsSync(built) ? [built, built] : [join(repository, 'docs'), repository];
  const names = readdirSync(docs).filter((file) => file.endsWith('.md'));
  return new Map([...names.map((file) => join(docs, file)), join(readme, 'README.md')].map((file) => [basename(file, '.md'), file]));
}

/** HTML is allowed, because the pages are ours: tables have line breaks. */
const markdown = new MarkdownIt({ html: true, linkify: false });

/** Pictures are not served, so the manual says what they show. */
markdown.renderer.rules['image'] = (tokens, place) => `<small>(Picture: ${escaped(tokens[place]?.content ?? '')})</small>`;

function documentOf(name: string, text: string, pages: ReadonlyMap<string, string>): string {
  const isIndex = name === 'README';
  const root = isIndex ? '' : '../';
  const folder = isIndex ? '.' : 'docs';
  const tokens = markdown.parse(text, {});
  addAnchors(tokens);
  for (const { children } of tokens) changeLinks(children ?? [], (link) => addressOf(link, folder, root, pages));
  const nav = `<nav><a href="${root}manual">Manual</a><a href="${root}docs">HTTP API</a></nav>`;
  const title = tokens[1]?.content ?? name;
  return htmlDocument({ title: `${title} · Savepoint`, root, body: `${nav}\n${markdown.renderer.render(tokens, markdown.options, {})}` });
}

/** Names the headings in GitHub's form. */
function addAnchors(tokens: readonly Token[]): void {
  const counts = new Map<string, number>();
  tokens.forEach((token, at) => {
    if (token.type !== 'heading_open') return;
    const words = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join('');
    const anchor = words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    token.attrSet('id', count === 0 ? anchor : `${anchor}-${count}`);
  });
}

/** Gives each link its address here. A link to what is not served becomes its text. */
function changeLinks(tokens: readonly Token[], addressOfLink: (link: string) => string | null): void {
  let isServed = true;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const address = addressOfLink(String(token.attrGet('href') ?? ''));
      isServed = address !== null;
      token.attrs = address === null ? [] : [['href', address]];
    }
    if (token.type.startsWith('link_') && !isServed) token.tag = 'span';
  }
}

function addressOf(link: string, folder: string, root: string, pages: ReadonlyMap<string, string>): string | null {
  if (/^(?:[a-z]+:|#)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = posix.join(folder, path);
  const fragment = anchor === undefined ? '' : `#${anchor}`;
  if (target === 'README.md') return `${root}manual${fragment}`;
  if (target === 'docs/openapi.yaml') return `${root}openapi.json`;
  const name = /^docs\/([\w-]+)\.md$/.exec(target)?.[1];
  return name !== undefined && pages.has(name) ? `${root}manual/${name}${fragment}` : null;
}
