import type { DomainEvent, SaveRecord } from '../events.ts';
import type { RecordListState } from '../states.ts';

export type RecordListEvent = Extract<DomainEvent, { readonly type: 'record.created' | 'record.renamed' | 'record.deleted' }>;

export function isRecordListEvent<E extends DomainEvent>(event: E): event is E & RecordListEvent {
  return event.type === 'record.created' || event.type === 'record.renamed' || event.type === 'record.deleted';
}

/** A player's list after one of its events. `recordedAt`: the event's time in unix ms. */
export function evolveRecordList(state: RecordListState | null, event: RecordListEvent, recordedAt: number): RecordListState {
  const records = event.data.fork ?? state?.records ?? [];
  const { recordId } = event.data;
  switch (event.type) {
    case 'record.created': {
      const { recordName } = event.data;
      return { records: [...records, { recordId, recordName, createdAt: recordedAt, updatedAt: recordedAt }] };
    }
    case 'record.renamed': {
      const { recordName } = event.data;
      const renamed = (record: SaveRecord) => (record.recordId === recordId ? { ...record, recordName, updatedAt: recordedAt } : record);
      return { records: records.map(renamed) };
    }
    case 'record.deleted':
      return { records: records.filter((record) => record.recordId !== recordId) };
  }
}
