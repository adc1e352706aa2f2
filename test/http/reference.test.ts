import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '../../src/contract/openapi.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('the reference of the API', () => {
  it('is served as OpenAPI, to anybody', async () => {
    const { status, json, headers } = await server.send('GET', '/openapi.json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toEqual(JSON.parse(JSON.stringify(openApi('0.0.0'))));
  });

  it('has a page that loads what the server itself serves, and nothing else', async () => {
    const page = await server.send('GET', '/docs');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.text).not.toMatch(/https?:\/\//);
    const names = [...page.text.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, name = '']) => name);
    expect(names.map((name) => name.replace(/\.[0-9a-f]{12}\./, '.'))).toEqual([
      'docs/swagger-ui.css',
      'docs/page.css',
      'docs/swagger-ui-bundle.js',
      'docs/page.js',
    ]);
    for (const name of names) {
      const asset = await server.send('GET', `/${name}`);
      expect([name, asset.status, asset.headers['cache-control']]).toEqual([name, 200, 'public, max-age=31536000, immutable']);
      expect(asset.text).not.toContain('sourceMappingURL');
    }
    expect((await server.send('GET', '/docs/swagger-ui.css')).status).toBe(404);
    expect((await server.send('GET', '/docs/..%2fpackage.json')).status).toBe(404);
  });

  it('has a page under the path with a slash, too', async () => {
    const { status, headers } = await server.send('GET', '/docs/');
    expect([status, new URL(headers['location'] ?? '', 'http://a/docs/').pathname]).toEqual([308, '/docs']);
    const manual = await server.send('GET', '/manual/');
    expect([manual.status, new URL(manual.headers['location'] ?? '', 'http://a/manual/').pathname]).toEqual([308, '/manual']);
    expect((await server.send('GET', '/health/')).status).toBe(404);
  });

  it('declares the headers that its page sends', async () => {
    const { json } = await server.send('GET', '/openapi.json');
    const declared = Object.keys(Object(json).paths['/docs'].get.responses['200'].headers).map((name) => name.toLowerCase());
    const { headers } = await server.send('GET', '/docs');
    const own = Object.keys(headers).filter(
      (name) => !/^(?:content-(?:type|length|encoding)|date|connection|keep-alive|vary|transfer-encoding)$/.test(name),
    );
    expect(declared.sort()).toEqual(own.sort());
  });

  it('is named by what the address of the server answers: a page to browsers, JSON to others', async () => {
    const { status, json } = await server.send('GET', '/');
    expect([status, json]).toMatchObject([
      200,
      { ok: true, docs: 'docs', manual: 'manual', openapi: 'openapi.json', health: 'health', ready: 'ready' },
    ]);
    const page = await server.send('GET', '/', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const path of ['docs', 'manual', 'openapi.json', 'health', 'ready']) expect(page.text).toContain(`href="${path}"`);
    expect(page.text).toContain('Status: <strong>ready</strong>');
    server.ready = { status: 'log-unavailable', away: ['log'], version: 'test' };
    const later = await server.send('GET', '/', { headers: { accept: 'text/html' } });
    expect([later.status, later.text]).toEqual([200, expect.stringContaining('Status: <strong>not available: log away</strong>')]);
    server.ready = { status: 'ready', version: 'test' };
    const icon = await server.send('GET', '/favicon.svg');
    expect([icon.status, icon.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect((await server.send('GET', '//docs')).status).toBe(404);
  });

  it('has the manual beside it, whose links lead to its pages and headings', async () => {
    const pages = new Map<string, string>();
    const ids = (text: string) => new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
    const read = async (path: string) => {
      const known = pages.get(path);
      if (known !== undefined) return known;
      const { status, text, headers } = await server.send('GET', path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      pages.set(path, text);
      return text;
    };
    const queue = ['/manual'];
    const broken: string[] = [];
    for (const from of queue) {
      for (const [, href = ''] of (await read(from)).matchAll(/<a href="([^"]+)"/g)) {
        const { origin, pathname, hash } = new URL(href, `http://a${from}`);
        if (origin !== 'http://a' || !pathname.startsWith('/manual')) continue;
        if (!pages.has(pathname) && !queue.includes(pathname)) queue.push(pathname);
        if (hash !== '' && !ids(await read(pathname)).has(decodeURIComponent(hash.slice(1)))) broken.push(`${from} → ${href}`);
      }
    }
    expect(broken).toEqual([]);
    expect(queue).toHaveLength(readdirSync('docs').filter((name) => name.endsWith('.md')).length + 1);
    expect(pages.get('/manual/owasp')).toContain('<br>');
    // Pictures are not served: the manual says what they show.
    expect([...pages].filter(([, text]) => text.includes('<img')).map(([path]) => path)).toEqual([]);
    expect(pages.get('/manual/console')).toContain('(Picture: What would be restored)');
    for (const path of ['/manual/none', '/manual/README', '/manual/..%2f..%2fpackage'])
      expect((await server.send('GET', path)).status).toBe(404);
  });

  it('is switched off by the setting', async () => {
    const quiet = await startServer({ apiDocs: false });
    for (const path of ['/manual', '/manual/', '/manual/security', '/openapi.json', '/docs', '/docs/', '/docs/page.js'])
      expect((await quiet.send('GET', path)).status).toBe(404);
    expect((await quiet.send('GET', '/')).json).not.toHaveProperty('docs');
    await quiet.stop();
  });
});
