import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verify } from '../../projections/maintenance/verify.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { guestNameSubject, guestSubject, sessionSubject } from '../../src/domain/subjects.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { Feed, freshPool, project } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

const hash = (letter: string) => letter.repeat(64);
const EVENTS: readonly DomainEvent[] = [
  { type: 'project.created', data: { projectId: 'p', name: 'p' } },
  { type: 'guest.registered', data: { guest: 'g1', hash: hash('a') } },
  { type: 'guest.codeIssued', data: { guest: 'g1', hash: hash('c') } },
  { type: 'guest.joined', data: { guest: 'g1', hash: hash('b'), code: hash('c') } },
  { type: 'session.created', data: { sessionId: 's1', player: 'g1', hash: hash('5'), expiresAt: 9_000, device: 'b'.repeat(16) } },
  { type: 'guest.linked', data: { guest: 'g1', account: 'ada/lovelace' } },
  { type: 'guest.registered', data: { guest: 'g2', hash: hash('d') } },
  { type: 'guest.unlinked', data: { guest: 'g1', account: 'ada/lovelace' } },
  { type: 'guest.linked', data: { guest: 'g2', account: 'ada/lovelace' } },
  { type: 'guest.linked', data: { guest: 'g1', account: 'bo' } },
  { type: 'guest.unlinked', data: { guest: 'g1', account: 'bo' } },
  { type: 'guest.codeIssued', data: { guest: 'g1', hash: hash('f'), device: hash('a') } },
  { type: 'guest.deviceRevoked', data: { guest: 'g1', hash: hash('a'), code: hash('f') } },
  { type: 'guest.codeIssued', data: { guest: 'g1', hash: hash('e'), device: hash('b') } },
  { type: 'session.refreshed', data: { family: 's1', from: 's1', sessionId: 's2', hash: hash('6'), expiresAt: 9_500 } },
];

describe.each([
  ['in one batch', (events: readonly DomainEvent[]) => [events]],
  ['event by event', (events: readonly DomainEvent[]) => events.map((event) => [event])],
])('what decisions read of guests, projected %s', (how, batches) => {
  test('is the fold of the events, and verify agrees', async () => {
    const projectId = `guests-${how.replaceAll(' ', '-')}`;
    const log = createMemoryLog();
    const feed = new Feed(log, projectId);
    for (const batch of batches(EVENTS)) {
      await feed.commit(...batch);
      await project(pool, log, feed);
    }
    const subjects = [
      ...[guestSubject('g1'), guestSubject('g2'), guestSubject('g3'), guestNameSubject('code', hash('c'))],
      ...[guestNameSubject('code', hash('e')), guestNameSubject('account', 'ada/lovelace'), guestNameSubject('account', 'bo')],
    ];
    const { states } = await createStateReader(pool).load(projectId, subjects);
    expect(states).toEqual([
      { devices: [{ hash: hash('b'), joinedAt: expect.any(Number) }], recovery: hash('e'), recoveryOf: hash('b'), account: null },
      { devices: [{ hash: hash('d'), joinedAt: expect.any(Number) }], recovery: null, account: 'ada/lovelace' },
      null,
      ...[{ guest: 'g1' }, { guest: 'g1' }, { guest: 'g2' }, null],
    ]);
    const [family] = (await createStateReader(pool).load(projectId, [sessionSubject('s1')])).states;
    expect(family).toMatchObject({ player: 'g1', device: 'b'.repeat(16) });
    expect((await verify({ log, pool })).problems.filter((problem) => problem.project === projectId)).toEqual([]);
  });
});
