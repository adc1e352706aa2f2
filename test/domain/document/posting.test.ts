import { expect, test } from 'vitest';
import { decideAppend } from '../../../src/domain/document/append.ts';
import { decideWrite } from '../../../src/domain/document/decide.ts';
import { withPosting } from '../../../src/domain/document/posting.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { collection, NOW, stored, write } from './fixtures.ts';

const purses = collection({ gold: { type: 'number', _ledger: true } });
const runs = collection({ score: { type: 'number', _ledger: true } }, { id: 'runs', type: 'global' });
const FLAGGED: DomainEvent = {
  type: 'write.flagged',
  data: { space: 'live', collection: 'players', key: 'p1', rule: 'r', window: 'perDay', start: 0, subject: 'p1', amount: 2, limit: 1 },
};

function moved(key: string, gold: number, value: number, space: 'live' | 'next1' = 'live'): readonly DomainEvent[] {
  const body = { kind: 'operations', ops: [{ op: 'inc', path: 'gold', value, source: 'trade' }] } as const;
  const decision = decideWrite(write({ collection: purses, space, key, current: stored({ gold }, 1, { gold }), body }));
  if (decision instanceof Refusal) throw decision;
  return decision.events;
}

function appended(): readonly DomainEvent[] {
  const about = {
    space: 'live',
    recordId: 'r1',
    writerId: 'p1',
    now: NOW,
    maxBytes: 1000,
    checkSchema: false,
    fillDefaults: false,
  } as const;
  const decision = decideAppend({ ...about, collection: runs, body: { score: 7 }, windowOf: () => null });
  if (decision instanceof Refusal) throw decision;
  return decision.events;
}

test('what one commit does to money is its last event, which names for each document the event that did it, and who has it', () => {
  const decided = [...moved('p1', 10, -4), FLAGGED, ...moved('p2_slot1', 1, 4), ...moved('p1', 6, 0), ...appended()];
  const events = withPosting(decided);
  const posted = events.at(-1);
  if (posted?.type !== 'ledger.posted') throw new Error('nothing was posted');
  expect(events.slice(0, -1)).toEqual(decided);
  const { space, postings } = posted.data;
  expect([space, postings.map(({ collection: id, key, player }) => [id, key, player])]).toEqual([
    'live',
    [
      ['players', 'p1', 'p1'],
      ['players', 'p2_slot1', 'p2'],
      ['runs', 'r1', 'r1'],
    ],
  ]);
  const makers = postings.map(({ by }) => events[events.length - 1 - by]);
  expect(makers).toEqual([decided[0], decided[2], decided[4]]);
  expect(postings.flatMap(({ entries }) => entries.map(({ delta }) => delta))).toEqual([-4, 4, 7]);
  expect(posted.balances).toEqual(['{"gold":6}', '{"gold":5}', '{"score":7}']);
});

test('a commit that moves no money posts nothing', () => {
  const decided = [...moved('p1', 10, 0), FLAGGED];
  expect(withPosting(decided)).toBe(decided);
});

test('money moves in one space at a time', () => {
  expect(() => withPosting([...moved('p1', 10, 1), ...moved('p1', 10, 1, 'next1')])).toThrow('in one space alone');
});
