import { type AllStreamResolvedEvent, type AllStreamSubscription, type Position, START, streamNameFilter } from '@eventstore/db-client';
import type { NewEvent, RecordedEvent } from '../port.ts';
import type { Connection } from './connection.ts';
import { fromStored } from './text.ts';

export interface SubscriptionOptions {
  /** Exclusive. Must be the place of an event that exists: the server skips whatever event comes first from here on. */
  readonly after: bigint | null;
  /** What this process appended and has not met here yet, by id; met ones are taken out. */
  readonly own: Map<string, NewEvent>;
  readonly onEvent: (event: RecordedEvent) => void;
  /** The server has passed this place, and everything before it was given. It need not be an event's. */
  readonly onPassed: (position: Position) => void;
  readonly onFailed: (error: Error) => void;
}

/**
 * Subscribes to the whole log but the server's own streams, until it fails: it never comes back by itself.
 *
 * Progress reports come beside the events, ahead of those that still wait in the client's buffer. So on each report the buffer is
 * emptied first; only then is it true that everything before it is here.
 */
export function subscribe(connection: Connection, { after, own, onEvent, onPassed, onFailed }: SubscriptionOptions): { close(): void } {
  const checkpointReached = (_: AllStreamSubscription, position: Position) => {
    while (source.read() !== null);
    connection.heard();
    onPassed(position);
  };
  const filter = streamNameFilter({ regex: '^[^$]', checkpointReached });
  const fromPosition = after === null ? START : { commit: after, prepare: after };
  const source = connection.client().subscribeToAll({ fromPosition, filter, requiresLeader: true });
  source.on('data', (resolved: AllStreamResolvedEvent) => {
    connection.heard();
    const event = fromStored(resolved, own);
    if (event !== null) onEvent(event);
  });
  source.on('error', onFailed);
  source.on('end', () => onFailed(new Error('the server ended the subscription')));
  return {
    close() {
      source.unsubscribe().catch(() => undefined);
    },
  };
}
