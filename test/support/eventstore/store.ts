import { createMemoryLog } from '../../../src/log/memory/log.ts';
import type { AppendResult, ExpectedRevision, NewEvent, RecordedEvent } from '../../../src/log/port.ts';

/** Positions of the stand-in lie this far apart, as bytes of a log file do. */
const STRIDE = 257n;

/**
 * What the stand-in server stores: the memory log, with an EventStoreDB's positions, deletes and scavenges. Data and metadata are
 * kept as Base64, so that any bytes pass.
 */
export interface Store {
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult>;
  /** A stream's events, oldest first; `null` where it is missing or softly deleted. */
  stream(name: string): Promise<readonly RecordedEvent[] | null>;
  /** The whole log, oldest first, without what was scavenged. */
  all(): Promise<readonly RecordedEvent[]>;
  /** Whether an event lies or lay at this position, or none yet: a server reads from no other. */
  isPlace(position: bigint): Promise<boolean>;
  /** Yields after every append, and now and then. Ends when `signal` aborts. */
  changes(signal: AbortSignal): AsyncIterable<void>;
  /** The stream reads as missing, and goes on with its numbering when it is written again. */
  softDelete(stream: string): void;
  /** The stream is gone for good. */
  tombstone(stream: string): void;
  isTombstone(stream: string): boolean;
  /** Takes a stream's events out of the log altogether; others keep their positions. */
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
      // Others may have been here meanwhile.
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
    async isPlace(position) {
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
