import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { followUntil } from '../../contract/log/contract.ts';
import { postgresLog, postgresLogDatabase } from '../../support/postgres-log.ts';

const WRITER = fileURLToPath(new URL('../../support/log-writer.mjs', import.meta.url));

interface Acknowledged {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly ids: readonly string[];
}

interface Writer {
  readonly process: ChildProcess;
  readonly acknowledged: Acknowledged[];
  /** Resolves at the n-th acknowledgement, or when the process ends. */
  readonly enough: Promise<unknown>;
  readonly ended: Promise<number | null>;
}

/** Starts a writer process over the built adapter (`npm run build`). */
function startWriter(url: string, prefix: string, count: number, name: string, enough: number): Writer {
  const child = spawn(process.execPath, [WRITER, url, prefix, String(count), name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: Acknowledged[] = [];
  const lines = createInterface({ input: child.stdout });
  const reached = new Promise((resolve) => {
    lines.on('line', (line) => {
      acknowledged.push(JSON.parse(line));
      if (acknowledged.length === enough) resolve(undefined);
    });
    lines.on('close', resolve);
  });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => child.exitCode);
  return { process: child, acknowledged, enough: reached, ended };
}

test('several writer processes, one of them killed: one order, no gap, no duplicate, nothing acknowledged lost', async () => {
  const url = await postgresLogDatabase();
  const log = postgresLog(url);
  const finished = new AbortController();
  const following = followUntil(log, { prefix: 'shared', after: null }, (_, step) => finished.signal.aborted && step.caughtUp);

  const writers = ['a', 'b', 'c'].map((name) => startWriter(url, 'shared', 60, name, 1));
  const doomed = startWriter(url, 'shared', 100_000, 'd', 40);
  await doomed.enough;
  doomed.process.kill('SIGKILL');
  expect(await Promise.all(writers.map((writer) => writer.ended))).toEqual([0, 0, 0]);
  await doomed.ended;
  finished.abort();

  const { events } = await following;
  const end = await log.end();
  await log.close();
  expect(events.map((event) => event.position)).toEqual(events.map((_, index) => BigInt(index + 1)));
  expect(end).toBe(events.at(-1)?.position);
  expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
  const next = new Map<string, number>();
  for (const event of events) {
    expect(event.revision).toBe(next.get(event.stream) ?? 0);
    next.set(event.stream, event.revision + 1);
  }
  const acknowledged = [...writers, doomed].flatMap((writer) => writer.acknowledged);
  expect(acknowledged.length).toBeGreaterThan(100);
  for (const { stream, revision, position, ids } of acknowledged) {
    const last = Number(position);
    const stored = events.slice(last - ids.length, last);
    expect(stored.map((event) => event.id)).toEqual(ids);
    expect(stored.at(-1)).toMatchObject({ stream, revision });
  }
});
