import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { logSource, logTarget } from '../../../src/log/copy/log-ends.ts';
import { openFileSource } from '../../../src/log/file/source.ts';
import { openFileTarget } from '../../../src/log/file/target.ts';
import { createMemoryLog } from '../../../src/log/memory/log.ts';
import type { Log } from '../../../src/log/port.ts';
import { TRUNCATED } from '../../../src/log/streams.ts';
import { postgresLog, postgresLogDatabase } from '../../support/postgres-log.ts';
import { copy, copyLogs, DENSE, fill } from './support.ts';

/** Copies of a log whose telemetry was truncated: every event that is left keeps its revision, because fillers come before it. */

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function cutLog(before: number): Promise<Log> {
  const log = postgresLog(await postgresLogDatabase());
  closing.push(() => log.close());
  await fill(log, 30);
  await log.append('totals-a', 'none', [{ id: randomUUID(), type: 'totals.completed', data: '{}', metadata: '{}' }]);
  await log.truncate('telemetry-a', before);
  return log;
}

const read = (log: Log, stream: string, from = 0) => log.read(stream, { from, limit: 10_000, direction: 'forwards' });
const placeless = async (log: Log, stream: string, from = 0) => (await read(log, stream, from)).map(({ position: _, ...event }) => event);

async function same(from: Log, to: Log, kept: number): Promise<void> {
  for (const stream of ['project-a', 'project-b', 'access-a', 'totals-a', 'telemetry-a']) {
    expect(await placeless(to, stream, stream === 'telemetry-a' ? kept : 0)).toEqual(await placeless(from, stream));
  }
  const before = (await read(to, 'telemetry-a')).slice(0, kept);
  expect(before.map(({ revision }) => revision)).toEqual(before.map((_, index) => index));
}

test('a copy of a truncated stream keeps revisions and positions', async () => {
  const [from, to] = [await cutLog(20), createMemoryLog()];
  expect(await copyLogs(from, to)).toMatchObject({ complete: true });
  await same(from, to, 20);
  expect(new Set((await read(to, 'telemetry-a')).slice(0, 20).map(({ type }) => type))).toEqual(new Set([TRUNCATED]));
  expect(await copyLogs(from, to)).toMatchObject({ copied: 0, complete: true });
});

test('a copy from before the truncation goes on with it; a copy that missed truncated events goes on after them', async () => {
  const from = await cutLog(0);
  const to = createMemoryLog();
  await copyLogs(from, to);
  for (let n = 30; n < 50; n++) {
    await from.append('telemetry-a', 'any', [{ id: randomUUID(), type: 'heartbeat.received', data: `{"n":${n}}`, metadata: '{}' }]);
  }
  await from.truncate('telemetry-a', 10);
  expect(await copyLogs(from, to)).toMatchObject({ copied: 20, complete: true });
  await from.append('telemetry-a', 'any', [{ id: randomUUID(), type: 'heartbeat.received', data: '{"n":50}', metadata: '{}' }]);
  await from.append('telemetry-a', 'any', [{ id: randomUUID(), type: 'heartbeat.received', data: '{"n":51}', metadata: '{}' }]);
  await from.truncate('telemetry-a', 51);
  expect(await copyLogs(from, to)).toMatchObject({ complete: true });
  const copied = await read(to, 'telemetry-a');
  expect(copied.map(({ revision }) => revision)).toEqual(Array.from({ length: 52 }, (_, n) => n));
  expect(copied.flatMap(({ type, revision }) => (type === TRUNCATED ? [revision] : []))).toEqual([50]);
});

test('a copy that broke off among fillers goes on there', async () => {
  const [from, to] = [await cutLog(20), createMemoryLog()];
  let calls = 0;
  const breaking: Log = {
    ...to,
    async append(stream, expected, events) {
      const result = await to.append(stream, expected, events);
      if (events[0]?.type === TRUNCATED && ++calls === 2) throw new Error('killed');
      return result;
    },
  };
  const limits = { events: 4, bytes: 1000 };
  await expect(copy({ source: logSource(from, DENSE), target: logTarget(breaking, DENSE), limits })).rejects.toThrow('killed');
  expect(await copy({ source: logSource(from, DENSE), target: logTarget(to, DENSE), limits })).toMatchObject({ complete: true });
  await same(from, to, 20);
});

test('a truncated stream is copied through a file, too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cut-copy-'));
  closing.push(() => rm(folder, { recursive: true }));
  const [from, to] = [await cutLog(20), createMemoryLog()];
  const target = await openFileTarget(join(folder, 'log.gz'));
  await copy({ source: logSource(from, DENSE), target });
  await target.close();
  const source = await openFileSource(join(folder, 'log.gz'));
  expect(await copy({ source, target: logTarget(to, DENSE) })).toMatchObject({ complete: true });
  await source.close();
  await same(from, to, 20);
});

test('looks that were given up stay away in a copy, and a backup of that copy is whole, too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cut-copy-'));
  closing.push(() => rm(folder, { recursive: true }));
  const from = await cutLog(0);
  await from.truncate('access-a', 20);
  const restored = postgresLog(await postgresLogDatabase());
  closing.push(() => restored.close());
  const whole = { complete: true, broken: [], foreign: 0 };
  expect(await copyLogs(from, restored)).toMatchObject(whole);
  const target = await openFileTarget(join(folder, 'log.gz'));
  expect(await copy({ source: logSource(restored, DENSE), target })).toMatchObject(whole);
  await target.close();
  const [source, again] = [await openFileSource(join(folder, 'log.gz')), createMemoryLog()];
  expect(await copy({ source, target: logTarget(again, DENSE) })).toMatchObject(whole);
  await source.close();
  for (const each of [restored, again]) expect(await placeless(each, 'access-a', 20)).toEqual(await placeless(from, 'access-a'));
});
