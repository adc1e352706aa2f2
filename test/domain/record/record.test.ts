import { describe, expect, test } from 'vitest';
import type { SaveRecord } from '../../../src/domain/events.ts';
import { createRecord, deleteRecord, freeId, type RecordCommand, recordName, renameRecord } from '../../../src/domain/record/decide.ts';
import { evolveRecordList, type RecordListEvent } from '../../../src/domain/record/evolve.ts';
import { slotKey, slotOf } from '../../../src/domain/record/slot.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { collection, NOW } from '../document/fixtures.ts';

const THREE = collection({}, { id: 'saves', maxRecords: 3 });
const FIRST: SaveRecord = { recordId: 'aaaaaa', recordName: 'First', createdAt: 1, updatedAt: 2 };
const SECOND: SaveRecord = { recordId: 'bbbbbb', recordName: 'Second', createdAt: 3, updatedAt: 3 };

/** Given a list, and the limit of its collection. */
function given(records: readonly SaveRecord[], changes: Partial<RecordCommand> = {}): RecordCommand {
  return { collection: THREE, space: 'live', player: 'p1', records, ...changes };
}

function then(event: RecordListEvent | Refusal, records: readonly SaveRecord[]) {
  if (event instanceof Refusal) return `${event.status} ${event.code}`;
  return evolveRecordList({ records }, event, NOW).records;
}

describe('a save record', () => {
  test('is created at the end of the list, under its name or the default one', () => {
    expect(then(createRecord(given([FIRST]), 'cccccc', 'Third'), [FIRST])).toEqual([
      FIRST,
      { recordId: 'cccccc', recordName: 'Third', createdAt: NOW, updatedAt: NOW },
    ]);
    expect(then(createRecord(given([]), 'cccccc', null), [])).toMatchObject([{ recordName: 'Save' }]);
  });

  test('is refused if the player has as many as the collection allows; a collection with one document allows one', () => {
    const third = { ...SECOND, recordId: 'cccccc' };
    expect(then(createRecord(given([FIRST, SECOND]), 'cccccc', null), [])).not.toBe('409 RECORD_LIMIT_REACHED');
    expect(then(createRecord(given([FIRST, SECOND, third]), 'dddddd', null), [])).toBe('409 RECORD_LIMIT_REACHED');
    expect(then(createRecord(given([FIRST], { collection: collection() }), 'dddddd', null), [])).toBe('409 RECORD_LIMIT_REACHED');
  });

  test('keeps its place when it is renamed, and the time is noted', () => {
    expect(then(renameRecord(given([FIRST, SECOND]), 'aaaaaa', 'New'), [FIRST, SECOND])).toEqual([
      { ...FIRST, recordName: 'New', updatedAt: NOW },
      SECOND,
    ]);
  });

  test('that does not exist can be neither renamed nor deleted', () => {
    expect(then(renameRecord(given([FIRST]), 'bbbbbb', 'New'), [FIRST])).toBe('404 RECORD_NOT_FOUND');
    expect(then(deleteRecord(given([FIRST]), 'bbbbbb'), [FIRST])).toBe('404 RECORD_NOT_FOUND');
  });

  test('is gone when it is deleted', () => {
    expect(then(deleteRecord(given([FIRST, SECOND]), 'aaaaaa'), [FIRST, SECOND])).toEqual([SECOND]);
  });

  test('of a staged space starts from the live list that the first event carries', () => {
    const event = createRecord(given([FIRST], { space: 'next1', fork: [FIRST] }), 'cccccc', null);
    expect(then(event, [])).toMatchObject([FIRST, { recordId: 'cccccc' }]);
  });

  test('gets the first id that is free', () => {
    expect(freeId([FIRST, SECOND], ['aaaaaa', 'bbbbbb', 'cccccc'])).toBe('cccccc');
    expect(freeId([], ['aaaaaa'])).toBe('aaaaaa');
  });
});

describe('a name', () => {
  test('is trimmed and cut to 64 characters, never in the middle of one', () => {
    expect(recordName('  My save ')).toBe('My save');
    expect(recordName('\u{1f600}'.repeat(70))).toBe('\u{1f600}'.repeat(64));
    expect(recordName('x'.repeat(64))).toBe('x'.repeat(64));
  });

  test('is invalid if it is blank or not a text', () => {
    for (const none of ['', ' \n', null, undefined, 5, {}, ['a']]) expect(recordName(none)).toBe(null);
  });
});

describe('a slot', () => {
  test('is named by the key of its document: the player up to the first _, and the rest', () => {
    expect(slotOf(THREE, '765_c0ffee')).toEqual({ player: '765', recordId: 'c0ffee' });
    expect(slotOf(THREE, slotKey('765', 'a_b'))).toEqual({ player: '765', recordId: 'a_b' });
  });

  test('is not named by other keys, nor in collections with one document per player, nor in global ones', () => {
    for (const key of ['765', '765_', '_c0ffee', '_']) expect(slotOf(THREE, key)).toBe(null);
    expect(slotOf(collection(), '765_c0ffee')).toBe(null);
    expect(slotOf(collection({}, { maxRecords: 3, type: 'global' }), '765_c0ffee')).toBe(null);
  });
});
