import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { here } from '../node/support/command-line.ts';
import { testDatabase } from '../support/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'savepoint-nothing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LOOKING = [
  ...[
    'project list',
    'project settings p1',
    'project quotas p1',
    'key list p1',
    'page list p1',
    'flags list p1',
    'verify',
    'verify --wait',
  ],
  ...[
    'rebuild',
    'log tail',
    'log stats',
    'log anchor',
    'log copy --to file:x.ndjson.gz',
    'jobs list',
    'analytics list',
    'test run p1',
    'project export p1 --out x.json',
    'db url',
  ],
];

test.each(LOOKING)('`%s` without an installation says so, names the folder, and makes nothing', async (line) => {
  const data = join(folder, 'data');
  const { code, stderr } = await here([...line.split(' '), '--data', data]);
  expect(code).toBe(1);
  expect(stderr).toContain(`There is no installation in ${data}, and nothing was made.`);
  expect(readdirSync(folder)).toEqual([]);
});

test('a command that only reads leaves a Postgres without an installation as it is; making a project makes one', async () => {
  const env = { DATABASE_URL: await testDatabase() };
  const { code, stderr } = await here(['project', 'list'], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no installation in postgres')]);
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = 'savepoint'").finally(() => client.end());
  expect(rows).toEqual([]);
  expect((await here(['project', 'create', 'First'], { env })).code).toBe(0);
  expect((await here(['project', 'list'], { env })).stdout).toContain('First');
});

test('who makes a project where there was no installation is told where the new one is', async () => {
  const data = join(folder, 'made');
  const { code, stderr } = await here(['project', 'create', 'First', '--data', data]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`A new one is made in ${data}`)]);
});
