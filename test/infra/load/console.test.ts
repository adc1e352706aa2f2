import { expect, test } from 'vitest';
import type { Turn } from '../../../infra/load/console-beside.ts';
import { PAGE_NAMES } from '../../../infra/load/console-pages.ts';
import { type Asked, planOf } from '../../../infra/load/console-replay.ts';
import { difference } from '../../../infra/load/console-scans.ts';
import { added, BESIDE_HEAD, besideRows, over, pageHead, pageRows, spread } from '../../../infra/load/console-table.ts';
import type { Visit } from '../../../infra/load/console-visits.ts';

const asked = (atMs: number, path: string, isStream = false): Asked => ({ atMs, path, isStream, headers: {} });

test('what an open page goes on asking for is its streams and what it reads again, whatever hour it asks for', () => {
  const stream = asked(40, '/v3/live/p?topic=publishes', true);
  const later = asked(10_030, '/v3/manage/p/logs/summary?from=2026-11-29T11:00:10.000Z');
  const all = [
    asked(0, '/api/session'),
    asked(20, '/api/session'),
    asked(30, '/v3/manage/p/logs/summary?from=2026-11-29T11:00:00.000Z'),
    stream,
    later,
  ];
  expect(planOf(all)).toEqual({ streams: [stream], repeated: [{ asked: later, everyMs: 10_000 }] });
});

test('commits after a revision are something else than the first page of them', () => {
  const all = [asked(0, '/commits?limit=30'), asked(9_000, '/commits?from=12&limit=10')];
  expect(planOf(all).repeated).toEqual([]);
});

const visit = (ms: number): Visit => ({ ms, paintedMs: null, pageCpuMs: 50.4, nodeCpuMs: 10 });

test('a page is judged by the middle of its times, and one that is over is marked', () => {
  const pages = [
    { name: 'Activity', visits: { 'by a link': [visit(120), visit(900), visit(99.6)] } },
    { name: 'its editor', visits: { 'by a link': [visit(320), visit(301)] } },
    { name: 'keys', visits: { 'by a link': [] } },
  ];
  expect(pageHead(['by a link'])).toEqual(['page', 'by a link, ms', "page's CPU", "node's CPU"]);
  expect(pageRows(pages, ['by a link'])).toEqual([
    ['Activity', '100 120 900', '50', '10'],
    ['its editor', '301 320 320 over', '50', '10'],
    ['keys', '–', '–', '–'],
  ]);
  expect(over(pages)).toEqual(['its editor by a link']);
});

test('by its address a page has a first paint, too', () => {
  const pages = [{ name: 'keys', visits: { 'by its address': [{ ...visit(200), paintedMs: 150 }] } }];
  const row = pageRows(pages, ['by its address'])[0];
  expect(row).toEqual(['keys', '200 200 200', '150', '50', '10']);
  expect(row).toHaveLength(pageHead(['by its address']).length);
});

test('states are compared within each turn, and told by the middle of that', () => {
  expect(added([4, 4, 2], [4.4, 4, 2.4])).toBe('+10 %');
  expect(added([100], [93])).toBe('−7 %');
  expect(added([], [])).toBe('–');
  expect(spread([3, 1, 2.26], 1)).toBe('1.0 2.3 3.0');
});

test('a figure that is not known leaves its cells empty', () => {
  const even = { p50Ms: 2, p99Ms: 8, maxMs: 9, nodeMsPerSecond: null, failures: {} };
  const turn = (state: Turn['state'], p99Ms: number): Turn => ({ state, rows: [], even: { ...even, p99Ms }, lost: null });
  const rows = besideRows([turn('no console', 8), turn('ten consoles', 12), turn('their requests alone', 10)]);
  expect(rows.find(([name]) => name?.includes('p99'))).toEqual([
    'a small game: p99 ms',
    '8.0 8.0 8.0',
    '10.0 10.0 10.0',
    '12.0 12.0 12.0',
    '+25 %',
    '+20 %',
  ]);
  for (const row of rows) expect(row).toHaveLength(BESIDE_HEAD.length);
  expect(rows.find(([name]) => name?.includes('a second'))?.slice(1)).toEqual(['–', '–', '–', '–', '–']);
});

test('tables that were read through are told with what came since, most first', () => {
  expect(difference({ jobs: 5, keys: 7 }, { jobs: 6, keys: 7, documents: 300 })).toEqual({ documents: 300, jobs: 1 });
});

test('no page has the name of another one', () => {
  expect(new Set(PAGE_NAMES).size).toBe(PAGE_NAMES.length);
});
