import { expect, test } from 'vitest';
import { type Commit, stateChangesOf } from '../../../src/app/project/commit.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';

test('a write that counts in many windows is charged with its text once, and not for each of them', () => {
  const windows = Array.from({ length: 200 }, (_, index) => {
    const counter = `r${index}/heroes/gold/perDay/p1`;
    return { counter, rule: `r${index}`, window: 'perDay' as const, start: 0, before: 0, after: 1 };
  });
  const written = { space: 'live', collection: 'heroes', key: 'p1', version: 1, document: { gold: 1 }, windows, definition: '' } as const;
  const event: DomainEvent = { type: 'document.written', data: written };
  const text = JSON.stringify(event.data);
  const command = { commandId: 'c', cause: 'document.write', actor: { kind: 'secret' as const } };
  const ctx = { versionRead: () => undefined, isAssumedAbsent: () => true };
  const changes = stateChangesOf({ command, ctx, texts: [text] } as unknown as Commit, [event], 0);
  expect(changes).toHaveLength(201);
  const charged = changes.reduce((sum, [, { size }]) => sum + size, 0);
  expect(charged).toBeGreaterThan(text.length);
  expect(charged).toBeLessThan(10 * text.length);
});
