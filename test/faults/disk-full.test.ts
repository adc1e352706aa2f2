import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectOk, secretHeaders, storagePath } from '../../infra/harness/project.ts';
import { databaseUrlOf } from '../../infra/postgres/database.ts';
import type { Finding } from '../../src/compose/doctor/finding.ts';
import { here } from '../node/support/command-line.ts';
import { eventually, isRunning, postmasterOf } from '../node/support/program.ts';
import { endure } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/** The disk of the data folder is full: a small file system that belongs to the test, which needs root and the right to mount. */

const disk = mkdtempSync(join(tmpdir(), 'savepoint-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk]).status === 0;
if (!mounted) process.stderr.write('\n*** SKIPPED: the tests of a full disk. They need root and the right to mount a tmpfs ***\n\n');

const ballast = join(disk, 'ballast');

function fill(): void {
  const file = openSync(ballast, 'a');
  try {
    for (const bytes of [1 << 20, 4096, 1]) writeUntilFull(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, chunk: Buffer): void {
  try {
    for (;;) writeSync(file, chunk);
  } catch (error) {
    if (!String(error).includes('ENOSPC')) throw error;
  }
}

describe.skipIf(!mounted)('the disk of the data folder', () => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace({ data: join(disk, 'data'), env: { COMMAND_TIMEOUT_MS: '2000' } });
  });
  afterAll(async () => {
    rmSync(ballast, { force: true });
    await place?.close();
    spawnSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  /** A write that the log would have to store, and a read of what the node has in memory. */
  const answers = async () => {
    const { project } = place;
    const send = (method: string, body?: object) =>
      project.http.send(method, storagePath(project, 'crash_saves/full'), { headers: secretHeaders(project), ...(body && { body }) });
    return [(await send('POST', { seq: 1, mark: 'x'.repeat(30_000) })).status, (await send('GET')).status];
  };

  test('it is full: writes are refused, reads go on, and freeing space heals', async () => {
    const { project } = place;
    const headers = secretHeaders(project);
    await expectOk(
      'a save',
      project.http.send('POST', storagePath(project, 'crash_saves/full'), { headers, body: { seq: 0, mark: 'before' } }),
    );
    await endure({
      name: 'disk full',
      project,
      async inject() {
        fill();
        await eventually('writes are refused, reads are not', async () => String(await answers()) === '503,200');
        await sleep(1_000);
        rmSync(ballast);
      },
    });
    // A refused request says only that the storage is away.
    expect(place.node.stderr()).toContain('the log takes no appends; trying again');
  });

  test('`doctor` says that no node can start on it, and what to do', async () => {
    const { stdout } = await here(['doctor', '--json', '--data', join(disk, 'another')]);
    const { findings }: { findings: readonly Finding[] } = JSON.parse(stdout);
    const named = findings.filter(({ what }) => what === 'disk' || what === 'database');
    expect(named).toMatchObject(Array(2).fill({ state: 'fail', cure: expect.stringContaining('Free some space') }));
  });

  test('`doctor` on another machine says what its database answers, and where it is', async () => {
    fill();
    // What Postgres needs to let somebody in.
    truncateSync(ballast, statSync(ballast).size - 512 * 1024);
    const env = { DATABASE_URL: databaseUrlOf(place.data) ?? '' };
    const { code, stdout } = await here(['doctor', '--json'], { env });
    rmSync(ballast);
    const { findings }: { findings: readonly Finding[] } = JSON.parse(stdout);
    expect([code, findings.find(({ what }) => what === 'database disk')]).toMatchObject([
      1,
      { state: 'fail', found: expect.stringContaining('No space left'), cure: expect.stringContaining('disk of the server is full') },
    ]);
  });

  test('Postgres gives up for want of space: the node starts it again as soon as there is some', async () => {
    await endure({
      name: 'disk full, Postgres panics',
      project: place.project,
      async inject() {
        const postmaster = postmasterOf(place.data);
        const client = new pg.Client({ connectionString: databaseUrlOf(place.data) ?? '' });
        client.on('error', () => undefined);
        await client.connect();
        fill();
        // Postgres cannot make the next file of its write-ahead log, once the spare ones are used up.
        await eventually('it is gone', async () => {
          await client.query('UPDATE savepoint.log_head SET position = position').catch(() => undefined);
          await client.query('SELECT pg_switch_wal()').catch(() => undefined);
          return !isRunning(postmaster);
        });
        await client.end().catch(() => undefined);
        await sleep(1_000);
        expect(isRunning(place.node.pid)).toBe(true);
        rmSync(ballast);
      },
    });
    expect(await place.verify()).toMatchObject({ code: 0 });
  });
});
