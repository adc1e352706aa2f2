import { followWithTimeout } from '../follow.ts';
import { type Log, LogUnavailable, type RecordedEvent } from '../port.ts';
import { isTruncatable } from '../streams.ts';
import { type CopySource, type CopyStep, type CopyTarget, storedOf } from './ends.ts';

export interface LogEndOptions {
  /** Whether the engine's positions count events from 1 without a gap. */
  readonly hasDensePositions: boolean;
  /** {@link CopyTarget.maxConcurrentAppends}. Default 1. */
  readonly maxConcurrentAppends?: number;
  /** After this long without an answer the log counts as gone. Default 30 s. */
  readonly silenceMs?: number;
}

/** A log as the source of a copy. */
export function logSource(log: Log, { hasDensePositions, silenceMs }: LogEndOptions): CopySource {
  /** Of streams that may be truncated: the first revision that was kept when the copy met the stream. */
  const firstKept = new Map<string, number>();
  /** Following may still give what was given up: an EventStoreDB does until it is scavenged. */
  const isGivenUp = async ({ stream, revision }: RecordedEvent) => {
    if (!isTruncatable(stream)) return false;
    const first = firstKept.get(stream) ?? (await firstOf(log, stream));
    firstKept.set(stream, first);
    return revision < first;
  };

  return {
    hasDensePositions,
    async *steps(after, signal): AsyncGenerator<CopyStep> {
      // This throws at once when the log cannot be reached. Following would try for ever.
      let end = await log.end();
      const start = after ?? 0n;
      for await (const step of followWithTimeout(log, { prefix: '', after, signal }, silenceMs)) {
        if (end !== null && step.position > end) end = step.position;
        const fraction = step.caughtUp || end === null ? 1 : fractionOf(step.position - start, end - start);
        const events: RecordedEvent[] = [];
        for (const event of step.events) if (!(await isGivenUp(event))) events.push(event);
        yield { events, caughtUp: step.caughtUp, fraction };
      }
    },
    find: (stream, revision) => eventAt(log, stream, revision),
  };
}

/** A log as the target of a copy. */
export function logTarget(log: Log, { hasDensePositions, maxConcurrentAppends = 1, silenceMs }: LogEndOptions): CopyTarget {
  return {
    hasDensePositions,
    maxConcurrentAppends,
    async end() {
      const position = await log.end();
      // Only dense positions have a position before them.
      if (position === null || !hasDensePositions) return null;
      const stop = new AbortController();
      try {
        for await (const { events } of followWithTimeout(log, { prefix: '', after: position - 1n, signal: stop.signal }, silenceMs)) {
          const [event] = events;
          if (event) return { ...storedOf(event), stream: event.stream, position: event.position };
        }
      } finally {
        stop.abort();
      }
      return null;
    },
    async last(stream) {
      const [event] = await log.read(stream, { limit: 1, direction: 'backwards' });
      return event ? storedOf(event) : null;
    },
    async find(stream, revision) {
      const event = await eventAt(log, stream, revision);
      return event && storedOf(event);
    },
    append: (stream, expected, events) => log.append(stream, expected, events),
    settle: async () => undefined,
  };
}

/** The first revision that a stream keeps; 0 for one that was deleted in its engine: a copy saves what can still be followed. */
async function firstOf(log: Log, stream: string): Promise<number> {
  try {
    const [first] = await log.read(stream, { limit: 1, direction: 'forwards' });
    return first?.revision ?? 0;
  } catch (error) {
    if (error instanceof LogUnavailable) throw error;
    return 0;
  }
}

async function eventAt(log: Log, stream: string, revision: number): Promise<RecordedEvent | null> {
  const [event] = await log.read(stream, { from: revision, limit: 1, direction: 'forwards' });
  return event ?? null;
}

function fractionOf(done: bigint, all: bigint): number {
  return all <= 0n ? 1 : Math.min(1, Number(done) / Number(all));
}
