import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const TESTS = 'test/console';
const ROUTE = /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(?:path|id): '([^']*)'/g;

/** The address of each page that the router shows, with its parameters by name. */
function pagesOfRouter(): readonly string[] {
  const pages: string[] = [];
  const addresses = new Map([['root', '']]);
  for (const [, name = '', parent = '', path = ''] of readFileSync('src/console/router.tsx', 'utf8').matchAll(ROUTE)) {
    const rest = path.startsWith('/') && path !== '/' ? path : '';
    const address = `${addresses.get(parent)}${rest}`;
    addresses.set(name, address);
    pages.push(address === '' ? '/' : address);
  }
  return pages;
}

/** The addresses that the tests show to axe-core, with `x` for what they fill in. */
function pagesOfTests(): readonly string[] {
  const texts = readdirSync(TESTS).flatMap((file) => (file.endsWith('.test.ts') ? [readFileSync(join(TESTS, file), 'utf8')] : []));
  const calls = texts.flatMap((text) => [...text.matchAll(/expectOpen(ToAll|At)\([^[]*\[([^\]]*)\]/g)]);
  return calls.flatMap(([, how, list = '']) =>
    [...list.matchAll(/'([^']*)'|`([^`]*)`/g)].map(([, plain, template = '']) => {
      const path = (plain ?? template.replace(/^\$\{origin\}/, '').replace(/\$\{[^}]*\}/g, 'x')).replace(/\?.*/, '');
      return how === 'ToAll' ? `/p/x${path}` : path;
    }),
  );
}

test('axe-core looks at every page of the router', () => {
  const shown = new Set(pagesOfTests());
  const isShown = (page: string) => [...shown].some((address) => new RegExp(`^${page.replace(/\$\w+/g, '[^/]+')}$`).test(address));
  const pages = pagesOfRouter();
  expect(pages).toEqual(expect.arrayContaining(['/', '/sign-in/back', '/p/$project', '/p/$project/players/$player/restore']));
  expect(pages.filter((page) => !isShown(page))).toEqual([]);
});
