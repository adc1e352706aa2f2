import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { bars } from '../../../infra/load/report.ts';
import { newFolder, removeFolders, run } from '../../node/support/program.ts';

vi.setConfig({ testTimeout: 600_000 });

const program = (name: string) => join(import.meta.dirname, `../../../dist/infra/load/${name}.js`);

afterAll(removeFolders);

const isFigure = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value > 0;

test('bench writes the figures that are compared over time, with the number of workers, and compares CPU, not requests per second', async () => {
  const folder = newFolder();
  const files = { json: join(folder, 'result.json'), markdown: join(folder, 'table.md') };
  const sizes = ['--connections', '16', '--seconds', '0.2', '--workers', '2'];
  const words = ['--only', 'global.append', ...sizes, '--json', files.json, '--markdown', files.markdown];
  const ended = await run(words, { program: program('main') }).ended;
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stdout).toContain('2 workers');
  expect(ended.stdout).toMatch(/bare req\/s .+ CPU ratio/);
  expect(ended.stdout).not.toContain('≥');
  const [head] = readFileSync(files.markdown, 'utf8').split('\n');
  expect(head).toContain('| bare Koa CPU s/1000 | CPU ratio |');
  const result = JSON.parse(readFileSync(files.json, 'utf8'));
  expect(result).toMatchObject({ workers: 2, results: [{ case: 'global.append', connections: 16, non2xx: 0 }] });
  expect(result.bars).toContainEqual(expect.objectContaining({ name: 'warm start < 3000 ms' }));
  const [row] = result.results;
  for (const name of ['rps', 'bareRps', 'p50Ms', 'p99Ms']) expect([name, isFigure(row[name])]).toEqual([name, true]);
  // On systems without /proc.
  expect(result.rssMb === null || isFigure(result.rssMb)).toBe(true);
  if (result.rssMb === null) return;
  expect(row.cpuRatio).toBeCloseTo(row.nodeCpuPer1000 / row.bareCpuPer1000);
});

test('bench has a bar on the CPU of the node by that of the bare handler, at 128 connections, where CPU is known', () => {
  const row = { case: 'document.read', connections: 128, rps: 1, bareRps: 99, cpuRatio: 1.6 } as const;
  const starts = { coldMs: 1, warmMs: 1, warmWithDataMs: 1 };
  const barsOf = (more: object) => bars([{ ...row, ...more }], null, starts).filter(({ name }) => name.startsWith('document.read'));
  const name = "document.read: CPU by bare Koa's at 128 connections ≤ 1.7";
  expect(bars([row], null, starts)).toEqual([{ name, holds: true, found: 1.6, bar: 1.7 }, ...bars([], null, starts)]);
  expect(barsOf({ cpuRatio: 1.8 })).toEqual([{ name, holds: false, found: 1.8, bar: 1.7 }]);
  expect(barsOf({ cpuRatio: null })).toEqual([]);
  expect(barsOf({ connections: 16 })).toEqual([]);
});

test('bench:neighbours --json writes what the quiet project felt beside each noisy load', async () => {
  const file = join(newFolder(), 'result.json');
  const sizes = ['--seconds', '0.5', '--seeded', '100', '--rest', '0.1'];
  const words = ['--only', '/metrics', ...sizes, '--json', file];
  const ended = await run(words, { program: program('neighbours') }).ended;
  expect(ended.stdout, ended.stderr).toContain('/metrics and /health');
  const { lines } = JSON.parse(readFileSync(file, 'utf8'));
  expect(lines).toMatchObject([{ name: '/metrics and /health', failures: {}, noisy: { 200: expect.any(Number) } }]);
  for (const name of ['p50Ms', 'p99Ms', 'times']) expect([name, isFigure(lines[0][name])]).toEqual([name, true]);
});

test('bench:board --json writes what players felt while a board was filled, and what it took on the disk', async () => {
  const file = join(newFolder(), 'result.json');
  const sizes = ['--documents', '3000', '--rate', '50', '--seconds', '0.5', '--rest', '0.1'];
  const words = ['--only', 'a new board', ...sizes, '--json', file];
  const ended = await run(words, { program: program('board') }).ended;
  expect(ended.stdout, ended.stderr).toContain('a new board');
  const { lines } = JSON.parse(readFileSync(file, 'utf8'));
  expect(lines).toMatchObject([{ name: 'a new board', while: { failures: {} } }]);
  for (const name of ['seconds', 'times', 'disk']) expect([name, isFigure(lines[0][name])]).toEqual([name, true]);
});

test.each(['neighbours', 'peers', 'console'])('bench:%s --only with a name of nothing ends with the names that there are', async (name) => {
  const ended = await run(['--only', 'ledgre'], { program: program(name) }).ended;
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(/--only ledgre: there is .+, .+/);
});
