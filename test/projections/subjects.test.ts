import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subjectIndex } from '../../projections/models/subjects/projection.ts';
import { readRevisions, readRevisionsAfter } from '../../projections/models/subjects/read.ts';
import { BLOCK_REVISIONS } from '../../projections/models/subjects/shape.ts';
import { transaction } from '../../projections/transaction.ts';
import { indexedSubjects } from '../../src/domain/commit/named.ts';
import type { DomainEvent, EventMetadata, ProjectEvent } from '../../src/domain/events.ts';
import { projectEvent } from '../../src/domain/events.ts';
import { documentSubject, idSubject, playerSubject } from '../../src/domain/subjects.ts';
import { deleted, freshPool, written } from './support.ts';

/** The index of subjects: what it holds of an event, and that merging loses nothing. */

let pool: pg.Pool;

beforeAll(async () => {
  pool = await freshPool();
});

afterAll(async () => {
  await pool?.end();
});

const METADATA: EventMetadata = { commandId: '', cause: 'test', actor: { kind: 'public' }, schemaVersion: 1, recordedAt: 1 };
const at = (event: DomainEvent, revision: number, metadata: Partial<EventMetadata> = {}): ProjectEvent =>
  projectEvent(event, revision, `event-${revision}`, { ...METADATA, ...metadata }, '');
const indexed = (event: DomainEvent, metadata: Partial<EventMetadata> = {}) => [...indexedSubjects(at(event, 7, metadata))];
const hero = 'document/live/saves/p1_slot';

test('an event stands under what it changes, the players whom it names, and the ids that somebody may hold', () => {
  const cause = { commandId: 'c1', actor: { kind: 'public', player: 'p9' } } as const;
  expect(indexed(written('p1_slot', {}), cause)).toEqual([hero, 'player/p1', 'id/c1', 'player/p9']);
  expect(indexed(written('p1_slot', {}), { ...cause, left: 1, requestId: 'crash 17' })).toEqual([hero, 'player/p1', 'id/crash 17']);
  const postings = [{ by: 1, collection: 'saves', key: 'p1_slot', player: 'p1', entries: [] }];
  expect(indexed({ type: 'ledger.posted', data: { space: 'live', postings } }, { ...cause, left: 1 })).toEqual(['id/event-7']);
  const session = { sessionId: 's1', player: 'p1', hash: 'h', expiresAt: 1 };
  expect(indexed({ type: 'session.created', data: session })).toEqual(['player/p1', 'id/s1']);
  expect(indexed({ type: 'guest.linked', data: { guest: 'g1', account: 'p1' } })).toEqual(['player/g1', 'player/p1']);
  const used = { identityType: 'platform', identity: 'p1', requestId: 'r1', until: 1 } as const;
  expect(indexed({ type: 'request.consumed', data: used })).toEqual(['player/p1', 'id/r1']);
  expect(indexed({ type: 'settings.changed', data: { changes: {} } })).toEqual(['authority']);
  expect(indexed({ type: 'settings.changed', data: { changes: {}, ticket: 'T-77' } })).toEqual(['authority', 'id/T-77']);
  expect(indexed({ type: 'access.swept', data: { before: 1 } })).toEqual([]);
});

test('a publish stands under each definition that it names, and a text under its hash', () => {
  const changes = [
    { kind: 'collection', id: 'saves', hash: 'h1' },
    { kind: 'game-values', id: '*', hash: null },
  ] as const;
  const named = ['definition/collection/saves', 'definition/game-values/*'];
  const live = { target: 'live', changes, hash: 'h' } as const;
  expect(indexed({ type: 'definitions.published', data: live })).toEqual(['definitions', ...named]);
  expect(indexed({ type: 'definitions.promoted', data: { changes, hash: 'h', generation: 1 } })).toEqual([
    'definitions',
    'promotions',
    ...named,
  ]);
  expect(indexed({ type: 'definitions.rolledBack', data: { changes, hash: 'h', generation: 1, to: 4 } })).toEqual([
    'definitions',
    ...named,
  ]);
  expect(indexed({ type: 'source.stored', data: { hash: 'h1', part: 0, parts: 1, text: '{}' } })).toEqual(['definitions', 'source/h1']);
});

