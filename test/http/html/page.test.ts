import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { PageState } from '../../../src/domain/states.ts';
import { pageHtml } from '../../../src/http/html/page.ts';

const about = { slug: 'news', title: 'News' };
const html = (page: PageState['page']) => pageHtml({ page, createdAt: 0, updatedAt: 0 });
const shown = (contentMd: string) => html({ ...about, pageType: 'markdown', contentMd });

test('Markdown is rendered', async () => {
  const page = await shown('# Patch 1.1\n\nAll *new*:\n\n- **slow**\n- `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n');
  for (const part of ['<h1>Patch 1.1</h1>', '<em>new</em>', '<strong>slow</strong>', '<code>code</code>', '<td>2</td>']) {
    expect(page).toContain(part);
  }
});

test('a text without a heading is under its title, and one with a heading has no second one', async () => {
  expect(await shown('Hello')).toContain('<h1>News</h1>');
  expect((await shown('# Other')).match(/<h1>/g)).toHaveLength(1);
});

test('HTML that an author wrote is text', async () => {
  const page = await html({ slug: 'x', title: '<b>"x"', pageType: 'markdown', contentMd: '<script>alert(1)</script> & more' });
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; more');
  expect(page).toContain('<h1>&lt;b&gt;&quot;x&quot;</h1>');
  expect(await html({ ...about, pageType: 'keyvalue', kvData: { '<i>': '<u>' } })).toContain('<dt>&lt;i&gt;</dt><dd>&lt;u&gt;</dd>');
});

test.each(['https://games.example/a?b=c', 'http://games.example', 'mailto:help@games.example', 'terms'])(
  'a link to %s',
  async (address) => {
    expect(await shown(`[here](${address})`)).toContain(`<a href="${address}">here</a>`);
  },
);

test.each([
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  'java&#115;cript:alert(1)',
  'data:text/html,x',
  'data:image/png;base64,AAAA',
  'vbscript:x',
  'file:///etc/passwd',
  '//games.example',
  '../../docs',
])('no link to %s, and no picture from there', async (address) => {
  expect(await shown(`[here](${address}) ![here](${address}) <${address}>\n\n[r]\n\n[r]: ${address}`)).not.toMatch(/<a |<img /);
});

test('no picture is loaded: it is a link', async () => {
  expect(await shown('![map](https://games.example/map.png)')).toContain('<p><a href="https://games.example/map.png">map</a></p>');
  const linked = await shown('[see ![map](https://games.example/map.png)](https://games.example)');
  expect(linked).toContain('<a href="https://games.example">see map</a>');
});

const LENGTH = 20_000;
const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const paragraphs = (unit: string, length: number) => Array.from({ length: LENGTH / (length + 2) }, () => filled(unit, length)).join('\n\n');

/** How many characters each turn of the event loop looked at while a text was formatted. */
async function workOf(contentMd: string): Promise<readonly number[]> {
  const { charCodeAt } = String.prototype;
  const turns = [0];
  const count = function (this: string, at: number) {
    turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
    return charCodeAt.call(this, at);
  };
  Object.defineProperty(String.prototype, 'charCodeAt', { value: count, configurable: true, writable: true });
  try {
    let isDone = false;
    const done = shown(contentMd).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await setImmediate();
      turns.push(0);
    }
    await done;
  } finally {
    Object.defineProperty(String.prototype, 'charCodeAt', { value: charCodeAt, configurable: true, writable: true });
  }
  return turns;
}

// Found by trying every mark: each of them took hundreds of milliseconds of one turn.
test.each([
  ...['[', '![', '[[]', '*a_', '**a*', '((', '`a``', '<a', '&', '[](', '[x](<', '"'].flatMap((unit) =>
    [50, 100, 500, 2_000].map((length) => [`${length} × ${unit}`, paragraphs(unit, length)] as const),
  ),
  ...['> ', '- ', '1. ', '>- ', '# ', '===', '[a]: b', '| a '].flatMap((unit) => [
    [`lines of ${unit}`, Array.from({ length: 400 }, () => filled(unit, 49)).join('\n')] as const,
    [`paragraphs of ${unit}`, paragraphs(unit, 90)] as const,
    [`one line of ${unit}`, filled(unit, LENGTH)] as const,
  ]),
  ['nested lists', Array.from({ length: 700 }, (_, n) => `${' '.repeat(Math.min(2 * n, 140))}- x`).join('\n')] as const,
  ['a table', `${filled('|a', 38)}\n${filled('|-', 38)}\n${`${filled('|*a*', 48)}\n`.repeat(400)}`] as const,
])('one turn does a bounded part of %s', async (_, text) => {
  const turns = await workOf(text);
  expect(Math.max(...turns)).toBeLessThan(500_000);
});

test('a column is aligned as its author says, by a class: the policy of a document lets no element style itself', async () => {
  const page = await shown('| a | b |\n|---:|:---:|\n| 1 | 2 |');
  expect(page).toContain('<td class="right">1</td>\n<td class="center">2</td>');
  expect(page).not.toContain('style="');
});

test('a long text is formatted whole, in several turns', async () => {
  const news = '## Patch\n\nA *new* [door](https://games.example/door), see [notes] and `code`.\n\n- first\n\n  still first\n- second\n\n';
  const list = Array.from({ length: 1_300 }, (_, n) => `- **Fix ${n}**: the [door](https://games.example) opens`).join('\n');
  const page = await shown(`${news.repeat(300)}${list}\n\n[notes]: https://games.example/notes\n`);
  const counts = ['<h2>', '<em>new</em>', '"https://games.example/notes"', '<p>still first</p>', '<strong>Fix'].map(
    (part) => page.split(part).length - 1,
  );
  expect(counts).toEqual([300, 300, 300, 300, 1_300]);
  expect(page).not.toContain('<pre');
  expect((await workOf(news.repeat(300))).length).toBeGreaterThan(5);
});

test('what would take long to format is shown as it was written, and only that', async () => {
  expect(await shown(`${'['.repeat(2_001)}\n\n*short*`)).toMatch(/<p>\[+<\/p>\n<p><em>short<\/em>/);
  expect(await shown(`${filled('|a', 200)}\n${filled('|-', 200)}\n`)).not.toContain('<table>');
  const page = await shown(`${'x\n'.repeat(1_000)}\n*after*`);
  expect(page).toContain('<pre class="plain">x\n');
  expect(page).toContain('<em>after</em>');
});

test('a page is formatted once for each of its states', () => {
  const state = { page: { ...about, pageType: 'keyvalue', kvData: {} }, createdAt: 0, updatedAt: 0 } as const;
  expect(pageHtml(state)).toBe(pageHtml(state));
});

test('the document of a page shows its status and when it changed, and fits a phone', async () => {
  const page = await html({ ...about, pageType: 'markdown', contentMd: 'EU', statusLevel: 'degraded' });
  expect(page).toContain('<p>Status: <strong>degraded</strong></p>');
  expect(page).toContain('Changed <time datetime="1970-01-01T00:00:00.000Z">1970-01-01 00:00 UTC</time>');
  expect(page).toContain('name="viewport"');
  expect(await shown('EU')).not.toContain('Status:');
});
