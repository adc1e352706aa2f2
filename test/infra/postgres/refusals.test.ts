import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findDatabase, startDatabase } from '../../../infra/postgres/database.ts';
import { asProblem } from '../../../infra/postgres/problem.ts';
import { quiet, Workshop } from './support.ts';

const workshop = new Workshop();
afterAll(async () => await workshop.clear());

const start = async (dataDir: string) => await startDatabase({ dataDir, log: quiet });

describe('what the embedded database refuses, and the cure it names', () => {
  it('a database of another Postgres major: both majors, and nothing is changed', async () => {
    const dataDir = await workshop.stoppedFolder();
    writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '16\n');
    const before = readdirSync(join(dataDir, 'postgres'));
    await expect(start(dataDir)).rejects.toThrow(
      /written by Postgres 16; this release of savepoint brings Postgres 17\.\n.*savepoint log copy.*--data/,
    );
    expect(readdirSync(join(dataDir, 'postgres'))).toEqual(before);
  });

  it('a folder with something else in it', async () => {
    const dataDir = workshop.newPath();
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    // The folder belongs to an account other than root, because root's own folders are refused for another reason.
    writeFileSync(join(dataDir, 'postgres/holiday.jpg'), '');
    await expect(start(dataDir)).rejects.toThrow(
      process.getuid?.() === 0 ? /belongs to root[\s\S]*chown/ : /no Postgres database[\s\S]*--data/,
    );
  });

  it('a database without its password, and one with another password', async () => {
    const dataDir = await workshop.stoppedFolder();
    const secrets = join(dataDir, 'postgres.json');
    writeFileSync(secrets, readFileSync(secrets, 'utf8').replace(/"password":"[^"]+"/, '"password":"other"'));
    await expect(start(dataDir)).rejects.toThrow(/postgres\.json is not the one[\s\S]*same backup/);
    writeFileSync(secrets, '{');
    await expect(start(dataDir)).rejects.toThrow(/damaged[\s\S]*backup/);
    rmSync(secrets);
    await expect(start(dataDir)).rejects.toThrow(/missing[\s\S]*backup/);
  });

  it('a file where the folder should be', async () => {
    const path = workshop.newPath();
    writeFileSync(path, '');
    await expect(start(path)).rejects.toThrow(/Could not use the data folder .*\n.*--data/);
    await expect(start(join(path, 'below'))).rejects.toThrow(/A part of this path is a file.*--data/);
    await expect(findDatabase({ dataDir: path })).rejects.toThrow(/Could not look into the data folder/);
  });

  // When Node itself makes folders there with `recursive`, it tries for ever.
  it.runIf(existsSync('/proc/self'))('a place where no folder can be made', async () => {
    await expect(start('/proc/savepoint/data')).rejects.toThrow(/No folder can be made in \/proc\.\n.*--data/);
  });

  it('a setting of the operator that Postgres does not take: its own words', async () => {
    const dataDir = await workshop.stoppedFolder();
    writeFileSync(join(dataDir, 'postgres/postgresql.auto.conf'), "work_mem = 'much'\n");
    await expect(start(dataDir)).rejects.toThrow(/did not start[\s\S]*work_mem[\s\S]*postgresql\.auto\.conf/);
  });

  it('a full disk, a read-only one and foreign folders are told apart', () => {
    const problem = (code: string) => String(asProblem(Object.assign(new Error(code), { code }), 'write', '/data/x'));
    expect(problem('ENOSPC')).toMatch(/Could not write \/data\/x \(ENOSPC\)\.\nThe disk is full/);
    expect(problem('EROFS')).toMatch(/read-only/);
    expect(problem('EACCES')).toMatch(/chown/);
    const other = new Error('a fault of ours');
    expect(asProblem(other, 'write', '/data/x')).toBe(other);
  });
});
