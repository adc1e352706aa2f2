import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { newFolder, removeFolders, run } from '../../node/support/program.ts';

vi.setConfig({ testTimeout: 180_000 });

const program = (name: string) => join(import.meta.dirname, `../../../dist/infra/load/${name}.js`);

afterAll(removeFolders);

const isFigure = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value > 0;

test('bench --json writes the figures that are compared over time, with the number of workers', async () => {
  const file = join(newFolder(), 'result.json');
  const words = ['--only', 'global.append', '--connections', '16', '--seconds', '0.2', '--workers', '2', '--json', file];
  const ended = await run(words, { program: program('main') }).ended;
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stdout).toContain('2 workers');
  const result = JSON.parse(readFileSync(file, 'utf8'));
  expect(result).toMatchObject({ workers: 2, results: [{ case: 'global.append', connections: 16, non2xx: 0 }] });
  const [row] = result.results;
  for (const name of ['rps', 'bareRps', 'p50Ms', 'p99Ms']) expect([name, isFigure(row[name])]).toEqual([name, true]);
  // On systems without /proc.
  expect(result.rssMb === null || isFigure(result.rssMb)).toBe(true);
  if (result.rssMb === null) return;
  expect(row.cpuRatio).toBeCloseTo(row.nodeCpuPer1000 / row.bareCpuPer1000);
});

test('bench has a bar on the CPU of the node by that of the bare handler, and none on requests per second', async () => {
  const folder = newFolder();
  const files = { json: join(folder, 'result.json'), markdown: join(folder, 'table.md') };
  const words = ['--only', 'document.read', '--connections', '128', '--seconds', '0.2', '--json', files.json, '--markdown', files.markdown];
  const ended = await run(words, { program: program('main') }).ended;
  expect(ended).toMatchObject({ code: 0 });
  const { results, bars } = JSON.parse(readFileSync(files.json, 'utf8'));
  const [head] = readFileSync(files.markdown, 'utf8').split('\n');
  expect(head).toContain('| bare Koa CPU s/1000 | CPU ratio |');
  expect(ended.stdout).toMatch(/bare req\/s .+ CPU ratio/);
  expect(ended.stdout).not.toContain('≥');
  const bar = bars.find(({ name }: { readonly name: string }) => name.startsWith('document.read'));
  // On systems without /proc.
  if (results[0].cpuRatio === null) return expect(bar).toBeUndefined();
  const found = results[0].cpuRatio;
  expect(bar).toEqual({ name: "document.read: CPU by bare Koa's at 128 connections ≤ 1.7", holds: found <= 1.7, found, bar: 1.7 });
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

test.each(['neighbours', 'peers'])('bench:%s --only with a name of nothing ends with the names that there are', async (name) => {
  const ended = await run(['--only', 'ledgre'], { program: program(name) }).ended;
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(/--only ledgre: there is .+, .+/);
});
