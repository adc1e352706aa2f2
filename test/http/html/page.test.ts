import { expect, test } from 'vitest';
import type { PageState } from '../../../src/domain/states.ts';
import { pageHtml } from '../../../src/http/html/page.ts';

const about = { slug: 'news', title: 'News' };
const html = (page: PageState['page']) => pageHtml({ page, createdAt: 0, updatedAt: 0 });
const shown = (contentMd: string) => html({ ...about, pageType: 'markdown', contentMd });

test('Markdown is rendered', () => {
  const page = shown('# Patch 1.1\n\nAll *new*:\n\n- **slow**\n- `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n');
  for (const part of ['<h1>Patch 1.1</h1>', '<em>new</em>', '<strong>slow</strong>', '<code>code</code>', '<td>2</td>']) {
    expect(page).toContain(part);
  }
});

test('a text without a heading is under its title, and one with a heading has no second one', () => {
  expect(shown('Hello')).toContain('<h1>News</h1>');
  expect(shown('# Other').match(/<h1>/g)).toHaveLength(1);
});

test('HTML that an author wrote is text', () => {
  const page = html({ slug: 'x', title: '<b>"x"', pageType: 'markdown', contentMd: '<script>alert(1)</script> & more' });
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; more');
  expect(page).toContain('<h1>&lt;b&gt;&quot;x&quot;</h1>');
  expect(html({ ...about, pageType: 'keyvalue', kvData: { '<i>': '<u>' } })).toContain('<dt>&lt;i&gt;</dt><dd>&lt;u&gt;</dd>');
});

test.each(['https://games.example/a?b=c', 'http://games.example', 'mailto:help@games.example', 'terms'])('a link to %s', (address) => {
  expect(shown(`[here](${address})`)).toContain(`<a href="${address}">here</a>`);
});

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
])('no link to %s, and no picture from there', (address) => {
  expect(shown(`[here](${address}) ![here](${address}) <${address}>\n\n[r]\n\n[r]: ${address}`)).not.toMatch(/<a |<img /);
});

test('no picture is loaded: it is a link', () => {
  expect(shown('![map](https://games.example/map.png)')).toContain('!<a href="https://games.example/map.png">map</a>');
});

test('what would take long to format is shown as it was written', () => {
  expect(shown(`${'['.repeat(2_001)}\n\n*short*`)).toMatch(/<p>\[+<\/p>\n<p><em>short<\/em>/);
  expect(shown('# a\n'.repeat(2_001))).toContain('<pre class="plain"># a\n');
  expect(shown(`${'|a'.repeat(100)}\n${'|-'.repeat(100)}\n`)).not.toContain('<table>');
});

test('a page is formatted once for each of its states', () => {
  const state = { page: { ...about, pageType: 'keyvalue', kvData: {} }, createdAt: 0, updatedAt: 0 } as const;
  expect(pageHtml(state)).toBe(pageHtml(state));
});

test('the document of a page shows its status and when it changed, and fits a phone', () => {
  const page = html({ ...about, pageType: 'markdown', contentMd: 'EU', statusLevel: 'degraded' });
  expect(page).toContain('<p>Status: <strong>degraded</strong></p>');
  expect(page).toContain('Changed 1970-01-01T00:00:00.000Z');
  expect(page).toContain('name="viewport"');
  expect(shown('EU')).not.toContain('Status:');
});
