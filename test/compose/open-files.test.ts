import { expect, test } from 'vitest';
import { connectionBounds } from '../../src/compose/open-files.ts';

test('a process keeps files for itself, and streams leave some to other requests', () => {
  expect(connectionBounds('1024', false)).toEqual({ connections: 896, toConsole: 0, streams: 672 });
  expect(connectionBounds('64', false)).toEqual({ connections: 32, toConsole: 0, streams: 24 });
  for (const limit of ['unlimited', null]) expect(connectionBounds(limit, true).streams).toBe(Number.POSITIVE_INFINITY);
});

test('connections to the console take an eighth at most, and none of those that games have', () => {
  expect(connectionBounds('1024', true)).toEqual({ connections: 784, toConsole: 112, streams: 588 });
});
