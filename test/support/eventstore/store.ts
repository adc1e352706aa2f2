import { createMemoryLog } from '../../../src/log/memory/log.ts';
import type { AppendResult, ExpectedRevision, NewEvent, RecordedEvent } from '../../../src/log/port.ts';

/** The distance between positions of the stand-in: they are bytes of a log file on a real server. */
const STRIDE = 257n;

/**
 * What the stand-in server stores: the memory log, with the positions, deletes and scavenges of an EventStoreDB. Data and metadata are
 * stored as Base64, so that any bytes are possible.
 */
export interface Store {
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult>;
  /** A stream's events, oldest first; `null` where it is missing or softly deleted. */
  stream(name: string): Promise<readonly RecordedEvent[] | null>;
  /** The whole log, oldest first, without what was scavenged. */
  all(): Promise<readonly RecordedEvent[]>;
  /** Whether a read may begin here: an event is or was at this position, or nothing comes after it. A real server refuses any other. */
  isPosition(position: bigint): Promise<boolean>;
  /** Yields after every append, and from time to time. Ends when `signal` aborts. */
  changes(signal: AbortSignal): AsyncIterable<void>;
  /** From now on the stream reads as missing. When it is written again its numbering goes on. */
  softDelete(stream: string): void;
  /** From now on the stream is deleted for good. */
  tombstone(stream: string): void;
  isTombstone(stream: string): boolean;
  /** Removes a stream's events from the log. Others keep their positions. */
  scavenge(stream: string): void;
}

export function createStore(): Store {
  const log = createMemoryLog({ maxAppendBytes: Number.MAX_SAFE_INTEGER });
  const copy: RecordedEvent[] = [];
  const softly = new Set<string>();
  const tombstones = new Set<string>();
  const scavenged = new Set<string>();

  const outside = (event: RecordedEvent): RecordedEvent => ({ ...event, position: event.position * STRIDE });

  const catchUp = async () => {
    const stop = new AbortController();
    for await (const step of log.follow({ prefix: '', after: BigInt(copy.length), signal: stop.signal })) {
      // Others may have appended meanwhile.
      copy.push(...step.events.filter((event) => event.position > BigInt(copy.length)).map(outside));
      if (step.caughtUp) stop.abort();
    }
  };

  return {
    async append(stream, expected, events) {
      const again = expected === 'none' && softly.delete(stream);
      const result = await log.append(stream, again ? 'any' : expected, events);
      return result.ok ? { ...result, position: result.position * STRIDE } : result;
    },
    async stream(name) {
      if (softly.has(name) || scavenged.has(name)) return null;
      const events = await log.read(name, { limit: Number.MAX_SAFE_INTEGER, direction: 'forwards' });
      const [metadata] = await log.read(`$$${name}`, { limit: 1, direction: 'backwards' });
      const before = metadata ? Number(JSON.parse(Buffer.from(metadata.data, 'base64').toString()).$tb ?? 0) : 0;
      return events.length === 0 ? null : events.filter(({ revision }) => revision >= before).map(outside);
    },
    async all() {
      await catchUp();
      return scavenged.size === 0 ? copy : copy.filter((event) => !scavenged.has(event.stream));
    },
    async isPosition(position) {
      await catchUp();
      return position > (copy.at(-1)?.position ?? 0n) || copy.some((event) => event.position === position);
    },
    async *changes(signal) {
      for await (const _ of log.follow({ prefix: '', after: await log.end(), signal })) yield;
    },
    softDelete: (stream) => void softly.add(stream),
    tombstone: (stream) => void tombstones.add(stream),
    isTombstone: (stream) => tombstones.has(stream),
    scavenge: (stream) => void scavenged.add(stream),
  };
}
