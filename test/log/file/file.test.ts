import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TwoHistories } from '../../../src/log/copy/copy.ts';
import { logSource, logTarget } from '../../../src/log/copy/log-ends.ts';
import { FileProblem } from '../../../src/log/file/parts.ts';
import { openFileSource } from '../../../src/log/file/source.ts';
import { openFileTarget } from '../../../src/log/file/target.ts';
import { createMemoryLog } from '../../../src/log/memory/log.ts';
import type { Log } from '../../../src/log/port.ts';
import { postgresLog, postgresLogDatabase } from '../../support/postgres-log.ts';
import { allOf, copy, DENSE, everything, fill, Writer } from '../copy/support.ts';

let folder = '';
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

const freshPath = () => join(folder, `${files++}.ndjson.gz`);

async function backUp(log: Log, path: string, { partSize = 2000, signal = new AbortController().signal } = {}) {
  const target = await openFileTarget(path, { partSize });
  try {
    const result = await copy({ source: logSource(log, DENSE), target, signal, limits: { events: 3, bytes: 1000 } });
    return { ...result, cutBytes: target.cutBytes };
  } finally {
    await target.close();
  }
}

async function restore(path: string, to: Log, allowIncomplete = false) {
  const source = await openFileSource(path, { allowIncomplete });
  try {
    return await copy({ source, target: logTarget(to, DENSE) });
  } finally {
    await source.close();
  }
}

async function eventsIn(path: string) {
  const source = await openFileSource(path, { allowIncomplete: true });
  try {
    return await everything(source);
  } finally {
    await source.close();
  }
}

async function filled(rounds = 6) {
  const log = createMemoryLog();
  return { log, writer: await fill(log, rounds), path: freshPath() };
}

test('Postgres → file → Postgres gives the same events, byte for byte', async () => {
  const [first, second] = [postgresLog(await postgresLogDatabase()), postgresLog(await postgresLogDatabase())];
  try {
    await fill(first, 5);
    const path = freshPath();
    expect(await backUp(first, path)).toMatchObject({ copied: 40, complete: true });
    expect(await restore(path, second)).toMatchObject({ copied: 40, complete: true });
    expect(await allOf(second)).toEqual(await allOf(first));
    expect(await restore(path, second)).toMatchObject({ copied: 0, skipped: 40 });
  } finally {
    await first.close();
    await second.close();
  }
});

test('any gzip reads the file as lines of JSON, and only its owner may read it', async () => {
  const { log, path } = await filled();
  await backUp(log, path);
  const text = execFileSync('gzip', ['-dc', path], { encoding: 'utf8' });
  expect(gunzipSync(await readFile(path)).toString()).toBe(text);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ format: 'savepoint-log', version: 1, part: 1, first: 1 });
  expect(lines.filter((line) => 'format' in line).length).toBeGreaterThan(3);
  expect(lines.filter((line) => 'stream' in line)).toEqual((await allOf(log)).map(({ position: _, ...event }) => event));
  expect(lines.at(-1)).toMatchObject({ complete: true });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a second run appends only new events, and a run without new events changes no byte', async () => {
  const { log, writer, path } = await filled();
  await backUp(log, path);
  const before = await readFile(path);
  expect(await backUp(log, path)).toMatchObject({ copied: 0, skipped: 48, complete: true });
  expect(await readFile(path)).toEqual(before);
  await writer.write('project-new', '{}', '{"i":1}');
  expect(await backUp(log, path)).toMatchObject({ copied: 2, skipped: 48 });
  const after = await readFile(path);
  expect(after.subarray(0, before.length)).toEqual(before);
  expect(await eventsIn(path)).toEqual(await allOf(log));
});

test('a copy that was interrupted is no whole backup; the next run completes it', async () => {
  const { log, path } = await filled();
  const stop = new AbortController();
  const target = await openFileTarget(path, { partSize: 2000 });
  const source = logSource(log, DENSE);
  const append = target.append.bind(target);
  target.append = async (...call) => {
    if (target.events > 20) stop.abort();
    return append(...call);
  };
  expect(await copy({ source, target, signal: stop.signal, limits: { events: 3, bytes: 1000 } })).toMatchObject({ complete: false });
  await target.close();
  await expect(restore(path, createMemoryLog())).rejects.toThrow('broke off after');
  expect(await restore(path, createMemoryLog(), true)).toMatchObject({ complete: true });
  expect(await backUp(log, path)).toMatchObject({ events: 48, cutBytes: 0, complete: true });
  expect(await eventsIn(path)).toEqual(await allOf(log));
});

