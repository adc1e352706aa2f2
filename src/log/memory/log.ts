import { redacted } from '../commitment.ts';
import { createNotifier } from '../notifier.ts';
import {
  type AppendResult,
  AppendTooLarge,
  bytesOf,
  type ExpectedRevision,
  type FollowOptions,
  type FollowStep,
  type Head,
  type Log,
  LogUnavailable,
  type NewEvent,
  type ReadRange,
  type RecordedEvent,
} from '../port.ts';
import { checkTruncation } from '../truncation.ts';

export interface MemoryLogOptions {
  /** Bytes of one append; a larger one throws {@link AppendTooLarge}. Default 16 MiB. */
  readonly maxAppendBytes?: number;
}

const HEARTBEAT_MS = 250;
const PAGE = 1000;

/** The log of unit tests. It keeps all rules of the port, and all events in memory only. Positions are dense from 1. */
export function createMemoryLog({ maxAppendBytes = 16 * 1024 * 1024 }: MemoryLogOptions = {}): Log {
  const all: RecordedEvent[] = [];
  const streams = new Map<string, RecordedEvent[]>();
  /** The first revision that is kept, of streams that were truncated. */
  const kept = new Map<string, number>();
  const notifier = createNotifier();
  const closing = new AbortController();

  const open = () => {
    if (closing.signal.aborted) throw new LogUnavailable('the log is closed');
  };

  return {
    async append(stream, expected, events) {
      open();
      const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0);
      if (bytes > maxAppendBytes) throw new AppendTooLarge(`more than ${maxAppendBytes} bytes in one append`);
      const stored = streams.get(stream) ?? [];
      const last = stored.length - 1;
      if (expected !== 'any' && revisionBefore(expected) !== last) return repeatedAppend(stored, expected, events);
      if (events.length > 0) streams.set(stream, stored);
      for (const event of events) {
        const recorded = { ...event, stream, revision: stored.length, position: BigInt(all.length + 1) };
        stored.push(recorded);
        all.push(recorded);
      }
      notifier.notify();
      return { ok: true, revision: stored.length - 1, position: BigInt(all.length) };
    },

    async read(stream, range) {
      open();
      const first = kept.get(stream) ?? 0;
      const from = range.direction === 'forwards' ? Math.max(range.from ?? 0, first) : range.from;
      return slice(streams.get(stream) ?? [], { ...range, from }).filter(({ revision }) => revision >= first);
    },

    async head(stream): Promise<Head | null> {
      open();
      const last = streams.get(stream)?.at(-1);
      return last ? { revision: last.revision, position: last.position } : null;
    },

    async truncate(stream, before) {
      open();
      checkTruncation(stream, before);
      const last = (streams.get(stream)?.length ?? 0) - 1;
      kept.set(stream, Math.max(kept.get(stream) ?? 0, Math.min(before, last)));
    },

    async redact(stream, revisions) {
      open();
      const stored = streams.get(stream) ?? [];
      for (const revision of revisions) {
        const event = stored[revision];
        if (event === undefined) continue;
        const forgotten = { ...event, data: redacted(event.data) };
        stored[revision] = forgotten;
        all[Number(event.position) - 1] = forgotten;
      }
    },

    async end() {
      open();
      return all.at(-1)?.position ?? null;
    },

    async *follow({ prefix, after, signal }: FollowOptions): AsyncGenerator<FollowStep> {
      const stop = AbortSignal.any([signal, closing.signal]);
      let at = Number(after ?? 0n);
      while (!stop.aborted) {
        const notifications = notifier.notifications;
        const page = all.slice(at, at + PAGE);
        at += page.length;
        const caughtUp = at >= all.length;
        yield { events: page.filter((event) => event.stream.startsWith(prefix)), caughtUp, position: BigInt(at) };
        if (caughtUp) await notifier.wait(notifications, HEARTBEAT_MS, stop);
      }
    },

    async close() {
      closing.abort();
    },
  };
}

/** The last revision of a stream in the state that `expected` describes; −1 where there is no stream. */
function revisionBefore(expected: number | 'none'): number {
  return expected === 'none' ? -1 : expected;
}

/**
 * An append at a revision that has passed. If these very events were stored there, it gets the first answer again; otherwise it is a
 * conflict.
 */
function repeatedAppend(
  stored: readonly RecordedEvent[],
  expected: Exclude<ExpectedRevision, 'any'>,
  events: readonly NewEvent[],
): AppendResult {
  const first = revisionBefore(expected) + 1;
  const last = stored[first + events.length - 1];
  const same = events.length > 0 && events.every((event, index) => stored[first + index]?.id === event.id);
  if (same && last) return { ok: true, revision: last.revision, position: last.position };
  return { ok: false, actual: stored.length === 0 ? 'none' : stored.length - 1 };
}

function slice(
  stored: readonly RecordedEvent[],
  { from, limit, direction }: Omit<ReadRange, 'from'> & { readonly from: number | undefined },
): readonly RecordedEvent[] {
  if (direction === 'forwards') return stored.slice(from ?? 0, (from ?? 0) + limit);
  const last = Math.min(from ?? stored.length, stored.length - 1);
  return stored.slice(Math.max(0, last - limit + 1), last + 1).reverse();
}
