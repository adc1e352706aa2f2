import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { LogOutput } from '../src/log-output.ts';
import { logText } from '../src/log-text.ts';
import { createLogger } from '../src/logger.ts';

it('addresses and keys are never written, whoever logs an object that holds them', () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info' }, { write: (line) => void lines.push(line) });
  const hidden = 'hidden-77';
  const config = readConfig({
    DATABASE_URL: `postgres://me:${hidden}@h/d`,
    REDIS_URL: `redis://:${hidden}@h`,
    EVENTSTORE_URL: `esdb://me:${hidden}@h`,
  });
  logger.info(config);
  logger.info({ config, connectionString: config.databaseUrl, secretKey: hidden });
  logger.info({ err: Object.assign(new Error('no'), { connectionString: config.databaseUrl }) });
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toContain(hidden);
});

describe('a log that says the same thing again and again', () => {
  const logged = (times: number) => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'info' }, { write: (line) => void lines.push(line) });
    for (let time = 0; time < times; time += 1) {
      logger.warn({ time }, 'request failed');
      logger.info({ time }, 'asked for');
    }
    logger.error('another thing');
    return { failed: lines.filter((line) => line.includes('request failed')), lines };
  };

  it('leaves out what comes too often, and counts it; nothing else, and nothing that was asked for', () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    try {
      const { failed, lines } = logged(1_000);
      expect(failed).toHaveLength(200);
      expect(lines).toHaveLength(200 + 1_000 + 1);
      const ends = timers.mock.calls.filter(([, ms]) => ms === 10_000);
      for (const [end] of ends) if (typeof end === 'function') end();
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 40, lines: 800, msg: expect.stringMatching(/^request failed: /) });
      expect(lines).toHaveLength(200 + 1_000 + 2);
    } finally {
      timers.mockRestore();
    }
  });

  it('leaves out nothing of the usual', () => {
    expect(logged(100).failed).toHaveLength(100);
  });
});

describe('the log as text', () => {
  const text = (fields: object) => logText(`${JSON.stringify({ level: 40, time: 0, ...fields })}\n`);

  it('has time, level, message and facts on a line, and the stack of a fault below', () => {
    expect(text({ reason: 'it is gone', port: 5432, msg: 'lost' })).toMatch(
      /^\d\d:00:00 warn {3}lost {2}reason="it is gone" {2}port=5432\n$/,
    );
    const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at one (file:1)\n    at two (file:2)' };
    expect(text({ level: 50, err, msg: 'request failed' })).toMatch(
      / error {2}request failed {2}reason=no\n {4}at one \(file:1\)\n {4}at two \(file:2\)\n$/,
    );
    expect(text({ err, msg: 'no' })).toMatch(/ warn {3}no\n {4}at one/);
  });

  it('holds nothing that a terminal obeys, and no line that a text made up', () => {
    const line = text({ msg: 'a\n12:00:00 error forged \u001b[2J', slug: 'b\u202ec', '\r': 1 });
    expect(line).not.toMatch(/[^\P{C}\n]/u);
    expect(line.split('\n')).toHaveLength(2);
  });

  it('is written only where it is asked for, or standard error is a terminal; what is lost is told in the same form', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'savepoint-log-'));
    const path = join(folder, 'text');
    const fd = openSync(path, 'w');
    const output = new LogOutput(fd, { format: logText });
    for (let turn = 0; turn < 3_000; turn += 1) output.write(`{"level":30,"time":0,"msg":"${'x'.repeat(999)}"}\n`);
    await expect.poll(() => readFileSync(path, 'utf8')).toContain('x\n');
    output.write('{"level":30,"time":0,"msg":"later"}\n');
    await expect.poll(() => readFileSync(path, 'utf8')).toMatch(/warn {3}lines of this log were lost {2}lines=\d+\n/);
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
});

describe('the lines of the log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-log-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('come out whole and in order, the last of them at the end of the process', async () => {
    const path = join(folder, 'log');
    const fd = openSync(path, 'w');
    const output = new LogOutput(fd);
    const lines = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(200)}\n`);
    for (const line of lines) output.write(line);
    await expect.poll(() => readFileSync(path, 'utf8')).toBe(lines.join(''));
    output.write('first\n');
    output.write('last\n');
    output.flush();
    await expect.poll(() => readFileSync(path, 'utf8').split('\n').slice(-3).toSorted()).toEqual(['', 'first', 'last']);
    closeSync(fd);
  });

  // With the library's own stream, a node that logged to a full disk answered nobody, and SIGTERM did not end it.
  it.runIf(existsSync('/dev/full'))('are dropped where there is no room, which neither throws nor waits', async () => {
    const fd = openSync('/dev/full', 'w');
    const output = new LogOutput(fd);
    const logger = createLogger({ level: 'info' }, output);
    for (let turn = 0; turn < 20_000; turn += 1) logger.info('x'.repeat(200));
    output.flush();
    // It stays open: the write under way in the thread pool would otherwise go into the next file with this number.
  });

  it('wait for a full pipe, and come out at the end of the process where it has room by then', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const fill = () => {
      for (;;) writeSync(fd, Buffer.alloc(4096, '.'));
    };
    const drained = () => {
      let text = '';
      try {
        for (const room = Buffer.alloc(65_536); ; ) text += room.toString('latin1', 0, readSync(fd, room));
      } catch {
        return text.replaceAll('.', '');
      }
    };
    expect(fill).toThrow('EAGAIN');
    // Longer than the test, so that it can be told from the other timers of this process.
    const pauseMs = 1_000_003;
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const output = new LogOutput(fd, { pauseMs });
    output.write('first\n');
    await vi.waitFor(() => expect(timers).toHaveBeenCalledWith(expect.any(Function), pauseMs), 60_000);
    output.write('last\n');
    expect(drained()).toBe('');
    output.flush();
    expect(drained()).toBe('first\nlast\n');
    timers.mockRestore();
    closeSync(fd);
  });

  it('are counted when too many wait, and the count is told', async () => {
    const path = join(folder, 'flood');
    const fd = openSync(path, 'w');
    const output = new LogOutput(fd);
    for (let turn = 0; turn < 3_000; turn += 1) output.write(`${'x'.repeat(999)}\n`);
    await expect.poll(() => readFileSync(path, 'utf8')).toContain('x\n');
    output.write('later\n');
    await expect.poll(() => readFileSync(path, 'utf8')).toContain('"msg":"lines of this log were lost"}');
    closeSync(fd);
  });
});
