import { expect, test } from 'vitest';
import { createCache } from '../../../src/app/project/shared-cache.ts';
import { newVersion } from '../../../src/app/project/version.ts';
import { WorkingSet } from '../../../src/app/project/working-set.ts';
import { PackedDocument } from '../../../src/domain/document/packed.ts';
import { withPosting } from '../../../src/domain/document/posting.ts';
import { projectEvent } from '../../../src/domain/events.ts';
import type { DocumentState } from '../../../src/domain/states.ts';
import { collectionSubject, documentSubject } from '../../../src/domain/subjects.ts';
import { decodeProjectEvent } from '../../../src/log/decode.ts';
import { createMemoryLog } from '../../../src/log/memory/log.ts';
import { projectStream } from '../../../src/log/streams.ts';
import { Feed, written } from '../../projections/support.ts';

const SUBJECT = documentSubject('live', 'saves', 'p1');
const NOBODY = { commandId: 'c', cause: 'test', actor: { kind: 'operator' as const }, schemaVersion: 1, recordedAt: 1 };

test('a subject that is written while it is being loaded stays pinned until the load ends: its older row must not become the state', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'p');
  await feed.commit(written('p1', { n: 1 }), written('p1', { n: 2 }, 2));
  const [, second] = (await log.read(projectStream('p'), { limit: 2, direction: 'forwards' })).map((event) => decodeProjectEvent(event));
  if (second === undefined) throw new Error('two events');
  // Everything that may be forgotten is forgotten at once.
  const set = new WorkingSet(0, createCache(1));
  const floor = set.horizon;
  set.pin([SUBJECT]);
  const state: DocumentState = { document: { n: 2 }, version: 2, createdAt: 1, updatedAt: 1 };
  set.settle([[SUBJECT, newVersion(state, 10)]], [second]);
  set.moveHorizon(1);
  set.admit(SUBJECT, { ...state, document: { n: 1 }, version: 1 }, 0, floor);
  expect(set.durable(SUBJECT)?.state).toEqual(state);
  set.unpin([SUBJECT]);
  expect([set.durable(SUBJECT), set.windowBytes]).toEqual([undefined, 0]);
});

test('a served text is weighed with its document: small documents with large defaults must not exceed the cache', async () => {
  const subjects = ['p1', 'p2', 'p3'].map((key) => documentSubject('live', 'saves', key));
  const set = new WorkingSet(0, createCache(16_000));
  for (const subject of subjects) set.admit(subject, new PackedDocument('{}', 1, 1, 1), 0, 0);
  set.unpin(subjects);
  const held = () => subjects.filter((subject) => set.durable(subject) !== undefined);
  expect(held()).toEqual(subjects);
  for (const subject of subjects) {
    const version = set.durable(subject);
    if (version) set.keepMemo(subject, version, { text: 'x'.repeat(3_000) });
  }
  expect(held()).toEqual(subjects.slice(1));
  const [, , last] = subjects;
  const version = last === undefined ? undefined : set.durable(last);
  if (last === undefined || version === undefined) throw new Error('the last is held');
  set.keepMemo(last, version, { text: 'x'.repeat(30_000) });
  expect(held()).toEqual(subjects.slice(1, 2));
  expect(set.windowBytes).toBe(0);
});

test('a collection has changed where the commit ends, however much of it was heard: a ledger that lacks the posting is not the present one', () => {
  const inCollection = collectionSubject('live', 'saves');
  const entry = { field: 'gold', before: 0, after: 1, delta: 1, source: 's' };
  const events = withPosting([written('p1', { gold: 1 }, 1, { ledger: [entry] })]).map((event, index, { length }) => {
    const left = length - 1 - index;
    return projectEvent(event, 5 + index, '', { ...NOBODY, ...(left > 0 ? { left } : {}) }, '');
  });
  const [document, posted] = events;
  if (document === undefined || posted === undefined) throw new Error('a document and its posting');
  const hearing = new WorkingSet(4, createCache(1_000));
  hearing.fold(document, 10);
  expect([hearing.head, hearing.collectionChangedAt(inCollection)]).toEqual([5, 6]);
  hearing.fold(posted, 10);
  const writing = new WorkingSet(4, createCache(1_000));
  writing.settle([], events);
  expect([hearing, writing].map((set) => [set.head, set.collectionChangedAt(inCollection)])).toEqual([
    [6, 6],
    [6, 6],
  ]);
});

test('the heaviest subjects are loaded first: rows of many others may be large, and would free nothing', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'p');
  const keys = ['once', 'twice', 'hot', 'hot', 'twice', 'hot'];
  await feed.commit(...keys.map((key, n) => written(key, { n }, n + 1)));
  const set = new WorkingSet(-1, createCache(1_000));
  const events = await log.read(projectStream('p'), { limit: 10, direction: 'forwards' });
  for (const event of events) set.fold(decodeProjectEvent(event), 100);
  const [hot, twice] = [documentSubject('live', 'saves', 'hot'), documentSubject('live', 'saves', 'twice')];
  expect([set.heaviestSubjects(1), set.heaviestSubjects(9)]).toEqual([[hot], [hot, twice]]);
  set.admitIfSmaller(hot, new PackedDocument(JSON.stringify({ pad: 'x'.repeat(1_000) }), 1, 1, 1), -1, -1);
  expect(set.heaviestSubjects(9)).toEqual([twice]);
});

test('a closed project puts nothing into the shared cache, however late its rows are written', () => {
  const cache = createCache(50_000);
  const other = new WorkingSet(0, cache);
  const kept = Array.from({ length: 30 }, (_, n) => documentSubject('live', 'others', `p${n}`));
  for (const subject of kept) other.admit(subject, new PackedDocument('{}', 1, 1, 1), 0, 0);
  other.unpin(kept);
  const closed = new WorkingSet(0, cache);
  for (let revision = 1; revision <= 100; revision += 1) {
    const version = newVersion(new PackedDocument('{"n":1}', 1, 1, 1), 500);
    const effects = [[documentSubject('live', 'saves', `p${revision}`), version]] as const;
    const event = projectEvent(written(`p${revision}`, { n: 1 }), revision, '', NOBODY, '');
    closed.speculate(effects);
    if (revision === 100) closed.close();
    closed.settle(effects, [event]);
  }
  const before = cache.versions.calculatedSize;
  closed.moveHorizon(100);
  expect(cache.versions.calculatedSize).toBe(before);
  expect(kept.filter((subject) => other.durable(subject) === undefined)).toEqual([]);
});
