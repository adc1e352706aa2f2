import type { Duplex, Readable, Writable } from 'node:stream';
import { EventStoreDBClient } from '@eventstore/db-client';
import { printingService } from './wire-append.ts';

/**
 * The log's only client. The client reconnects by itself when it notices that its connection is gone. This takes care of the cases in which
 * it does not notice.
 */
export interface Connection {
  /** The client for the next call. It must not be kept. */
  client(): EventStoreDBClient;
  /** Whether this client is still in use. The reads of a client that was replaced end as if they were complete. */
  serves(client: EventStoreDBClient): boolean;
  isClosed(): boolean;
  /** Call this for every message of the server. */
  received(): void;
  /**
   * Call this when a call of `client` that began at `since` (`performance.now()`) got no answer in time. If nothing else was received
   * either, the connection is dead although it looks open (a frozen server, a vanished network), and the next call gets a new one. A
   * connection on which nothing was ever received goes on trying: during an outage a new one would do no better.
   */
  unanswered(client: EventStoreDBClient, since: number): void;
  /**
   * Call this when the client failed before it could send. It keeps some of these failures for good, so the next call gets a new client.
   */
  broken(client: EventStoreDBClient): void;
  close(): Promise<void>;
}

export function openConnection(url: string): Connection {
  let lastReceivedAt = Number.NEGATIVE_INFINITY;
  const received = () => {
    lastReceivedAt = performance.now();
  };
  let startedAt = performance.now();
  let renewals = 0;
  const open = () => guarded(EventStoreDBClient.connectionString(distinct(url, renewals)), received);
  let current = open();
  let closed = false;
  const leaving = new Set<Promise<void>>();

  const renew = (client: EventStoreDBClient) => {
    if (client !== current || closed) return;
    renewals++;
    startedAt = performance.now();
    current = open();
    const gone = client.dispose().finally(() => leaving.delete(gone));
    leaving.add(gone);
  };

  return {
    client: () => current,
    serves: (client) => client === current && !closed,
    isClosed: () => closed,
    received,
    unanswered(client, since) {
      if (lastReceivedAt < since && lastReceivedAt > startedAt) renew(client);
    },
    broken: renew,
    async close() {
      closed = true;
      await Promise.all([current.dispose(), ...leaving]);
    },
  };
}

/**
 * gRPC shares one connection between all channels of a process with the same address and options. A new client gets a connection of its own
 * only through a different option, so its keepalive time-out is one millisecond longer each time.
 */
function distinct(url: string, renewals: number): string {
  if (renewals === 0) return url;
  const [, given] = /[?&]keepAliveTimeout=(\d+)/i.exec(url) ?? [];
  const option = `keepAliveTimeout=${Number(given ?? 10_000) + (renewals % 1000)}`;
  if (given !== undefined) return url.replace(/keepAliveTimeout=\d+/i, option);
  return `${url}${url.includes('?') ? '&' : '?'}${option}`;
}

/** The client's name for the call that carries all appends. */
const APPEND_CALL = 'appendToStream';

/**
 * Works around two faults of the call that all appends share (client 6.2.1). Each of them ends the process:
 * - One table of waiting appends serves all clients of a process, and an error of one client empties it. An answer for another client's
 *   append then finds no entry, and throws where nobody can catch it.
 * - When the connection takes no more, appends wait in a queue, and an error rejects them where nobody listens. So appends never wait in
 *   that queue. What is under way is bounded by the writers: one append a stream.
 */
function guarded(client: EventStoreDBClient, received: () => void): EventStoreDBClient {
  const create = client['GRPCStreamCreator'];
  client['GRPCStreamCreator'] = (service, name, creator, cache) => {
    if (name !== APPEND_CALL) return create(service, name, creator, cache);
    const opened = async (grpc: Parameters<typeof creator>[0]) => {
      const call = await creator(printingService(grpc));
      makeHarmless(call, received);
      return call;
    };
    return create(service, name, opened, cache);
  };
  return client;
}

function makeHarmless(call: Readable | Writable | Duplex, received: () => void): void {
  for (const take of call.listeners('data')) {
    call.removeListener('data', take as () => void);
    call.on('data', (answer: unknown) => {
      received();
      try {
        take(answer);
      } catch {
        // This append was answered "unknown" when the table was emptied, and is sent again.
      }
    });
  }
  if (!('write' in call)) return;
  const write: (message: unknown) => boolean = call.write.bind(call);
  call.write = (message: unknown) => {
    write(message);
    return true;
  };
}
