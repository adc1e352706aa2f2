import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verify } from '../../projections/maintenance/verify.ts';
import { readRevisions } from '../../projections/models/subjects/read.ts';
import { BATCH_EVENTS } from '../../projections/projector/batch-slicing.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import type { CountedPage, DocumentRowKey } from '../../src/app/ports/state-reader.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import type { DocumentState } from '../../src/domain/states.ts';
import { AUTHORITY, DEFINITIONS, documentSubject, idempotencySubject, windowSubject } from '../../src/domain/subjects.ts';
import { ExactNumber } from '../../src/kernel/json.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { folded } from '../domain/document/fixtures.ts';
import { appended, changed, deleted, Feed, fillAll, freshPool, plain, project, rowsOf, topQuery, written } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

const p1 = documentSubject('live', 'saves', 'p1');

describe('projects', () => {
  test('a game package is loaded as it was folded, its numbers exact, and a project without one has none', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'packaged');
    await feed.commit({ type: 'project.created', data: { projectId: 'packaged', name: 'P' } });
    await project(pool, log, feed);
    const reader = createStateReader(pool);
    expect((await reader.load('packaged', [AUTHORITY])).states).toMatchObject([{ gamePackage: null }]);
    const members = { currentRevisionId: 7, rawPackage: { id: new ExactNumber('76561198000000001'), 'é\n': [] } };
    await feed.commit({ type: 'package.synced', data: { changes: members } });
    await feed.commit({ type: 'package.synced', data: { changes: { packageTitle: 'T' } } });
    await project(pool, log, feed);
    expect((await reader.load('packaged', [AUTHORITY])).states).toMatchObject([
      { name: 'P', gamePackage: { members: { ...members, packageTitle: 'T' }, publishedAt: 1_001, syncedAt: 1_002 } },
    ]);
  });
});

/** What an event does to a document, in a few words. */
type Step = 'write' | 'change' | 'delete' | 'earn' | 'spend';

function eventOf(step: Step, version: number): DomainEvent {
  const entry = { field: 'gold', before: 0, after: version, delta: version, source: 's' };
  if (step === 'delete') return deleted('p1', version);
  if (step === 'earn') return written('p1', { gold: version }, version, { ledger: [entry] });
  if (step === 'spend') return changed('p1', [['gold', 0]], version, { ledger: [{ ...entry, after: 0 }] });
  return step === 'write' ? written('p1', { at: version }, version) : changed('p1', [['seen', version]], version);
}

