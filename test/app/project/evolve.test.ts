import { expect, test } from 'vitest';
import { evolve } from '../../../src/app/project/evolve.ts';
import { projectEvent } from '../../../src/domain/events.ts';
import { windowSubject } from '../../../src/domain/subjects.ts';

test('an event that counts in thousands of windows is indexed once, and not searched for each', () => {
  const COUNT = 2000;
  let read = 0;
  const windows = Array.from({ length: COUNT }, (_, index) => ({
    get counter() {
      read += 1;
      return `r${index}/heroes/gold/perDay/p1`;
    },
    rule: `r${index}`,
    window: 'perDay' as const,
    start: 0,
    before: index,
    after: index + 1,
  }));
  const metadata = { commandId: 'c', cause: 'test', actor: { kind: 'secret' as const }, schemaVersion: 1, recordedAt: 0 };
  const event = projectEvent({ type: 'call.counted', data: { space: 'live', endpoint: 'e', windows } }, 0, 'e', metadata, '');
  for (let index = 0; index < COUNT; index += 1) {
    const subject = windowSubject('live', `r${index}/heroes/gold/perDay/p1`);
    expect(evolve(subject, null, event)).toEqual({ start: 0, used: index + 1, flagged: false });
  }
  expect(evolve(windowSubject('live', 'other'), null, event)).toBeNull();
  expect(read).toBe(COUNT);
});
