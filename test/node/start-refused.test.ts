import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ownEnvironment, programPath } from '../../infra/harness/node.ts';
import { freePort } from '../../infra/harness/port.ts';
import { newFolder, removeFolders, savepoint } from './support/program.ts';

/** Starts that end at once, and what they say. */

vi.setConfig({ testTimeout: 180_000 });

afterAll(removeFolders);

test('on a taken port, also that of the metrics, says so, ends with 1 and has made nothing', async () => {
  const other = newFolder();
  const holder = await holdPort();
  for (const [port, metricsPort] of [
    [holder.port, ''],
    [await freePort(), holder.port],
  ]) {
    const env = { ...(metricsPort === '' ? {} : { METRICS_PORT: String(metricsPort) }) };
    const ended = await savepoint(['start', '--port', String(port), '--data', other], { env });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(new RegExp(`EADDRINUSE.*:${holder.port}.*choose another --port`, 's'));
    expect(ended.stdout).toBe('');
    expect(existsSync(other) ? readdirSync(other) : []).toEqual([]);
  }
  holder.release();
});

describe('wrong settings', () => {
  test('the message names every variable that is wrong, and no secret; exit code 1', async () => {
    const env = { PORT: 'eighty', LIMIT_DOCUMENT: 'much', DATABASE_URL: 'mysql://u:secret@h/d' };
    const ended = await savepoint(['start'], { env: { SAVEPOINT_DATA: newFolder(), ...env } });
    expect(ended.code).toBe(1);
    for (const name of Object.keys(env)) expect(ended.stderr).toContain(name);
    expect(ended.stderr).not.toContain('secret');
    expect(ended.stderr).not.toContain('    at ');
  });

  const HIDDEN = 'hidden-5f1c';
  test.each([
    { DATABASE_URL: `postgres://me:${HIDDEN}@127.0.0.1:1/x`, REDIS_URL: `redis://:${HIDDEN}@127.0.0.1:1` },
    {
      DATABASE_URL: `postgres://me:a#${HIDDEN}@127.0.0.1/x`,
      REDIS_URL: `redis://:a#${HIDDEN}@x`,
      EVENTSTORE_URL: `esdb://me:a#${HIDDEN}@x`,
    },
    { EVENTSTORE_URL: `esdb://me:${HIDDEN}@127.0.0.1:1?tls=false` },
    { EVENTSTORE_URL: `esdb://me:${HIDDEN}@127.0.0.1:1?tls=perhaps` },
    { EVENTSTORE_URL: `esdb://me:a@${HIDDEN}@127.0.0.1:1?tls=false` },
  ])('no failure to start shows a password: %j', async (addresses) => {
    const env = { ...addresses, LOG_LEVEL: 'trace', SAVEPOINT_DEBUG: '1', START_WAIT_MS: '0' };
    const { code, stdout, stderr } = await savepoint(['start', '--port', '0'], { env: { SAVEPOINT_DATA: newFolder(), ...env } });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).not.toContain(HIDDEN);
  });

  test('a database that does not answer: the message says so, exit code 1', async () => {
    const env = { DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`, START_WAIT_MS: '600' };
    const ended = await savepoint(['start'], { env: { SAVEPOINT_DATA: newFolder(), ...env } });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('ECONNREFUSED');
    expect(ended.stderr).toMatch(/Postgres postgres:.* does not answer yet; waiting for it, 0\.6 s at most/);
    expect(ended.stderr).toContain('DATABASE_URL');
  });
});

const hasScript = existsSync('/usr/bin/script');
if (!hasScript) process.stderr.write('\n*** SKIPPED: the log on a terminal. There is no /usr/bin/script on this machine ***\n\n');

test.skipIf(!hasScript)('on a terminal the log is text, elsewhere JSON, and LOG_FORMAT says otherwise', async () => {
  // A start that warns and ends at once.
  const env = { NO_COLOR: '1', LOG_LEVLE: 'info', DATABASE_URL: 'postgres://127.0.0.1:1/none', START_WAIT_MS: '0' };
  const first = (output: string) => output.split('\n').find((line) => line.includes('LOG_LEVLE'));
  const TEXT = /^\d\d:\d\d:\d\d warn /;
  const onTerminal = async (more: Readonly<Record<string, string>> = {}) => {
    const command = `${process.execPath} ${programPath()} start --port 0`;
    const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
      env: ownEnvironment({ ...env, ...more }),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await once(child, 'close');
    return first(output);
  };
  const elsewhere = async (more: Readonly<Record<string, string>> = {}) =>
    first((await savepoint(['start', '--port', '0'], { env: { ...env, ...more } })).stderr);
  expect(await onTerminal()).toMatch(TEXT);
  expect(await onTerminal({ LOG_FORMAT: 'json' })).toMatch(/^\{"level":40/);
  expect(await elsewhere()).toMatch(/^\{"level":40/);
  expect(await elsewhere({ LOG_FORMAT: 'text' })).toMatch(TEXT);
});

async function holdPort(): Promise<{ readonly port: number; release(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, release: () => server.close() };
}
