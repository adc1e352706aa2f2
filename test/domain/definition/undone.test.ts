import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Led, undoneBy } from '../../../src/domain/definition/release/undone.ts';

/** Which rollback undid a publish. */

const led = (revision: number, restored: number): Led => ({ revision, restored });

describe('a publish is undone', () => {
  it('by the rollback that led behind it, and one that was undone before stays so by the first', () => {
    expect([1, 2, 3].map((publish) => undoneBy(publish, [led(4, 2), led(5, 1)]))).toEqual([null, 5, 4]);
  });

  it('until a later rollback brings it back, and then by the next that loses it', () => {
    expect(undoneBy(2, [led(3, 1), led(4, 2)])).toBe(null);
    expect(undoneBy(3, [led(3, 1), led(4, 2)])).toBe(4);
    expect(undoneBy(2, [led(3, 1), led(4, 2), led(6, 1)])).toBe(6);
  });

  it('also where a rollback leads to what was published while it was undone', () => {
    expect(undoneBy(2, [led(3, 1), led(6, 4)])).toBe(3);
    expect(undoneBy(5, [led(3, 1), led(6, 4)])).toBe(6);
  });

  it('as what live was made of says, whatever was published and rolled back', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20)), { maxLength: 25 }), (acts) => {
        // What live is made of after each publish and rollback, and the rollback by which it lost what it lacks.
        const made: (readonly number[])[] = [];
        const publishes: number[] = [];
        const rollbacks: Led[] = [];
        const lost = new Map<number, number>();
        for (const [revision, act] of acts.entries()) {
          const before = made.at(-1) ?? [];
          const goal = act === null ? undefined : publishes[act % (publishes.length + 1)];
          if (act === null) publishes.push(revision);
          else rollbacks.push(led(revision, goal ?? -1));
          const now = act === null ? [...before, revision] : [...(goal === undefined ? [] : (made[goal] ?? [])), revision];
          for (const each of before) if (!now.includes(each)) lost.set(each, revision);
          for (const each of now) lost.delete(each);
          made.push(now);
        }
        expect(acts.map((_, revision) => undoneBy(revision, rollbacks))).toEqual(acts.map((_, revision) => lost.get(revision) ?? null));
      }),
    );
  });
});
