import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createEventStoreLog, type EventStoreLogOptions } from '../../../src/log/eventstore/log.ts';
import {
  type AppendResult,
  type ExpectedRevision,
  type Log,
  LogUnavailable,
  type NewEvent,
  OutcomeUnknown,
} from '../../../src/log/port.ts';
import { type StandIn, type StandInOptions, startStandIn } from './server.ts';

/** A stand-in server and a log on it, both closed after the test. */
export async function opened(
  options: Omit<EventStoreLogOptions, 'url'> & StandInOptions = {},
): Promise<{ readonly server: StandIn; readonly log: Log }> {
  const server = await startStandIn(options);
  onTestFinished(() => server.close());
  return { server, log: openedOn(server.url, options) };
}

export function openedOn(url: string, options: Omit<EventStoreLogOptions, 'url'> = {}): Log {
  const log = createEventStoreLog({ ...options, url });
  onTestFinished(() => log.close());
  return log;
}

/** Does what a writer does: sends the identical append again until the outcome is known. Returns it and the errors before it. */
export async function untilKnown(
  log: Log,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<{ readonly result: AppendResult; readonly failures: readonly Error[] }> {
  const failures: Error[] = [];
  for (;;) {
    try {
      return { result: await log.append(stream, expected, events), failures };
    } catch (error) {
      if (!(error instanceof OutcomeUnknown || error instanceof LogUnavailable)) throw error;
      failures.push(error);
      await pause(10);
    }
  }
}

/** Asks again until the log answers. A log with a short time limit may fail several times on a busy machine. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      await pause(10);
    }
  }
}

/** Resolves once `done` is true. */
export async function until(done: () => boolean): Promise<void> {
  while (!done()) await pause(5);
}