test('a file that was cut anywhere keeps its whole parts, is known to be incomplete, and is completed by the next run', async () => {
  const { log, path } = await filled();
  await backUp(log, path);
  const whole = await readFile(path);
  const all = await allOf(log);
  const torn = freshPath();
  await writeFile(torn, whole.subarray(0, whole.length - 1));
  await expect(openFileSource(torn)).rejects.toThrow(/its end is torn.*else take another backup, or add --allow-incomplete/);
  for (let size = whole.length - 1; size > 0; size -= 197) {
    await writeFile(torn, whole.subarray(0, size));
    await expect(openFileSource(torn), `cut at ${size}`).rejects.toThrow(FileProblem);
    const kept = await eventsIn(torn);
    expect(kept).toEqual(all.slice(0, kept.length));
    const healed = await backUp(log, torn);
    expect(healed).toMatchObject({ skipped: kept.length, events: all.length, complete: true });
    expect(await eventsIn(torn)).toEqual(all);
  }
});

test('zeros behind the last part, as a crash of the machine leaves them, are cut off', async () => {
  const { log, path } = await filled();
  await backUp(log, path);
  const { size } = await stat(path);
  await truncate(path, size + 5000);
  await expect(openFileSource(path)).rejects.toThrow('48 events are whole, 5000 bytes');
  expect(await backUp(log, path)).toMatchObject({ copied: 0, cutBytes: 5000 });
  expect((await stat(path)).size).toBe(size);
});

describe('is refused and left as it is', () => {
  async function refused(path: string, text: string) {
    const before = await readFile(path);
    await expect(openFileTarget(path)).rejects.toThrow(text);
    await expect(openFileSource(path, { allowIncomplete: true })).rejects.toThrow(text);
    expect(await readFile(path)).toEqual(before);
  }

  test('any other file', async () => {
    const path = freshPath();
    for (const content of ['my thesis', 'x', execFileSync('gzip', ['-c'], { input: '{}\n' }), Buffer.alloc(100)]) {
      await writeFile(path, content);
      await refused(path, 'is not a file that');
    }
  });

  test('a file that was damaged before its last part, in whatever byte', async () => {
    const { log, path } = await filled();
    await backUp(log, path);
    const whole = await readFile(path);
    const lastPart = whole.lastIndexOf(whole.subarray(0, 16));
    const sample = Array.from({ length: Math.ceil((lastPart - 16) / 151) }, (_, index) => [16 + index * 151, 0x10] as const);
    // The last packed byte of a part ends in bits that unpacking ignores.
    const padded = partStarts(whole)
      .slice(1)
      .flatMap((end) => Array.from({ length: 8 }, (_, bit) => [end - 9, 1 << bit] as const));
    for (const [at, mask] of [...sample, ...padded]) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(damaged.readUInt8(at) ^ mask, at);
      await writeFile(path, damaged);
      await refused(path, 'amaged');
    }
  });

  test('a file that lacks a part in the middle', async () => {
    const { log, path } = await filled();
    await backUp(log, path);
    const whole = await readFile(path);
    const [second, third] = partStarts(whole).slice(1);
    await writeFile(path, Buffer.concat([whole.subarray(0, second), whole.subarray(third)]));
    await refused(path, 'part 3 does not follow part 1');
  });

  function partStarts(whole: Buffer): number[] {
    const starts: number[] = [];
    for (let at = 0; at < whole.length; at += whole.readUInt32LE(at + 16)) starts.push(at);
    return starts;
  }
});

test('a backup with another history is refused', async () => {
  const path = freshPath();
  const [one, other] = [createMemoryLog(), createMemoryLog()];
  await new Writer(one).write('project-a', '{"i":1}');
  await new Writer(other).write('project-a', '{"i":1}', '{"i":2}');
  await backUp(one, path);
  await expect(backUp(other, path)).rejects.toThrow(TwoHistories);
  expect(await eventsIn(path)).toEqual(await allOf(one));
  // The other way round: the file holds more than the source, which was restored to an older state.
  const longer = freshPath();
  await backUp(other, longer);
  await expect(backUp(one, longer)).rejects.toThrow(TwoHistories);
});

test('a file that another program writes to meanwhile is left alone', async () => {
  const { log, path } = await filled();
  const target = await openFileTarget(path);
  await backUp(log, path);
  const before = await readFile(path);
  await expect(copy({ source: logSource(log, DENSE), target })).rejects.toThrow('changed by another program');
  await target.close();
  expect(await readFile(path)).toEqual(before);
});