test('the key of a commit is no subject: it may stand in every commit', () => {
  expect(indexed(written('p1_slot', {}), { actor: { kind: 'secret', keyId: 'k1' } })).toEqual([hero, 'player/p1']);
});

/** Writes of players in turn; every tenth event is one of `hot`. */
function history(from: number, to: number): readonly ProjectEvent[] {
  return Array.from({ length: to - from }, (_, index) => {
    const revision = from + index;
    return at(written(revision % 10 === 0 ? 'hot' : `p${revision % 97}`, {}), revision, { commandId: `c${revision}` });
  });
}

async function folded(project: string, batches: readonly number[], range: number, last: number): Promise<void> {
  const index = subjectIndex(range);
  let from = 0;
  for (let batch = 0; from < last; batch += 1) {
    const to = Math.min(last, from + (batches[batch % batches.length] ?? 1));
    const events = history(from, to);
    await transaction(pool, project, new Map([['subjects', 1]]), (tx) =>
      index.project(
        { all: events, events, wiped: false, documents: [], definitions: { before: null, after: null }, catalog: NO_CATALOG, atOnce: 1 },
        tx,
      ),
    );
    from = to;
  }
}

const NO_CATALOG = { before: null, after: { boards: new Map(), globals: new Map() } } as never;

const tables = async (project: string) => {
  const { rows: blocks } = await pool.query('SELECT block, hashes, revisions FROM savepoint.subjects WHERE project = $1 ORDER BY block', [
    project,
  ]);
  const { rows: buckets } = await pool.query(
    'SELECT bucket, first, part, hashes, revisions FROM savepoint.subject_buckets WHERE project = $1 ORDER BY bucket, first, part',
    [project],
  );
  return { blocks, buckets };
};

const revisions = (project: string, subject: string, before: number, limit: number) =>
  readRevisions(pool, project, subject, { before, limit });

test('a search finds every revision, newest first, in what is new and in ranges that were merged', async () => {
  const range = BLOCK_REVISIONS;
  const last = range * 138 + 5;
  await folded('merged', [500], range, last);
  const { blocks, buckets } = await tables('merged');
  expect(blocks).toHaveLength(1);
  expect(buckets.length).toBeGreaterThan(1_000);
  const expected = (is: (revision: number) => boolean) => Array.from({ length: last }, (_, i) => last - 1 - i).filter(is);
  const hot = expected((revision) => revision % 10 === 0);
  expect(await revisions('merged', documentSubject('live', 'saves', 'hot'), last, 10_000)).toEqual(hot);
  expect(await revisions('merged', playerSubject('hot'), 2_000, 7)).toEqual(hot.filter((revision) => revision < 2_000).slice(0, 7));
  const cold = expected((revision) => revision % 97 === 3 && revision % 10 !== 0);
  expect(await revisions('merged', playerSubject('p3'), last, 10_000)).toEqual(cold);
  for (const revision of [0, 17, 2_100, 4_200]) expect(await revisions('merged', idSubject(`c${revision}`), last, 10)).toEqual([revision]);
  expect(await revisions('merged', playerSubject('nobody'), last, 10)).toEqual([]);
  const after = (from: number, limit: number) => readRevisionsAfter(pool, 'merged', playerSubject('hot'), { after: from, limit });
  const ascending = hot.toReversed();
  expect(await after(-1, 10_000)).toEqual(ascending);
  for (const from of [0, 17, 2_000, last - 30])
    expect(await after(from, 7)).toEqual(ascending.filter((revision) => revision > from).slice(0, 7));
});

test('the tables follow from the revision alone, however the events were batched', async () => {
  const last = BLOCK_REVISIONS * 2 * 67 + 40;
  await folded('whole', [2_000], BLOCK_REVISIONS * 2, last);
  await folded('pieces', [1, 62, 200, 33, 500], BLOCK_REVISIONS * 2, last);
  expect(await tables('pieces')).toEqual(await tables('whole'));
});

test('deleting is a change like another', () => {
  expect(indexed(deleted('p1_slot'))).toEqual([hero, 'player/p1']);
});
