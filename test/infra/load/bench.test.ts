import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { newFolder, removeFolders, run } from '../../node/support/program.ts';

vi.setConfig({ testTimeout: 180_000 });

const PROGRAM = join(import.meta.dirname, '../../../dist/infra/load/main.js');

afterAll(removeFolders);

const isFigure = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value > 0;

test('bench --json writes the figures that are compared over time, with the number of workers', async () => {
  const file = join(newFolder(), 'result.json');
  const words = ['--only', 'global.append', '--connections', '16', '--seconds', '1', '--workers', '2', '--json', file];
  const ended = await run(words, { program: PROGRAM }).ended;
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stdout).toContain('2 workers');
  const result = JSON.parse(readFileSync(file, 'utf8'));
  expect(result).toMatchObject({ workers: 2, results: [{ case: 'global.append', connections: 16, non2xx: 0 }] });
  const [row] = result.results;
  for (const name of ['rps', 'p50Ms', 'p99Ms', 'ratio']) expect([name, isFigure(row[name])]).toEqual([name, true]);
  // Where /proc does not tell.
  expect(result.rssMb === null || isFigure(result.rssMb)).toBe(true);
});
