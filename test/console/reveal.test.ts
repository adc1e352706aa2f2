import { expect, test, vi } from 'vitest';
import { hide, hideAll, OF_PUBLISHING, ofKind, REVEALED_MS, reasonAt, reasonFor, reveal } from '../../src/console/api/reveal.ts';

test('the reason of a board goes with its rows, and with no other board', () => {
  reveal('demo', ofKind('board', 'richest'), 'a prize');
  expect(reasonAt('/v3/queries/demo/richest?platformId=42&around=10')).toBe('a prize');
  expect(reasonAt('/v3/queries/demo/fastest')).toBeUndefined();
  expect(reasonAt('/v3/storage/demo/richest')).toBeUndefined();
  hideAll();
});

test('the reason of a currency, of an endpoint and of what is published goes with these, and with no others', () => {
  reveal('demo', ofKind('currency', 'a b'), 'books');
  reveal('demo', ofKind('endpoint', 'same'), 'tried');
  reveal('demo', OF_PUBLISHING, 'fits');
  const dry = (slug: string) => reasonAt('/v3/manage/demo/test-endpoint', JSON.stringify({ slug, platformId: '42' }));
  expect([reasonAt('/v3/manage/demo/economy/flows?by=field&currency=a%20b'), reasonAt('/v3/manage/demo/economy?currency=b')]).toEqual([
    'books',
    undefined,
  ]);
  expect([dry('same'), dry('other'), reasonAt('/v3/manage/demo/buttons/same', '{}'), reasonAt('/v3/endpoints/demo/same')]).toEqual([
    ...['tried', undefined, 'tried', undefined],
  ]);
  const paths = ['promote', 'rollback?dryRun=true', 'sync', 'sync/preflight', 'publishes'];
  reveal('demo', ofKind('undone commit', '41'), 'undone');
  expect([41, 42].map((revision) => reasonAt('/v3/manage/demo/undo', JSON.stringify({ revision })))).toEqual(['undone', undefined]);
  expect(paths.map((path) => reasonAt(`/v3/manage/demo/${path}`))).toEqual([...Array(4).fill('fits'), undefined]);
  hideAll();
});

test('a reason goes with reads that name the player, for ten minutes, and with no other', () => {
  vi.useFakeTimers();
  reveal('demo', '42', 'ticket 7');
  expect(
    [
      '/v3/manage/demo/players/42?limit=3',
      '/v3/storage/demo/saves/42_slot/history',
      '/v3/storage/demo/saves/42',
      '/v3/manage/demo/corrections/saves/42',
    ].map(reasonAt),
  ).toEqual([...['ticket 7', 'ticket 7', 'ticket 7', 'ticket 7']]);
  expect(
    ['/v3/manage/demo/players/43', '/v3/manage/other/players/42', '/v3/manage/demo/commits?player=42', '/api/session'].map(reasonAt),
  ).toEqual([...[undefined, undefined, undefined, undefined]]);
  vi.advanceTimersByTime(REVEALED_MS + 1);
  expect(reasonFor('demo', '42')).toBeUndefined();
  reveal('demo', '42', 'again');
  hide('demo', '42');
  expect(reasonFor('demo', '42')).toBeUndefined();
  reveal('demo', '42', 'of somebody who signs out');
  hideAll();
  expect(reasonFor('demo', '42')).toBeUndefined();
  vi.useRealTimers();
});
