import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES, ROOT, textOfPage } from './support/pages.ts';

/** The text without code, where brackets have another meaning. */
function prose(page: string): string {
  return textOfPage(page)
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()#]/g, ''));
}

/** The anchors of a page's headings, in GitHub's form. */
function anchorsOf(page: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const headings = [
    ...textOfPage(page)
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/^#{1,6} (.+)$/gm),
  ];
  return new Set(
    headings.map(([, heading = '']) => {
      const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const anchor = words.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
      const count = counts.get(anchor) ?? 0;
      counts.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

/** What is wrong with a page's links to files of the repository. */
function brokenLinks(page: string): readonly string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(target).has(anchor);
  });
}

describe('every link leads somewhere, to a file and to a heading', () => {
  test.each(PAGES)('%s', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });
});

test('every page of docs can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    for (const [, link = ''] of prose(page).matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)) {
      const target = normalize(join(dirname(page), link));
      if (PAGES.includes(target)) reached.add(target);
    }
  }
  expect(PAGES.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
});

test('pages for developers name source files that exist', () => {
  const folders = ['src', 'projections', 'infra', 'test'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  const named = ['docs/architecture.md', 'CONTRIBUTING.md'].flatMap((page) =>
    [...textOfPage(page).matchAll(/`([\w./-]+\.(?:ts|sql))`/g)].map(([, file = '']) => file),
  );
  expect(named.filter((file) => !files.some((one) => one === file || one.endsWith(`/${file}`)))).toEqual([]);
});
