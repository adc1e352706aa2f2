import { type Log, LogUnavailable } from '../port.ts';
import { checkTruncation } from '../truncation.ts';
import { createAppender } from './append.ts';
import { openConnection } from './connection.ts';
import { followLog } from './follow.ts';
import { createHub } from './hub.ts';
import { createReader } from './read.ts';
import { truncateStream } from './truncate.ts';

export { StreamDeleted } from './failures.ts';

export interface EventStoreLogOptions {
  /** `esdb://host:2113?tls=false`, `esdb+discover://user:password@cluster?…`: the client's connection string. */
  readonly url: string;
  /** The longest time that an append waits for its answer, and a read for its next event. Default 8000. */
  readonly timeoutMs?: number;
  /** Bytes of one append; a larger one throws `AppendTooLarge`. Default 1 MiB, as the server's `MaxAppendSize`. */
  readonly maxAppendBytes?: number;
}

export interface EventStoreLog extends Log {
  /** The server's own version, such as `23.10.6.0`; `unknown` where it does not say. */
  version(): Promise<string>;
}

/**
 * The log in an EventStoreDB from 22.10 on: plain appends, reads and subscriptions to `$all` with a stream name prefix. The account needs
 * to read `$all`. Connects when first used, and again after outages. Throws for a connection string that cannot work.
 */
export function createEventStoreLog({ url, timeoutMs = 8000, maxAppendBytes = 1024 * 1024 }: EventStoreLogOptions): EventStoreLog {
  // With this option the client answers a conflict with a wrong revision.
  if (/[?&]throwOnAppendFailure=false/i.test(url)) throw new TypeError('throwOnAppendFailure must not be false');
  const connection = openConnection(url);
  const reader = createReader(connection, timeoutMs);
  const hub = createHub(connection, reader);
  const append = createAppender({ hub, connection, reader, timeoutMs, maxAppendBytes });
  const closing = new AbortController();
  let closed: Promise<void> | null = null;

  const open = () => {
    if (closing.signal.aborted) throw new LogUnavailable('the log is closed');
  };

  return {
    async append(stream, expected, events) {
      open();
      return append(stream, expected, events);
    },
    async read(stream, range) {
      open();
      return reader.stream(stream, range);
    },
    async head(stream) {
      open();
      return reader.head(stream);
    },
    async truncate(stream, before) {
      open();
      checkTruncation(stream, before);
      const head = await reader.head(stream);
      if (head !== null) await truncateStream(connection, timeoutMs, stream, Math.min(before, head.revision));
    },
    async end() {
      open();
      return reader.end();
    },
    async version() {
      open();
      // The client asks the server before its first call. It has no public way to see the answer.
      return (await connection.client()['capabilities']).serverVersion;
    },
    follow: (options) => followLog({ hub, reader, closing: closing.signal }, options),
    close() {
      closing.abort();
      closed ??= connection.close();
      return closed;
    },
  };
}
