import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEventStoreLog } from '../../src/log/eventstore/log.ts';

/**
 * An EventStoreDB that the crash loop may kill: the program named by `CRASH_LOG_SERVER`, which stays in the foreground and keeps its data.
 */
export interface LogServer {
  /** `kill -9`. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again. Resolves when it answers. */
  start(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing is answered. */
  freeze(): void;
  thaw(): void;
}

const START_MS = 90_000;

export async function startLogServer(command: string, url: string): Promise<LogServer> {
  let child: ChildProcess | null = null;
  const start = async () => {
    const [program = '', ...args] = command.split(' ');
    // An EventStoreDB reads every EVENTSTORE_… as a setting of its own, and ends for an unknown one.
    const { EVENTSTORE_URL: _, ...env } = process.env;
    child = spawn(program, args, { env, stdio: 'ignore' });
    await answers(url, child);
  };
  await start();
  return {
    start,
    async kill() {
      const gone = new Promise((resolve) => child?.once('exit', resolve));
      child?.kill('SIGKILL');
      await gone;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
}

/** Waits until an append would be accepted. A server that starts refuses appends for a while after it listens. */
async function answers(url: string, child: ChildProcess): Promise<void> {
  const log = createEventStoreLog({ url, timeoutMs: 2_000 });
  try {
    for (const until = Date.now() + START_MS; ; await sleep(100)) {
      if (child.exitCode !== null) throw new Error(`the log server ended with ${child.exitCode}`);
      if (Date.now() > until) throw new Error('the log server did not start in time');
      const end = await log.end().catch(() => undefined);
      if (end !== undefined) return;
    }
  } finally {
    await log.close();
  }
}
