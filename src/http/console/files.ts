import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { notFound } from '../../kernel/errors.ts';
import type { Answer } from '../answer.ts';
import { DOCUMENT_HEADERS, HTML_TYPE, htmlDocument } from '../html/document.ts';

/** The built page of the console. Files under `assets` have the hash of their content in their names, and are kept for ever by browsers. */

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const COMPRESSED: ReadonlySet<string> = new Set(['.js', '.css', '.svg', '.json', '.txt']);
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASSETS = '/assets/';

interface StoredFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly zipped: Buffer | null;
  readonly tag: string;
}

/** Where somebody comes who is not signed in: who is, is not asked there. */
const SIGN_IN = '/sign-in';
const ASKS_WHO = /<link [^>]*href="\/api\/session"[^>]*>\n?/;

export class ConsoleFiles {
  readonly #folder: string;
  readonly #files = new Map<string, Promise<StoredFile>>();
  #paths: Promise<ReadonlyMap<string, string>> | null = null;
  /** Of the page that the paths belong to. */
  #tag = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The answer to a path: a file, else the page, which finds its way by the path itself. */
  async answer(path: string, acceptsGzip: boolean): Promise<Answer> {
    const file = existsSync(join(this.#folder, 'index.html')) ? (await this.#listed()).get(path) : undefined;
    if (file !== undefined) return fileAnswer(path, await this.#read(file), acceptsGzip);
    if (path.startsWith(ASSETS)) throw notFound('route', 'The console has no such file');
    return this.#page(path);
  }

  /** The page, whose scripts and styles run by a nonce of this one answer. It is read anew, because a build may have replaced it. */
  async #page(path: string): Promise<Answer> {
    const index = join(this.#folder, 'index.html');
    if (!existsSync(index))
      return { text: NOT_BUILT, contentType: HTML_TYPE, headers: { ...DOCUMENT_HEADERS, 'Cache-Control': 'no-store' } };
    const nonce = randomBytes(16).toString('base64');
    const whole = (await readFile(index, 'utf8')).replaceAll('__NONCE__', nonce);
    const text = path === SIGN_IN ? whole.replace(ASKS_WHO, '') : whole;
    return { text, contentType: HTML_TYPE, headers: { 'Content-Security-Policy': policyOf(nonce), 'Cache-Control': 'no-store' } };
  }

  /**
   * Paths of the files that there are, so no path of a request is ever looked up on the disk. A rebuilt page has other names, which are
   * listed anew.
   */
  async #listed(): Promise<ReadonlyMap<string, string>> {
    const index = await readFile(join(this.#folder, 'index.html'));
    const tag = tagOf(index);
    if (this.#paths === null || this.#tag !== tag) {
      this.#tag = tag;
      this.#files.clear();
      this.#paths = filesIn(this.#folder);
    }
    return this.#paths;
  }

  #read(file: string): Promise<StoredFile> {
    const known = this.#files.get(file) ?? storedFile(file);
    this.#files.set(file, known);
    return known;
  }
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'index.html').map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [`/${relative(folder, file).split(sep).join('/')}`, file]));
}

async function storedFile(file: string): Promise<StoredFile> {
  const bytes = await readFile(file);
  const extension = extname(file);
  const zipped = COMPRESSED.has(extension) ? await promisify(gzip)(bytes, { level: 9 }) : null;
  return { type: TYPES[extension] ?? 'application/octet-stream', bytes, zipped, tag: tagOf(bytes) };
}

function fileAnswer(path: string, { type, bytes, zipped, tag }: StoredFile, acceptsGzip: boolean): Answer {
  const isZipped = acceptsGzip && zipped !== null;
  return {
    text: isZipped ? zipped : bytes,
    contentType: type,
    headers: {
      'Cache-Control': path.startsWith(ASSETS) ? FOR_EVER : 'no-cache',
      ETag: tag,
      Vary: 'Accept-Encoding',
      ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}),
    },
  };
}

function tagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

/** Scripts and styles of this server that the page names, and nothing from elsewhere. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const NOT_BUILT = htmlDocument({
  title: 'Console · Savepoint',
  root: '/',
  body: '<h1>The console is not built</h1>\n<p>This node runs, and its console has no page yet. In the repository <code>npm run build</code> makes it; then load this page again.</p>',
});
