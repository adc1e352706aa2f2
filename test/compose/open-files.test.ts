import { expect, test } from 'vitest';
import { connectionBounds } from '../../src/compose/open-files.ts';

test('a process keeps files for itself, and streams leave some to other requests', () => {
  expect(connectionBounds('1024')).toEqual({ connections: 896, streams: 672 });
  expect(connectionBounds('64')).toEqual({ connections: 32, streams: 24 });
  for (const limit of ['unlimited', null]) expect(connectionBounds(limit).streams).toBe(Number.POSITIVE_INFINITY);
});
