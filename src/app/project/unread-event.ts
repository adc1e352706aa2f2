import type { EventMetadata } from '../../domain/events.ts';
import { isForeign } from '../../log/foreign.ts';
import type { StoredEvent } from '../../log/large-events.ts';

/** An event of which only the metadata were looked at: its data may be large. */
export interface UnreadEvent extends Pick<StoredEvent, 'revision' | 'size' | 'read'> {
  /** How many events of its commit follow it. */
  readonly left: number;
  /** When it was stored, unix ms; `null`: another program wrote it. */
  readonly recordedAt: number | null;
}

export function unreadEvent(event: StoredEvent): UnreadEvent {
  const { revision, size, metadata } = event;
  const told = { revision, size, read: () => event.read() };
  if (isForeign(event)) return { ...told, left: 0, recordedAt: null };
  const { left = 0, recordedAt } = JSON.parse(metadata) as EventMetadata;
  return { ...told, left, recordedAt };
}
