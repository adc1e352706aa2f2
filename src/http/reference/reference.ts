import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApi } from '../../contract/openapi.ts';

/**
 * The OpenAPI description and a page that shows it. The page loads nothing from other servers. The build puts its files beside this one;
 * when TypeScript runs directly they come from `node_modules`. Nothing is read before the first request.
 */
export class Reference {
  readonly #version: string;
  #openApi: string | null = null;
  #page: { readonly html: string; readonly assets: ReadonlyMap<string, Asset> } | null = null;

  constructor(version: string) {
    this.#version = version;
  }

  /** The description, as JSON text. */
  openApi(): string {
    const built = join(HERE, 'openapi.json');
    this.#openApi ??= existsSync(built) ? readFileSync(built, 'utf8') : JSON.stringify(openApi(this.#version));
    return this.#openApi;
  }

  html(): string {
    return this.#made().html;
  }

  /** A file of the page by its name. A changed file gets another name, so browsers may cache it for ever. */
  asset(name: string): Asset | undefined {
    return this.#made().assets.get(name);
  }

  #made() {
    this.#page ??= made();
    return this.#page;
  }
}

export interface Asset {
  readonly text: string;
  readonly contentType: AssetType;
}

type AssetType = 'text/javascript; charset=utf-8' | 'text/css; charset=utf-8';

const HERE = dirname(fileURLToPath(import.meta.url));
const LIBRARY = ['swagger-ui.css', 'swagger-ui-bundle.js'];
const OWN = ['page.css', 'page.js'];

function made() {
  const built = existsSync(join(HERE, LIBRARY[0] ?? ''));
  const library = built ? HERE : dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const files = [...LIBRARY.map((name) => join(library, name)), ...OWN.map((name) => join(HERE, name))];
  const assets = new Map(files.map(assetOf));
  const names = [...assets.keys()];
  const styles = names.filter((name) => name.endsWith('.css')).map((name) => `<link rel="stylesheet" href="docs/${name}">`);
  const scripts = names.filter((name) => name.endsWith('.js')).map((name) => `<script src="docs/${name}"></script>`);
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Savepoint: HTTP reference</title>
<link rel="icon" href="favicon.svg">
${styles.join('\n')}
</head><body><header><a href=".">This server</a><a href="manual">Manual</a><a href="openapi.json">openapi.json</a></header>
<main id="reference"><noscript>This page takes JavaScript; the description that it shows is <a href="openapi.json">openapi.json</a>.</noscript></main>
<details id="errors" hidden><summary>Errors, and what they mean</summary><dl></dl></details>
${scripts.join('\n')}
</body></html>
`;
  return { html, assets };
}

/** Names a file by its hash: `swagger-ui.1f2e3d4c5b6a.css`. Links to source maps are removed, because the maps are not served. */
function assetOf(path: string): [string, Asset] {
  const text = readFileSync(path, 'utf8').replace(/\n?(?:\/\/|\/\*)# sourceMappingURL=\S+(?: \*\/)?\s*$/, '\n');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const [, name = '', type = ''] = /([^/\\]+)\.(css|js)$/.exec(path) ?? [];
  return [`${name}.${hash}.${type}`, { text, contentType: type === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8' }];
}
