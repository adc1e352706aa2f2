import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verify } from '../../projections/maintenance/verify.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { forgottenAfter } from '../../src/domain/security/request-id.ts';
import { requestSubject, type Subject, sessionSubject } from '../../src/domain/subjects.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { Feed, freshPool, project, written } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

const begun: DomainEvent = { type: 'project.created', data: { projectId: 'p', name: 'p' } };
const created = (sessionId: string, expiresAt: number): DomainEvent => {
  return { type: 'session.created', data: { sessionId, player: 'p1', hash: `h-${sessionId}`, expiresAt } };
};
const refreshed = (family: string, from: string, sessionId: string, expiresAt: number): DomainEvent => {
  return { type: 'session.refreshed', data: { family, from, sessionId, hash: `h-${sessionId}`, expiresAt } };
};
const revoked = (family: string, ...sessionIds: string[]): DomainEvent => ({ type: 'session.revoked', data: { family, sessionIds } });
const consumed = (requestId: string): DomainEvent => {
  return { type: 'request.consumed', data: { identityType: 'platform', identity: 'p1', requestId, until: forgottenAfter(requestId) } };
};
const swept = (before: number): DomainEvent => ({ type: 'access.swept', data: { before } });

const OLD = '1000000000_abcdef';
const YOUNG = '1760000000_abcdef';
const requestOf = (requestId: string) => requestSubject('platform', 'p1', requestId);

/** Projects the same events in one batch, and in one batch for each event. */
describe.each([
  ['in one batch', (events: readonly DomainEvent[]) => [events]],
  ['event by event', (events: readonly DomainEvent[]) => events.map((event) => [event])],
])('what decisions read of sessions and request ids, projected %s', (how, batches) => {
  const name = how.replaceAll(' ', '-');
  const projected = async (about: string, ...events: readonly DomainEvent[]) => {
    const projectId = `${about}-${name}`;
    const log = createMemoryLog();
    const feed = new Feed(log, projectId);
    for (const batch of batches(events)) {
      await feed.commit(...batch);
      await project(pool, log, feed);
    }
    const load = async (...subjects: readonly Subject[]) => (await createStateReader(pool).load(projectId, subjects)).states;
    const check = async () => (await verify({ log, pool })).problems.filter((problem) => problem.project === projectId);
    return { load, check };
  };

  test('a family of sessions is the fold of its events', async () => {
    const events = [created('a', 900_000), refreshed('a', 'a', 'b', 901_000), refreshed('a', 'b', 'c', 902_000), revoked('a', 'b', 'c')];
    const { load, check } = await projected('family', ...events);
    const [family, nobody] = await load(sessionSubject('a'), sessionSubject('nobody'));
    expect(nobody).toBe(null);
    expect(family).toEqual({
      player: 'p1',
      sessions: new Map([
        ['a', { sessionId: 'a', hash: 'h-a', from: null, createdAt: 1_000, expiresAt: 900_000, revokedAt: null }],
        ['b', { sessionId: 'b', hash: 'h-b', from: 'a', createdAt: 1_001, expiresAt: 901_000, revokedAt: 1_003 }],
        ['c', { sessionId: 'c', hash: 'h-c', from: 'b', createdAt: 1_002, expiresAt: 902_000, revokedAt: 1_003 }],
      ]),
    });
    expect(await check()).toEqual([]);
  });

  test('a request id is found again by its identity', async () => {
    const { load, check } = await projected('used', consumed(YOUNG), written('p1', { n: 1 }));
    const others = [requestSubject('session', 'p1', YOUNG), requestSubject('platform', 'p2', YOUNG), requestOf('1760000000_fedcba')];
    expect(await load(requestOf(YOUNG), ...others)).toEqual([{ until: forgottenAfter(YOUNG) }, null, null, null]);
    expect(await check()).toEqual([]);
  });

  test('a sweep removes what had expired, keeps what had not, and verify agrees', async () => {
    const events = [
      created('gone', 5_000),
      created('kept', 5_000),
      refreshed('kept', 'kept', 'kept2', 2e12),
      consumed(OLD),
      consumed(YOUNG),
      swept(forgottenAfter(OLD) + 1),
      created('later', 6_000),
    ];
    const { load, check } = await projected('swept', ...events);
    expect(await load(sessionSubject('gone'), requestOf(OLD))).toEqual([null, null]);
    const [kept, later, young] = await load(sessionSubject('kept'), sessionSubject('later'), requestOf(YOUNG));
    expect([kept, later, young]).not.toContain(null);
    expect(await check()).toEqual([]);
  });

  test('a change under way while its family is swept is no failure', async () => {
    const late = [refreshed('gone', 'gone', 'gone2', 9_000), revoked('gone', 'gone')];
    const { load, check } = await projected('late', created('gone', 5_000), swept(6_000), ...late, created('next', 2e12));
    const [gone, next] = await load(sessionSubject('gone'), sessionSubject('next'));
    expect([gone, next === null]).toEqual([null, false]);
    expect(await check()).toEqual([]);
  });

  test('a deleted project keeps no session and no request id', async () => {
    const { load } = await projected('deleted', begun, created('a', 2e12), consumed(YOUNG), { type: 'project.deleted', data: {} });
    expect(await load(sessionSubject('a'), requestOf(YOUNG))).toEqual([null, null]);
  });
});
