import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  FORWARDS,
  type Position,
  type ResolvedEvent,
  START,
  type StreamingRead,
} from '@eventstore/db-client';
import { type Head, LogUnavailable, type NewEvent, type ReadRange, type RecordedEvent } from '../port.ts';
import type { Connection } from './connection.ts';
import { failureOf, readFailure } from './failures.ts';
import { fromStored } from './text.ts';
import { type Reads, rawReads } from './wire.ts';

export interface Reader {
  stream(stream: string, range: ReadRange): Promise<readonly RecordedEvent[]>;
  head(stream: string): Promise<Head | null>;
  end(signal?: AbortSignal): Promise<bigint | null>;
  /**
   * At most `limit` events of the whole log, system events included, from a position inclusive. `own`: what this process appended and has
   * not met yet, by id. What has been met is removed.
   */
  page(from: Position | null, limit: number, signal: AbortSignal, own?: Map<string, NewEvent>): Promise<readonly RecordedEvent[]>;
}

type Reading = StreamingRead<ResolvedEvent> | StreamingRead<AllStreamResolvedEvent>;

/** Reads go to the leader, because a follower may not yet have what was acknowledged. */
const LEADER = { requiresLeader: true };

/** While this read was under way another call found the connection dead, and the connection was replaced. */
class ConnectionGivenUp extends LogUnavailable {}

/**
 * All reads throw `LogUnavailable` when the log fails or says nothing for `timeoutMs`, and `StreamDeleted` for a stream that was deleted.
 */
export function createReader(connection: Connection, timeoutMs: number): Reader {
  const read = (name: string, open: (reads: Reads) => Reading, signal?: AbortSignal, own?: Map<string, NewEvent>) => {
    const once = () => collect({ connection, timeoutMs, signal, own }, open);
    const again = (error: unknown) => {
      if (error instanceof ConnectionGivenUp) return once();
      throw error;
    };
    return once()
      .catch(again)
      .catch((error: unknown) => {
        if (failureOf(error).type === 'stream-not-found') return [];
        throw readFailure(error, name);
      });
  };

  const stream: Reader['stream'] = (name, { from, limit, direction }) => {
    const forwards = direction === 'forwards';
    const fromRevision = from !== undefined ? BigInt(from) : forwards ? START : END;
    const options = { ...LEADER, fromRevision, maxCount: limit, direction: forwards ? FORWARDS : BACKWARDS } as const;
    return read(name, (reads) => reads.readStream(name, options));
  };

  return {
    stream,
    async head(name) {
      const [last] = await stream(name, { limit: 1, direction: 'backwards' });
      return last ? { revision: last.revision, position: last.position } : null;
    },
    async end(signal) {
      const options = { ...LEADER, fromPosition: END, direction: BACKWARDS, maxCount: 1 } as const;
      const [last] = await read('$all', (reads) => reads.readAll(options), signal);
      return last?.position ?? null;
    },
    page(from, maxCount, signal, own) {
      const options = { ...LEADER, fromPosition: from ?? START, direction: FORWARDS, maxCount } as const;
      return read('$all', (reads) => reads.readAll(options), signal, own);
    },
  };
}

interface Collecting {
  readonly connection: Connection;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly own: Map<string, NewEvent> | undefined;
}

/**
 * The events of one read, taken by listeners. An iteration would be wrong here: a cancelled read ends it neither with an error nor with an
 * end, and leaving it early keeps the call open.
 */
function collect({ connection, timeoutMs, signal, own }: Collecting, open: (reads: Reads) => Reading): Promise<readonly RecordedEvent[]> {
  return new Promise((resolve, reject) => {
    const client = connection.client();
    const events: RecordedEvent[] = [];
    let lastReceivedAt = performance.now();
    const reads = rawReads(client, ({ event }) => {
      lastReceivedAt = performance.now();
      connection.received();
      timer.refresh();
      if (event !== null) events.push(fromStored(event, own));
    });
    const reading = open(reads);

    const settle = (done: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      done();
    };
    const abandon = (failure: LogUnavailable) => {
      settle(() => reject(failure));
      reading.cancel().catch(() => undefined);
    };
    const abort = () => abandon(new LogUnavailable('the read was given up'));
    const timer = setTimeout(() => {
      abandon(new LogUnavailable(`the log gave no answer for ${timeoutMs} ms`));
      connection.unanswered(client, lastReceivedAt);
    }, timeoutMs);
    signal?.addEventListener('abort', abort);

    // This listener stays for good: an error that comes after the read was given up must not end the process.
    reading.on('error', (error: Error) => settle(() => reject(error)));
    reading.on('end', () => {
      if (connection.isClosed()) return abandon(new LogUnavailable('the log was closed'));
      if (!connection.serves(client)) return abandon(new ConnectionGivenUp('the connection was given up'));
      connection.received();
      settle(() => resolve(events));
    });
    if (signal?.aborted) abort();
  });
}