describe('documents', () => {
  test('a document has the same state, times and creation, however its events are divided into batches', async () => {
    const log = createMemoryLog();
    const steps = fc.array(fc.constantFrom<Step>('write', 'change', 'delete', 'earn', 'spend'), {
      minLength: 1,
      maxLength: 3,
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 4 }), fc.boolean(), async (batches, global) => {
        run += 1;
        const feed = new Feed(log, `cut${run}`);
        // For a global collection the projector must also know when records began, because the list is sorted by that.
        await feed.publish('live', [['collection', 'saves', { id: 'saves', collectionType: global ? 'global' : 'per-platformid' }]]);
        await project(pool, log, feed);
        let state: DocumentState | null = null;
        let born = -1;
        let version = 0;
        for (const batch of batches) {
          const events = batch.map((step, index) => eventOf(step, version + index + 1));
          for (const [index, event] of events.entries()) {
            version += 1;
            const revision = feed.revision + 1 + index;
            const next: DocumentState | null = folded(state, [event], 1_000 + revision);
            if (born < 0 || (state?.document == null && next?.document !== null)) born = revision;
            state = next;
          }
          await feed.commit(...events);
          await project(pool, log, feed);
        }
        expect((await createStateReader(pool).load(feed.projectId, [p1])).states.map(plain)).toEqual([state]);
        const [row] = await rowsOf(pool, `SELECT created_revision FROM savepoint.documents WHERE project = '${feed.projectId}'`);
        expect(row).toEqual({ created_revision: String(born) });
        const listed = await rowsOf(pool, `SELECT sequence FROM savepoint.records WHERE project = '${feed.projectId}'`);
        expect(listed).toEqual(global && state?.document ? [{ sequence: String(born) }] : []);
      }),
      { numRuns: 40 },
    );
  });

  test('a posting counts in the balances of its documents also where a batch begins between them and it', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'halved');
    const entry = { field: 'gold', before: 0, after: 5, delta: 5, source: 's' };
    // One commit that is larger than a batch: its posting comes last.
    const players = Array.from({ length: BATCH_EVENTS + 1 }, (_, index) => `p${index}`);
    await feed.commit(...players.map((player) => written(player, { gold: 5 }, 1, { ledger: [entry] })));
    await feed.commit(changed('p1', [['gold', 7]], 2, { ledger: [{ ...entry, before: 5, after: 7, delta: 2 }] }));
    await project(pool, log, feed);
    const { states } = await createStateReader(pool).load(feed.projectId, [p1, documentSubject('live', 'saves', 'p2')]);
    expect(states.map(plain)).toMatchObject([
      { version: 2, balances: '{"gold":7}' },
      { version: 1, balances: '{"gold":5}' },
    ]);
    expect((await verify({ pool, log })).problems.filter((problem) => problem.project === feed.projectId)).toEqual([]);
  });

  test('a replaced document keeps its time of creation; the last state of a batch is what is stored', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'replace');
    await feed.commit(written('p1', { a: 1 }), written('p1', { a: 2 }, 2));
    await project(pool, log, feed);
    await feed.commit(written('p1', { a: 3 }, 3));
    await project(pool, log, feed);
    const { revision, states } = await createStateReader(pool).load('replace', [p1, documentSubject('live', 'saves', 'nobody')]);
    expect(revision).toBe(2);
    expect(states.map(plain)).toEqual([{ document: { a: 3 }, version: 3, createdAt: 1_000, updatedAt: 1_002 }, null]);
  });

  test('changes apply to the stored row, also in a later batch', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'changes');
    await feed.commit(written('p1', { z: 1, a: { b: 1, c: [1] } }));
    await project(pool, log, feed);
    await feed.commit(changed('p1', [['a.b', new ExactNumber('76561198000000001')]]), changed('p1', [['n', true]], 3));
    await project(pool, log, feed);
    const [row] = await rowsOf(pool, `SELECT document::text AS text FROM savepoint.documents WHERE project = 'changes'`);
    expect(row?.['text']).toBe('{"z":1,"a":{"b":76561198000000001,"c":[1]},"n":true}');
    const { states } = await createStateReader(pool).load('changes', [p1]);
    expect(states[0]).toMatchObject({ version: 3, document: { a: { b: new ExactNumber('76561198000000001') } } });
  });

  test('a deleted document leaves a tombstone with its version, and a document created anew has its own times', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'tombstone');
    await feed.commit(written('p1', { a: 1 }), deleted('p1'));
    await project(pool, log, feed);
    const reader = createStateReader(pool);
    expect((await reader.load('tombstone', [p1])).states).toEqual([{ document: null, version: 2, createdAt: 1_000, updatedAt: 1_001 }]);
    await feed.commit(written('p1', { b: 1 }, 3));
    await project(pool, log, feed);
    expect((await reader.load('tombstone', [p1])).states.map(plain)).toEqual([
      { document: { b: 1 }, version: 3, createdAt: 1_002, updatedAt: 1_002 },
    ]);
    expect(await rowsOf(pool, `SELECT created_revision FROM savepoint.documents WHERE project = 'tombstone'`)).toEqual([
      { created_revision: '2' },
    ]);
  });

  test('a forked document of a next space starts from the live state that its first event carries', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'fork');
    await feed.commit(
      written('p1', { a: 1, b: 1 }),
      changed('p1', [['a', 2]], 2, { space: 'next1', fork: { document: { a: 1, b: 1 }, version: 1 } }),
    );
    await project(pool, log, feed);
    const { states } = await createStateReader(pool).load('fork', [
      p1,
      documentSubject('next1', 'saves', 'p1'),
      documentSubject('next1', 'saves', 'p2'),
    ]);
    expect(states.map((state) => state && 'document' in state && state.document)).toEqual([{ a: 1, b: 1 }, { a: 2, b: 1 }, null]);
  });
});

test('a window stays flagged until the next one begins, across batches', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'windows');
  const write = (start: number, after: number, flagged = false) =>
    written('p1', {}, 1, {
      windows: [{ counter: 'rule/x/p/with/slash', rule: 'rule', window: 'perDay', start, before: 0, after, flagged }],
    });
  const load = async () => (await createStateReader(pool).load('windows', [windowSubject('live', 'rule/x/p/with/slash')])).states[0];
  await feed.commit(write(0, 1, true));
  await project(pool, log, feed);
  await feed.commit(write(0, 2.5));
  await project(pool, log, feed);
  expect(await load()).toEqual({ start: 0, used: 2.5, flagged: true });
  await feed.commit(write(100, 1));
  await project(pool, log, feed);
  expect(await load()).toEqual({ start: 100, used: 1, flagged: false });
});

