import { randomUUID } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../infra/harness/port.ts';
import { nodeDatabase } from '../../src/compose/database.ts';
import { checkOpenFiles } from '../../src/compose/doctor/machine.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/logger.ts';
import { hasRedis, REDIS_PASSWORD, startRedis } from '../jobs/redis.ts';
import { testDatabase } from '../support/postgres.ts';
import { here } from './support/command-line.ts';
import { newFolder, removeFolders, savepoint, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

afterAll(removeFolders);

interface Finding {
  readonly what: string;
  readonly state: string;
  readonly found: string;
  readonly cure: string | null;
}

/** `savepoint doctor --json`, by what was checked. */
async function examined(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const { code, stdout } = await here(['doctor', '--json', ...args], { env: { SAVEPOINT_DATA: newFolder(), ...env } });
  const { ok, findings }: { ok: boolean; findings: readonly Finding[] } = JSON.parse(stdout);
  return { code, ok, text: stdout, by: (what: string) => findings.filter((one) => one.what === what) };
}

test('a machine where a node can start: all is well, exit code 0, nothing is made', async () => {
  const { code, stdout } = await savepoint(['doctor', '--data', newFolder(), '--port', String(await freePort())]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^STATE +WHAT +FOUND\n/);
  expect(stdout).toMatch(/ok +database +embedded, not made yet/);
  expect(stdout).toMatch(/ok +queue +in the database/);
  expect(stdout).not.toMatch(/WARN|FAIL/);
});

test('a database: version, clock, settings and connections; without fsync it fails and the cure is told', async () => {
  const { code, ok, by } = await examined({ DATABASE_URL: await testDatabase() }, '--port', String(await freePort()));
  expect([code, ok]).toEqual([1, false]);
  expect(by('database version')).toMatchObject([{ state: 'ok', found: expect.stringMatching(/^Postgres \d+/) }]);
  expect(by('clock')).toMatchObject([{ state: 'ok' }]);
  expect(by('max_connections')).toMatchObject([{ state: 'ok', found: expect.stringMatching(/^200;/) }]);
  expect(by('synchronous_commit')).toMatchObject([{ state: 'ok', found: 'on' }]);
  expect(by('fsync')).toMatchObject([{ state: 'fail', found: 'off', cure: expect.stringContaining('power cut') }]);
  expect(by('database disk')).toMatchObject([{ state: 'ok', found: expect.stringContaining('1 MiB') }]);
  expect(by('tables')).toMatchObject([{ found: expect.stringContaining('not made yet') }]);
});

test('a database that does not exist, and an account that it does not know: the cure is that of a start', async () => {
  const missing = new URL(await testDatabase());
  missing.pathname = '/missing';
  const strange = new URL(await testDatabase());
  strange.username = 'stranger';
  const [absent, refused] = [await examined({ DATABASE_URL: missing.href }), await examined({ DATABASE_URL: strange.href })];
  expect(absent.by('database')).toMatchObject([{ state: 'fail', cure: expect.stringContaining('createdb') }]);
  expect(refused.by('database')).toMatchObject([{ state: 'fail', cure: expect.stringContaining('check the user in DATABASE_URL') }]);
});

test('a database that cannot hold every text: fails, and no node starts on it', async () => {
  const client = new pg.Client({ connectionString: await testDatabase() });
  await client.connect();
  const name = `latin_${randomUUID().replaceAll('-', '')}`;
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`);
  await client.end();
  const url = new URL(await testDatabase());
  url.pathname = `/${name}`;
  const { by } = await examined({ DATABASE_URL: url.href });
  expect(by('encoding')).toMatchObject([{ state: 'fail', found: 'LATIN1' }]);
  const starting = nodeDatabase(readConfig({ DATABASE_URL: url.href }, {}), createLogger({ level: 'silent' }), () => undefined);
  await expect(starting).rejects.toThrow(/encoded as LATIN1.*\n?.*ENCODING 'UTF8'/s);
});

test('too many workers for the connections that the server has: fails', async () => {
  const { by } = await examined({ DATABASE_URL: await testDatabase(), WORKERS: '40' });
  expect(by('max_connections')).toMatchObject([{ state: 'fail', cure: expect.stringContaining('WORKERS') }]);
});

test('a database and a log that do not answer: each fails with its cure', async () => {
  const env = { DATABASE_URL: `postgres://me:hidden@127.0.0.1:${await freePort()}/x`, EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' };
  const { code, by } = await examined(env);
  expect(code).toBe(1);
  expect(by('database')).toMatchObject([{ state: 'fail', cure: expect.stringContaining('DATABASE_URL') }]);
  expect(by('log')).toMatchObject([{ state: 'fail', cure: expect.stringContaining('tls=false') }]);
  expect(JSON.stringify(by('database'))).not.toContain('hidden');
});

test.skipIf(!hasRedis)('a Redis for jobs: version, latency, persistence; one that would throw jobs away fails', async () => {
  const redis = await startRedis();
  const client = new Redis(redis.url);
  const all = async () => {
    const { by } = await examined({ REDIS_URL: redis.url });
    return (what: string) => by(`queue ${what}`);
  };
  const well = await all();
  expect(well('version')).toMatchObject([{ state: 'ok', found: expect.stringMatching(/^Redis \d+\.\d+/) }]);
  expect(['role', 'eviction', 'persistence'].map((what) => well(what)[0]?.state)).toEqual(['ok', 'ok', 'ok']);
  expect(well('latency')).toMatchObject([{ found: expect.stringMatching(/^\d+ ms/) }]);
  await client.config('SET', 'maxmemory', '1gb', 'maxmemory-policy', 'allkeys-lru', 'appendonly', 'no');
  const badly = await all();
  expect(badly('eviction')).toMatchObject([{ state: 'fail', found: expect.stringContaining('allkeys-lru'), cure: expect.any(String) }]);
  expect(badly('persistence')).toMatchObject([{ state: 'warn', cure: expect.stringContaining('appendonly yes') }]);
  client.disconnect();
  await redis.remove();
  const { code, by, text } = await examined({ REDIS_URL: redis.url });
  expect([code, by('queue')]).toEqual([1, [expect.objectContaining({ state: 'fail', cure: expect.stringContaining('REDIS_URL') })]]);
  expect(text).not.toContain(REDIS_PASSWORD);
});

test('groups larger than the log takes fail', async () => {
  const { by } = await examined({ EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', GROUP_BYTES: '1MiB' });
  expect(by('append limit')).toMatchObject([{ state: 'fail', cure: expect.stringContaining('GROUP_BYTES') }]);
});

test('a variable that is named nearly like a setting: a node that starts and `doctor` both say so', async () => {
  const env = { DATABASE_URL: await testDatabase(), CORS_ORIGIN: 'https://game.example' };
  const said = 'CORS_ORIGIN is no setting and has no effect; did you mean CORS_ORIGINS?';
  expect((await examined(env)).by('settings')).toMatchObject([{ state: 'warn', found: said }]);
  const node = await startNode(newFolder(), { env, args: ['--no-demo'] });
  expect(Object.values(await node.stop()).join()).toContain(said);
});

test('tables of a later release: a node that starts and `doctor` both say so', async () => {
  const env = { DATABASE_URL: await testDatabase() };
  const before = await startNode(newFolder(), { env, args: ['--no-demo'] });
  expect(Object.values(await before.stop()).join()).not.toContain('later release');
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  await client.query("INSERT INTO savepoint.migrations (name) VALUES ('dragons-0001')");
  await client.end();
  const { by } = await examined(env);
  expect(by('tables')).toMatchObject([
    { state: 'warn', found: expect.stringContaining('dragons-0001'), cure: expect.stringContaining('backup') },
  ]);
  const after = await startNode(newFolder(), { env, args: ['--no-demo'] });
  expect(Object.values(await after.stop()).join()).toContain('a later release has changed the tables of this database');
});

test('the port: served by a node of ours, or taken by another program', async () => {
  const env = { DATABASE_URL: await testDatabase() };
  const node = await startNode(newFolder(), { env, args: ['--no-demo'] });
  const own = await examined(env, '--port', new URL(node.url).port);
  expect(own.by('port')).toMatchObject([{ state: 'ok', found: expect.stringContaining('served by a savepoint node') }]);
  expect(own.by('histories')).toMatchObject([{ state: 'ok' }]);
  await node.stop();

  const other = createServer((_request, response) => void response.end('hello'));
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { by } = await examined({}, '--port', String(port));
  other.close();
  expect(by('port')).toMatchObject([{ state: 'fail', cure: expect.stringContaining('--port') }]);
});

test('few open files: a warning with its cure', () => {
  expect(checkOpenFiles('256')).toMatchObject([{ state: 'warn', cure: expect.stringContaining('LimitNOFILE') }]);
  expect(checkOpenFiles('unlimited')).toMatchObject([{ state: 'ok' }]);
  expect(checkOpenFiles()).toMatchObject([{ what: 'open files', found: expect.stringContaining('at once') }]);
});

test('a lock file of the embedded database that a power cut damaged is named', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'postgres'));
  // A database that belongs to root is another finding.
  if (process.getuid?.() === 0) chownSync(join(folder, 'postgres'), 65_534, 65_534);
  writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '17\n');
  writeFileSync(join(folder, 'postgres', 'postmaster.pid'), '\0'.repeat(512));
  writeFileSync(join(folder, 'postgres.json'), JSON.stringify({ password: 'x'.repeat(32), port: null }));
  const { stdout } = await here(['doctor', '--json', '--data', folder]);
  const { findings }: { findings: readonly Finding[] } = JSON.parse(stdout);
  expect(findings.find(({ what }) => what === 'database')).toMatchObject({
    state: 'warn',
    found: expect.stringContaining('postmaster.pid'),
  });
});

test('a data folder that cannot be written fails where it is needed', async () => {
  const { stdout } = await here(['doctor', '--json', '--data', join(import.meta.filename, 'data')]);
  const { findings }: { findings: readonly Finding[] } = JSON.parse(stdout);
  expect(findings.find(({ what }) => what === 'data folder')).toMatchObject({ state: 'fail', cure: expect.stringContaining('--data') });
});

test('a verifier whose service fails: a warning that says why', async () => {
  const VERIFIER_JWKS_URL = `http://127.0.0.1:${await freePort()}/keys`;
  const { by } = await examined({ VERIFIER: 'jwt', VERIFIER_JWKS_URL }, '--port', String(await freePort()));
  expect(by('players')).toMatchObject([{ state: 'warn', found: expect.stringContaining('ECONNREFUSED') }]);
});
