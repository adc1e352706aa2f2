import { expect, test } from 'vitest';
import { OneAtATime } from '../../src/kernel/one-at-a-time.ts';

test('turns under a name follow each other, say whether they waited, and those of other names go on beside them', async () => {
  const turns = new OneAtATime(8);
  const done: string[] = [];
  const work = async (name: string, as: string) => {
    const turn = await turns.take(name);
    done.push(`${as} ${turn?.hasWaited}`);
    await new Promise((resolve) => setImmediate(resolve));
    turn?.end();
  };
  await Promise.all([work('a', 'first'), work('a', 'second'), work('b', 'other'), work('a', 'third')]);
  expect(done).toEqual(['first false', 'other false', 'second true', 'third true']);
  await work('a', 'later');
  expect(done.at(-1)).toBe('later false');
});

test('more than may wait get no turn', async () => {
  const turns = new OneAtATime(1);
  const first = await turns.take('a');
  const second = turns.take('a');
  expect(await turns.take('a')).toBeNull();
  first?.end();
  expect(await second).toMatchObject({ hasWaited: true });
  expect(await turns.take('b')).toMatchObject({ hasWaited: false });
});