test('an idempotency key keeps its last outcome', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'idempotency');
  const refused = { status: 409, code: 'TOO_POOR', message: 'é', requestId: 'req', extra: { body: { have: new ExactNumber('1e400') } } };
  const at = { space: 'live', scope: '@key', caller: '', request: 'r', until: 9e12 } as const;
  await feed.commit(
    { type: 'answer.kept', data: { ...at, key: 'k', answer: 'first' } },
    { type: 'answer.kept', data: { ...at, key: 'k', answer: { $n: 'text' } } },
    { type: 'answer.kept', data: { ...at, key: 'no', refused } },
  );
  await project(pool, log, feed);
  const subjectsOf = (scope: string, caller: string, ...keys: readonly string[]) =>
    keys.map((key) => idempotencySubject({ space: 'live', scope, caller, key }));
  const subjects = [...subjectsOf('feed', 'w', 'a/b'), ...subjectsOf('@key', '', 'k', 'no')];
  const { states } = await createStateReader(pool).load('idempotency', subjects);
  expect(states).toEqual([
    null,
    { request: 'r', until: 9e12, outcome: { answer: { $n: 'text' } } },
    { request: 'r', until: 9e12, outcome: { refused } },
  ]);
});

test('a kept answer is forgotten only by an event that says so', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'idempotency-swept');
  const kept = (key: string, until: number): DomainEvent => {
    return { type: 'answer.kept', data: { space: 'live', scope: '@key', caller: 'p', key, request: 'r', until, answer: null } };
  };
  await feed.commit(kept('old', 1_000), kept('young', 9e12));
  await project(pool, log, feed);
  await feed.commit(kept('older', 900), { type: 'answers.swept', data: { before: 2_000 } });
  await project(pool, log, feed);
  const subjects = ['old', 'older', 'young'].map((key) => idempotencySubject({ space: 'live', scope: '@key', caller: 'p', key }));
  const { states } = await createStateReader(pool).load('idempotency-swept', subjects);
  expect(states.map((state) => state !== null)).toEqual([false, false, true]);
});

test('definitions are loaded as they were folded, with order and partial texts, whatever the batches', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'definitions');
  await feed.publish('live', [
    ['collection', 'b', { id: 'b' }],
    ['collection', 'a', { id: 'a' }],
    ['query', 'top', topQuery('asc')],
  ]);
  await project(pool, log, feed);
  await feed.publish('next', [['collection', 'b', { id: 'b', name: 'B' }]]);
  await feed.commit({ type: 'source.stored', data: { hash: 'f'.repeat(64), part: 1, parts: 3, text: 'middle' } });
  await feed.publish('live', [
    ['collection', 'b', null],
    ['collection', 'c', { id: 'c' }],
  ]);
  await project(pool, log, feed);
  const { states } = await createStateReader(pool).load('definitions', [DEFINITIONS, AUTHORITY]);
  const [state] = states;
  if (!state || !('live' in state)) throw new Error('no definitions');
  expect([...state.live.collection.keys()]).toEqual(['a', 'c']);
  expect(state.next.collection.get('b')?.text).toBe('{"id":"b","name":"B"}');
  expect(state.partial.get('f'.repeat(64))).toEqual([undefined, 'middle', undefined]);
  expect(states[1]).toBeNull();
});

test('a deleted project keeps its authority row and loses every other row', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'gone');
  await fillAll(feed);
  await project(pool, log, feed);
  await feed.commit(written('p9', { a: 1 }), { type: 'project.deleted', data: {} });
  await project(pool, log, feed);
  const { states, revision } = await createStateReader(pool).load('gone', [AUTHORITY, DEFINITIONS, p1]);
  expect(revision).toBe(feed.revision);
  expect(states).toMatchObject([{ deleted: true, name: 'Demo', settings: { big: 1, nextData: 'isolated' } }, null, null]);
  expect(states[0] && 'keys' in states[0] && [...states[0].keys.keys()]).toEqual(['k1', 'k2']);
  for (const table of [
    'documents',
    'subjects',
    'ledger',
    'records',
    'leaderboards',
    'leaderboard_counts',
    'leaderboard_queries',
    'limits',
    'idempotency',
  ]) {
    expect(await rowsOf(pool, `SELECT FROM savepoint.${table} WHERE project = 'gone'`), table).toEqual([]);
  }
});

