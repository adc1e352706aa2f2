import { expect, test } from 'vitest';
import { createCache, newVersion, WorkingSet } from '../../../src/app/project/working-set.ts';
import type { DocumentState } from '../../../src/domain/states.ts';
import { decodeProjectEvent } from '../../../src/log/decode.ts';
import { createMemoryLog } from '../../../src/log/memory/log.ts';
import { projectStream } from '../../../src/log/streams.ts';
import { Feed, written } from '../../projections/support.ts';

const SUBJECT = 'document/live/saves/p1';

test('a subject that is written while it is being loaded stays held until the load ends: its older row must not become the truth', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'p');
  await feed.commit(written('p1', { n: 1 }), written('p1', { n: 2 }, 2));
  const [, second] = (await log.read(projectStream('p'), { limit: 2, direction: 'forwards' })).map((event) => decodeProjectEvent(event));
  if (second === undefined) throw new Error('two events');
  // Whatever may be forgotten is forgotten at once.
  const set = new WorkingSet(0, createCache(1));
  const floor = set.horizon;
  set.keep([SUBJECT]);
  const state: DocumentState = { document: { n: 2 }, version: 2, createdAt: 1, updatedAt: 1 };
  set.settle([[SUBJECT, newVersion(state, 10)]], [second]);
  set.moveHorizon(1);
  set.admit(SUBJECT, { ...state, document: { n: 1 }, version: 1 }, 0, floor);
  expect(set.durable(SUBJECT)?.state).toEqual(state);
  set.letGo([SUBJECT]);
  expect([set.durable(SUBJECT), set.windowBytes]).toEqual([undefined, 0]);
});
