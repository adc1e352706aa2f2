import { expect, test } from 'vitest';
import { newText } from '../../src/console/words/commit.ts';
import { movedText, newestPublish, publishedText, topicOf } from '../../src/console/words/live.ts';

/** What pages say of what came since they were read. */

const SAVE = { collection: 'saves', key: '7', version: 3 };
const BAG = { collection: 'bags', key: '7', version: 1 };
const at = (...versions: readonly (readonly [{ readonly collection: string; readonly key: string }, number])[]) =>
  new Map(versions.map(([document, version]) => [topicOf(document), version] as const));

test('a document moved when it has a later version, is gone, or is there again', () => {
  expect(movedText([SAVE, BAG], new Map())).toBeNull();
  expect(movedText([SAVE, BAG], at([SAVE, 3], [BAG, 1]))).toBeNull();
  expect(movedText([SAVE, BAG], at([SAVE, 4], [BAG, 1]))).toBe('saves changed since this was read.');
  expect(movedText([SAVE, BAG], at([SAVE, 4], [BAG, 2]))).toBe('saves and another document changed since this was read.');
  expect(movedText([SAVE, BAG, { ...BAG, key: '7_1' }], at([SAVE, 4], [BAG, 2], [{ ...BAG, key: '7_1' }, 2]))).toBe(
    'saves and 2 other documents changed since this was read.',
  );
  expect(movedText([SAVE], at([SAVE, 0]))).toBe('saves changed since this was read.');
  expect(movedText([{ ...SAVE, deleted: true }], at([SAVE, 0]))).toBeNull();
});

test('a value of the topic of publishes names the newest, whatever it is', () => {
  expect(newestPublish({ publishes: [{ revision: 8 }, { revision: 2 }] })).toEqual({ revision: 8 });
  for (const value of [null, {}, { publishes: [] }, { publishes: [{}] }]) expect(newestPublish(value)).toBeNull();
});

test('who published is told by name, and “you” in another window', () => {
  const [ada, key] = [
    { kind: 'person', person: 'p1', label: 'ada' },
    { kind: 'key', label: 'Build' },
  ];
  const told = (actor: typeof ada | typeof key, target: string) => publishedText({ revision: 8, target, actor }, 'p1');
  expect(told(ada, 'live')).toBe('You changed what is live elsewhere since this was read.');
  expect(told({ ...ada, person: 'p2' }, 'next')).toBe('ada changed what is staged since this was read.');
  expect(told(key, 'live')).toBe('key “Build” changed what is live since this was read.');
});

test('new commits are counted up to a bound', () => {
  expect([0, 1, 4, 10].map((newer) => newText(newer, 10))).toEqual([null, '1 new commit.', '4 new commits.', '10 or more new commits.']);
});