test('loads of one turn are one statement, and each caller gets its own in its order', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'together');
  await feed.commit(written('p1', { a: 1 }), written('p2', { a: 2 }));
  await project(pool, log, feed);
  let statements = 0;
  const counting = Object.assign(Object.create(pool), {
    query: (...args: Parameters<typeof pool.query>) => {
      statements += 1;
      return pool.query(...args);
    },
  }) as pg.Pool;
  const reader = createStateReader(counting);
  const p2 = documentSubject('live', 'saves', 'p2');
  const [one, other] = await Promise.all([reader.load('together', [p2, p1]), reader.load('together', [p1])]);
  expect(statements).toBe(1);
  expect(one.states).toMatchObject([{ document: { a: 2 } }, { document: { a: 1 } }]);
  expect(other.states).toMatchObject([{ document: { a: 1 } }]);
});

test('documents are counted in pages over all collections, live and staged, with the bytes of their texts, without deleted ones and earlier staged data', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'counted');
  const [next, record] = [{ space: 'next-1' } as const, { space: 'live', collection: 'chat' } as const];
  const texts = ['{"a":1}', '{"é":"ü"}', `{"long":"${'x'.repeat(20_000)}"}`];
  await feed.commit(...texts.map((text, index) => written(`p${index}`, JSON.parse(text))), written('gone', { a: 1 }), deleted('gone'));
  await feed.commit(written('p0', { b: 1 }, 1, next), deleted('p1', 1, next), appended('r1', 5, { n: 1 }, record));
  await feed.commit(written('p0', { b: 1 }, 1, { space: 'next-0' }), written('p9', { b: 1 }, 1, { space: 'next-2' }));
  await new Feed(log, 'counted-not').commit(written('p1', { a: 1 }));
  await project(pool, log, feed);
  const reader = createStateReader(pool);
  const { rows } = await pool.query<{ documents: string; bytes: string; all: string }>(`
    SELECT count(document) AS documents, sum(octet_length(document::text)) AS bytes, 
      (SELECT count(*) FROM savepoint.documents WHERE project = 'counted') AS all
    FROM savepoint.documents WHERE project = 'counted' AND space IN ('live', 'next-1')`);
  const [whole] = rows;
  for (const size of [1, 3, 100]) {
    let sum = { documents: 0, bytes: 0, pages: 0 };
    let after: DocumentRowKey | null = null;
    do {
      const page: CountedPage = await reader.countDocuments('counted', 'next-1', after, size, true);
      expect(page.revision).toBe(feed.revision);
      sum = { documents: sum.documents + page.documents, bytes: sum.bytes + page.bytes, pages: sum.pages + 1 };
      after = page.last;
    } while (after !== null);
    expect(sum).toEqual({
      documents: Number(whole?.documents),
      bytes: Number(whole?.bytes),
      pages: Math.floor(Number(whole?.all) / size) + 1,
    });
  }
  expect(Number(whole?.documents)).toBe(5);
  expect(Number(whole?.bytes)).toBeGreaterThan(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  expect(await reader.countDocuments('counted', 'next-1', null, 100, false)).toMatchObject({ documents: 5, bytes: 0 });
});

test('the index of subjects lists the revisions that changed a document, newest first', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'history');
  await feed.commit(written('p1', { a: 1 }), written('p2', { a: 1 }), changed('p1', [['a', 2]]), deleted('p1', 3));
  await project(pool, log, feed);
  expect(await readRevisions(pool, 'history', p1, { before: 4, limit: 2 })).toEqual([3, 2]);
  expect(await readRevisions(pool, 'history', p1, { before: 2, limit: 9 })).toEqual([0]);
});

test('the index of subjects is read from its newest block on, however the events were batched', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'blocks');
  const p2 = documentSubject('live', 'saves', 'p2');
  for (const size of [1, 62, 1, 1, 63, 64, 200, 5]) {
    await feed.commit(...Array.from({ length: size }, (_, i) => written(i === 0 ? 'p2' : 'p1', { i }, i + 1)));
    await project(pool, log, feed);
  }
  expect(await readRevisions(pool, 'blocks', p2, { before: 1000, limit: 9 })).toEqual([392, 192, 128, 65, 64, 63, 1, 0]);
  expect(await readRevisions(pool, 'blocks', p2, { before: 128, limit: 2 })).toEqual([65, 64]);
  const some = await readRevisions(pool, 'blocks', p1, { before: 129, limit: 1000 });
  expect(some).toEqual(Array.from({ length: 129 }, (_, i) => 128 - i).filter((revision) => ![128, 65, 64, 63, 1, 0].includes(revision)));
});
