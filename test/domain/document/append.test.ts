import { expect, test } from 'vitest';
import { type AppendCommand, type Appended, decideAppend, reprintedRecord } from '../../../src/domain/document/append.ts';
import { evolveDocument } from '../../../src/domain/document/evolve.ts';
import type { LedgerChange, RecordAppended } from '../../../src/domain/events.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { ExactNumber } from '../../../src/kernel/json.ts';
import { collection, NOW, windows } from './fixtures.ts';

const GLOBAL = collection({ score: 'number' }, { id: 'runs', name: 'Runs', type: 'global' });

function append(changes: Partial<AppendCommand> = {}): AppendCommand {
  return {
    collection: GLOBAL,
    space: 'live',
    body: { score: 5 },
    recordId: 'r1',
    writerId: 'p1',
    now: NOW,
    maxBytes: 1000,
    checkSchema: true,
    fillDefaults: true,
    windowOf: () => null,
    ...changes,
  };
}

function accepted(command: AppendCommand): Appended & { readonly data: RecordAppended; readonly ledger: LedgerChange | undefined } {
  const result = decideAppend(command);
  if (result instanceof Refusal) throw result;
  const [event] = result.events;
  if (event?.type !== 'record.appended') throw new Error('no record.appended');
  expect(evolveDocument(null, event, command.now).document).toEqual(result.record);
  return { ...result, data: event.data, ledger: event.ledger };
}

test('a record begins with its id, time and writer; sent members of these names are dropped', () => {
  const { record, text, data } = accepted(
    append({ body: { _txId: 1, score: new ExactNumber('1e400'), _id: 'x', _timestamp: 1, _writerId: 'y' } }),
  );
  expect(text).toBe(`{"_id":"r1","_timestamp":${NOW},"_writerId":"p1","score":1e400}`);
  expect(Object.keys(record)).toEqual(['_id', '_timestamp', '_writerId', 'score']);
  expect(data).toEqual({
    space: 'live',
    collection: 'runs',
    recordId: 'r1',
    timestamp: NOW,
    writerId: 'p1',
    document: { score: new ExactNumber('1e400') },
    definition: 'definition-hash',
  });
});

test('tracked fields make entries, as in every other write', () => {
  const tracked = collection({ score: { type: 'number', _ledger: true }, n: 'number' }, { id: 'runs', name: 'Runs', type: 'global' });
  const { ledger } = accepted(append({ collection: tracked, body: { score: 5, n: 1, _timestamp: 7 } }));
  const entries = [{ field: 'score', before: 0, after: 5, delta: 5, source: 'direct' }];
  expect(ledger).toMatchObject({ entries, balances: '{"score":5}' });
});

test.each<[string, Partial<AppendCommand>, string]>([
  ['a player collection', { collection: collection() }, 'COLLECTION_TYPE_MISMATCH'],
  ['a list', { body: [1] }, 'INVALID_BODY'],
  ['an empty object', { body: {} }, 'INVALID_BODY'],
  ['a record over the size', { maxBytes: 10 }, 'PAYLOAD_TOO_LARGE'],
  ['a record that does not fit', { body: { score: 'x' } }, 'SCHEMA_VALIDATION_FAILED'],
])('refused: %s', (_name, changes, code) => {
  expect(decideAppend(append(changes))).toMatchObject({ name: 'Refusal', code });
});

test('the daily limit counts the writer; exactly the limit passes', () => {
  const limited = { ...GLOBAL, dailyLimit: { per: 'player', count: 2 } } as const;
  const start = Date.UTC(2024, 4, 15);
  const used = (count: number) => windows({ '@daily/runs/*/perDay/p1': { start, used: count, flagged: false } });
  expect(accepted(append({ collection: limited, windowOf: used(1) })).data.windows).toEqual([
    { counter: '@daily/runs/*/perDay/p1', rule: 'daily', window: 'perDay', start, before: 1, after: 2 },
  ]);
  expect(decideAppend(append({ collection: limited, windowOf: used(2) }))).toMatchObject({
    code: 'RATE_LIMIT_DAILY',
    message: 'The daily limit of the collection "runs" was reached: 2 saves a day of each player; the next day begins at midnight, UTC',
    extra: { retryAfter: 10 * 3600 + 14 * 60 + 30 },
  });
  expect(accepted(append({ collection: limited, windowOf: used(2), writerId: 'p2' })).record['_writerId']).toBe('p2');
});

test('a repeated append is answered from the body and the kept id and time', () => {
  const body = { score: 5, _id: 'x', n: new ExactNumber('1e400') };
  const { text } = accepted(append({ body }));
  expect(reprintedRecord(body, { recordId: 'r1', timestamp: NOW, writerId: 'p1' })).toBe(text);
});
