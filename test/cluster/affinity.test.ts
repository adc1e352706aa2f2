import { expect, test } from 'vitest';
import { memberFor, peekProject } from '../../src/cluster/affinity.ts';

test.each([
  ['GET /v3/storage/p1/players/7 HTTP/1.1\r\n', { project: 'p1' }],
  ['POST /v1/endpoints/p1/buy?apiKey=x HTTP/1.1\r\n', { project: 'p1' }],
  ['GET /api/storage/p1/a/b', { project: 'p1' }],
  ['GET /v3/values/p1?apiKey=', { project: 'p1' }],
  ['GET /v3/values/p1 HTTP', { project: 'p1' }],
  ['GET /pages/p1/index.html HTTP/1.1', { project: 'p1' }],
  ['GET /health HTTP/1.1\r\n', 'none'],
  ['GET /v3/server-info HTTP/1.1\r\n', 'none'],
  ['GET /v3/storage/p%31/x HTTP/1.1\r\n', 'none'],
  ['\u0016\u0003\u0001\n', 'none'],
  ['GET /v3/stor', 'more'],
  ['GET /v3/values/p1', 'more'],
  ['', 'more'],
  ['x'.repeat(2000), 'none'],
])('the first bytes %j tell %j', (head, told) => {
  expect(peekProject(Buffer.from(head, 'latin1'))).toEqual(told);
});

const keys = Array.from({ length: 1000 }, (_, n) => `p${n * 7919}`);

test('keys are distributed over the members about evenly', () => {
  const counts = new Map<number, number>();
  for (const key of keys) {
    const place = memberFor(key, [0, 1, 2, 3]) ?? -1;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual([0, 1, 2, 3]);
  for (const count of counts.values()) expect(count).toBeGreaterThan(150);
});

test('when a member goes, only its own keys move', () => {
  for (const key of keys) {
    const before = memberFor(key, [0, 1, 2]);
    const after = memberFor(key, [0, 2]);
    if (before === 1) expect([0, 2]).toContain(after);
    else expect(after).toBe(before);
  }
  expect(memberFor('p', [])).toBeUndefined();
});
