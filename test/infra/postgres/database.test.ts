import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { databaseUrlOf, findDatabase, startDatabase, useDatabase } from '../../../infra/postgres/database.ts';
import { kill, query, quiet, Workshop, withDatabase } from './support.ts';

const workshop = new Workshop();
afterAll(async () => await workshop.clear());

describe('the embedded database', () => {
  it('makes itself in an empty place and keeps everything in the data folder', async () => {
    const dataDir = workshop.newPath();
    expect(databaseUrlOf(dataDir)).toBeNull();
    expect(await findDatabase({ dataDir })).toBeNull();
    await withDatabase(dataDir, async (database) => {
      expect(database).toMatchObject({ major: 17, adopted: false });
      const rows = await query(
        database.url,
        `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'jit', 'listen_addresses', 'data_checksums') ORDER BY 1`,
      );
      expect(rows).toEqual([
        { name: 'data_checksums', setting: 'on' },
        { name: 'fsync', setting: 'on' },
        { name: 'jit', setting: 'off' },
        { name: 'listen_addresses', setting: '127.0.0.1' },
        { name: 'synchronous_commit', setting: 'on' },
      ]);
    });
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.json', 'postgres.start.log']);
    expect(statSync(join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(dataDir, 'postgres/log')).join()).toMatch(/^postgres-\w{3}\.log$/);
  });

  it('orders text by code point and knows letters beyond ASCII, on every machine alike', async () => {
    const dataDir = await workshop.stoppedFolder();
    const rows = await withDatabase(dataDir, ({ url }) => query(url, `SELECT lower('ÄÉ') AS low, 'Z' < 'a' AS bytewise`));
    expect(rows).toEqual([{ low: 'äé', bytewise: true }]);
  });

  it('lets nobody in without the password', async () => {
    const dataDir = await workshop.stoppedFolder();
    await withDatabase(dataDir, async ({ url }) => {
      const without = new URL(url);
      without.password = '';
      await expect(query(without.href, 'SELECT 1')).rejects.toThrow(/password/);
      without.password = 'guess';
      await expect(query(without.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    });
    const { password } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
    expect(Buffer.from(password, 'base64url')).toHaveLength(32);
  });

  it('keeps data and address from start to start', async () => {
    const dataDir = await workshop.stoppedFolder();
    const first = await withDatabase(dataDir, async ({ url }) => {
      await query(url, 'CREATE TABLE kept AS SELECT 7 AS n');
      return url;
    });
    expect(databaseUrlOf(dataDir)).toBe(first);
    await withDatabase(dataDir, async ({ url }) => {
      expect(url).toBe(first);
      expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    });
  });

  it('moves to another port when a stranger has taken its own', async () => {
    const dataDir = await workshop.stoppedFolder();
    const port = Number(new URL(databaseUrlOf(dataDir) ?? '').port);
    const stranger = createServer();
    // Where the port is taken already, that one is the stranger.
    await new Promise<void>((done) => stranger.once('error', () => done()).listen(port, '127.0.0.1', done));
    try {
      await withDatabase(dataDir, async ({ url }) => {
        expect(Number(new URL(url).port)).not.toBe(port);
        expect(databaseUrlOf(dataDir)).toBe(url);
      });
    } finally {
      stranger.close();
    }
  });

  it('is gone after stop, which may be called twice, and tells when it goes by itself', async () => {
    const dataDir = await workshop.stoppedFolder();
    const database = await startDatabase({ dataDir, log: quiet });
    await Promise.all([database.stop(), database.stop()]);
    expect(await database.exited).toEqual({ expected: true });
    expect(await findDatabase({ dataDir })).toBeNull();

    const again = await startDatabase({ dataDir, log: quiet });
    process.kill(again.pid, 'SIGKILL');
    expect(await again.exited).toEqual({ expected: false });
    await again.stop();
  });

  it('takes its hold again after a crash inside the server', async () => {
    const dataDir = await workshop.stoppedFolder();
    const warnings: string[] = [];
    const database = await startDatabase({ dataDir, log: { info: () => undefined, warn: (text) => warnings.push(text) } });
    await query(database.url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'savepoint node %'`);
    await expect.poll(async () => (await findDatabase({ dataDir }))?.holder?.pid).toBe(process.pid);
    expect(warnings).toHaveLength(1);
    await database.stop();
    expect(await findDatabase({ dataDir })).toBeNull();
  });
});

describe('one node per embedded database', () => {
  it('refuses a second node and names the first one and the cures', async () => {
    const dataDir = await workshop.stoppedFolder();
    const node = await workshop.startNode(dataDir);
    await expect(startDatabase({ dataDir, log: quiet })).rejects.toThrow(
      new RegExp(`already used by a savepoint node \\(process ${node.process.pid}, since 20.*\\)\\.\n.*--data.*DATABASE_URL`),
    );
    expect(await query(node.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await kill(node.process, 'SIGTERM');
    expect(await findDatabase({ dataDir })).toBeNull();
  });

  it('lets a command work beside a node and leaves the database to it', async () => {
    const dataDir = await workshop.stoppedFolder();
    const node = await workshop.startNode(dataDir);
    const command = await useDatabase({ dataDir, log: quiet });
    expect(command.url).toBe(node.url);
    await command.release();
    expect(await findDatabase({ dataDir })).toMatchObject({ url: node.url, holder: { purpose: 'node', pid: node.process.pid } });
    await kill(node.process, 'SIGTERM');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('a command that %s ends takes the database that it started with it', async (signal) => {
    const dataDir = await workshop.stoppedFolder();
    const command = await workshop.startNode(dataDir, { command: true });
    expect(await findDatabase({ dataDir })).toMatchObject({ url: command.url, holder: { purpose: 'command' } });
    await kill(command.process, signal);
    expect(command.process.exitCode).toBe(128 + constants.signals[signal]);
    expect(await findDatabase({ dataDir })).toBeNull();
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });

  it('starts the database for a command where no node runs; other commands and a node wait for it', async () => {
    const dataDir = await workshop.stoppedFolder();
    const told: string[] = [];
    const log = { info: (text: string) => told.push(text), warn: () => undefined };
    const first = await useDatabase({ dataDir, log });
    const second = useDatabase({ dataDir, log });
    await expect
      .poll(() => told)
      .toEqual([`waiting for a savepoint command (process ${process.pid}) to finish with the embedded database`]);
    await first.release();
    const { url, release } = await second;
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const node = startDatabase({ dataDir, log });
    await expect.poll(() => told).toHaveLength(2);
    await release();
    await (await node).stop();
    expect(await findDatabase({ dataDir })).toBeNull();
  });
});
