import { type Position, START, streamNameFilter } from '@eventstore/db-client';
import type { NewEvent, RecordedEvent } from '../port.ts';
import type { Connection } from './connection.ts';
import { fromStored } from './text.ts';
import { rawReads } from './wire.ts';

export interface SubscriptionOptions {
  /** Exclusive. Must be the position of an event that exists: the server skips the first event from here on, whichever it is. */
  readonly after: bigint | null;
  /** What this process appended and has not met here yet, by id. What has been met is removed. */
  readonly own: Map<string, NewEvent>;
  readonly onEvent: (event: RecordedEvent) => void;
  /** The server has passed this position, and every event before it was given. It need not be that of an event. */
  readonly onPassed: (position: Position) => void;
  readonly onFailed: (error: Error) => void;
}

/** Subscribes to the whole log but the server's own streams, until it fails: it never comes back by itself. */
export function subscribe(connection: Connection, { after, own, onEvent, onPassed, onFailed }: SubscriptionOptions): { close(): void } {
  const filter = streamNameFilter({ regex: '^[^$]' });
  const fromPosition = after === null ? START : { commit: after, prepare: after };
  const reads = rawReads(connection.client(), ({ event, passed }) => {
    connection.received();
    if (event !== null) onEvent(fromStored(event, own));
    if (passed !== null) onPassed(passed);
  });
  const source = reads.subscribeToAll({ fromPosition, filter, requiresLeader: true });
  source.on('error', onFailed);
  source.on('end', () => onFailed(new Error('the server ended the subscription')));
  return {
    close() {
      source.unsubscribe().catch(() => undefined);
    },
  };
}
