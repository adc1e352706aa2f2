import { expect, test } from 'vitest';
import type { PageSaved } from '../../../src/domain/events.ts';
import { evolvePage, pageBody, removePage, type SavePage, savePage } from '../../../src/domain/page/page.ts';
import type { PageState } from '../../../src/domain/states.ts';
import { Refusal } from '../../../src/kernel/errors.ts';

const NEWS: SavePage = { slug: 'news', title: ' News ', type: 'markdown', content: '# Hi', statusLevel: null };

function saved(changes: Partial<SavePage> = {}): PageSaved {
  const event = savePage({ ...NEWS, ...changes });
  if (event instanceof Refusal || event.type !== 'page.saved') throw event;
  return event.data;
}

const state = (page: PageSaved): PageState => ({ page, createdAt: 1_000, updatedAt: 2_000 });

test('a page is a text under a title, or an object of keys and values', () => {
  expect(saved()).toEqual({ slug: 'news', title: 'News', pageType: 'markdown', contentMd: '# Hi' });
  expect(saved({ type: 'keyvalue', content: '{"eu":"up"}', statusLevel: 'ok' })).toEqual({
    slug: 'news',
    title: 'News',
    pageType: 'keyvalue',
    kvData: { eu: 'up' },
    statusLevel: 'ok',
  });
});

test.each<[string, Partial<SavePage>]>([
  ['a capital in its name', { slug: 'News' }],
  ['a name that starts with a dash', { slug: '-news' }],
  ['a blank title', { title: ' ' }],
  ['a title over 120 characters', { title: 'x'.repeat(121) }],
  ['more than 100 000 characters', { content: 'x'.repeat(100_001) }],
  ['half a character', { content: '\ud800' }],
  ['keys and values that are a list', { type: 'keyvalue', content: '[1]' }],
  ['keys and values that are no JSON', { type: 'keyvalue', content: '{' }],
  ['a status level with a blank', { statusLevel: 'all fine' }],
])('refused: %s', (_, changes) => {
  expect(savePage({ ...NEWS, ...changes })).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
});

test('a page that is saved again keeps its creation time; a removed page is gone, and cannot be removed again', () => {
  const first = evolvePage(null, { type: 'page.saved', data: saved() }, 1_000);
  const second = evolvePage(first, { type: 'page.saved', data: saved({ title: 'Other' }) }, 2_000);
  expect(second).toMatchObject({ page: { title: 'Other' }, createdAt: 1_000, updatedAt: 2_000 });
  expect(evolvePage(second, { type: 'page.removed', data: { slug: 'news' } }, 3_000)).toBe(null);
  expect(removePage(second, 'news')).toMatchObject({ type: 'page.removed' });
  expect(removePage(null, 'news')).toMatchObject({ status: 404 });
});

test('the answer describes the page; html is empty, and is left out for other formats', () => {
  const body = {
    ok: true,
    slug: 'news',
    title: 'News',
    type: 'markdown',
    statusLevel: null,
    updatedAt: '1970-01-01T00:00:02.000Z',
    markdown: '# Hi',
  };
  expect(pageBody(state(saved()), null)).toEqual({ ...body, html: '' });
  expect(pageBody(state(saved()), 'json')).toEqual({ ...body, html: '' });
  expect(pageBody(state(saved()), 'jsonmd')).toEqual(body);
  expect(pageBody(state(saved({ type: 'keyvalue', content: '{"n":76561198000000001}' })), 'jsonmd')).toHaveProperty('data');
});
