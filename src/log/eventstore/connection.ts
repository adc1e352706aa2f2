import type { Duplex, Readable, Writable } from 'node:stream';
import { EventStoreDBClient } from '@eventstore/db-client';
import { printingService } from './wire-append.ts';

/**
 * The log's one client. It reconnects by itself where it notices that its connection is gone; this takes care of where it does not.
 */
export interface Connection {
  /** For the next call; not to be kept. */
  client(): EventStoreDBClient;
  /** Whether this client is still in use. The reads of one that is not end as if they were complete. */
  serves(client: EventStoreDBClient): boolean;
  isClosed(): boolean;
  /** The server said something. */
  heard(): void;
  /**
   * A call of `client` that began at `since` (`performance.now()`) got no answer in time. If nothing else was heard either, the
   * connection is dead however open it looks (a frozen server, a vanished network), and the next call gets a new one at once. One
   * that never was heard is left to get through: in an outage a fresh one would be no better off.
   */
  unanswered(client: EventStoreDBClient, since: number): void;
  /** The client failed before it could send. It keeps some of these failures for good, so the next call gets a new client. */
  spoiled(client: EventStoreDBClient): void;
  close(): Promise<void>;
}

export function openConnection(url: string): Connection {
  let heardAt = Number.NEGATIVE_INFINITY;
  const heard = () => {
    heardAt = performance.now();
  };
  let startedAt = performance.now();
  let renewals = 0;
  const open = () => guarded(EventStoreDBClient.connectionString(distinct(url, renewals)), heard);
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
    heard,
    unanswered(client, since) {
      if (heardAt < since && heardAt > startedAt) renew(client);
    },
    spoiled: renew,
    async close() {
      closed = true;
      await Promise.all([current.dispose(), ...leaving]);
    },
  };
}

/**
 * gRPC lets channels of the same address and options share a connection, all over the process. A new client gets one of its own only
 * by an option that differs: a keepalive time-out that is a little longer each time.
 */
function distinct(url: string, renewals: number): string {
  if (renewals === 0) return url;
  const [, given] = /[?&]keepAliveTimeout=(\d+)/i.exec(url) ?? [];
  const option = `keepAliveTimeout=${Number(given ?? 10_000) + (renewals % 1000)}`;
  if (given !== undefined) return url.replace(/keepAliveTimeout=\d+/i, option);
  return `${url}${url.includes('?') ? '&' : '?'}${option}`;
}

/** Name that the client gives the call that carries all appends. */
const APPEND_CALL = 'appendToStream';

/**
 * Takes two faults out of the call that all appends share (client 6.2.1), each of which ends the process:
 *  - One table of waiting appends serves all clients of a process, and an error of one empties it. An answer that then comes in for
 *    another client's append finds no entry, and throws where nobody can catch it.
 *  - When the connection takes no more, appends wait in a queue; an error rejects them where nobody listens. So it never waits here:
 *    what is under way is bounded by the writers, one append a stream.
 */
function guarded(client: EventStoreDBClient, heard: () => void): EventStoreDBClient {
  const create = client['GRPCStreamCreator'];
  client['GRPCStreamCreator'] = (service, name, creator, cache) => {
    if (name !== APPEND_CALL) return create(service, name, creator, cache);
    const opened = async (grpc: Parameters<typeof creator>[0]) => {
      const call = await creator(printingService(grpc));
      makeHarmless(call, heard);
      return call;
    };
    return create(service, name, opened, cache);
  };
  return client;
}

function makeHarmless(call: Readable | Writable | Duplex, heard: () => void): void {
  for (const take of call.listeners('data')) {
    call.removeListener('data', take as () => void);
    call.on('data', (answer: unknown) => {
      heard();
      try {
        take(answer);
      } catch {
        // Its append was told "unknown" when the table was emptied, and is sent again.
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
