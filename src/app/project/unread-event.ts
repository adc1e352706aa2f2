import type { EventMetadata, ProjectEvent } from '../../domain/events.ts';
import { isForeign } from '../../log/foreign.ts';
import { readLargeOnce } from '../../log/large-events.ts';
import type { RecordedEvent } from '../../log/port.ts';

/** An event of which only the metadata were looked at: its data may be large. */
export interface UnreadEvent {
  readonly revision: number;
  /** How many events of its commit follow it. */
  readonly left: number;
  /** When it was stored, unix ms; `null`: another program wrote it. */
  readonly recordedAt: number | null;
  /** Characters of its data. */
  readonly size: number;
  /** {@link readLargeOnce}. */
  read(): ProjectEvent;
}

export function unreadEvent(event: RecordedEvent): UnreadEvent {
  const { revision, data } = event;
  const told = { revision, size: data.length, read: () => readLargeOnce(event) };
  if (isForeign(event)) return { ...told, left: 0, recordedAt: null };
  const { left = 0, recordedAt } = JSON.parse(event.metadata) as EventMetadata;
  return { ...told, left, recordedAt };
}
