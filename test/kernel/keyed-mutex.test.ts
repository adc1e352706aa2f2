import { expect, test } from 'vitest';
import { KeyedMutex } from '../../src/kernel/keyed-mutex.ts';

test('locks of one name follow each other and say whether they waited; other names are independent', async () => {
  const turns = new KeyedMutex(8);
  const done: string[] = [];
  const work = async (name: string, as: string) => {
    const turn = await turns.acquire(name);
    done.push(`${as} ${turn?.hasWaited}`);
    await new Promise((resolve) => setImmediate(resolve));
    turn?.release();
  };
  await Promise.all([work('a', 'first'), work('a', 'second'), work('b', 'other'), work('a', 'third')]);
  expect(done).toEqual(['first false', 'other false', 'second true', 'third true']);
  await work('a', 'later');
  expect(done.at(-1)).toBe('later false');
});

test('callers beyond the bound get no lock', async () => {
  const turns = new KeyedMutex(1);
  const first = await turns.acquire('a');
  const second = turns.acquire('a');
  expect(await turns.acquire('a')).toBeNull();
  first?.release();
  expect(await second).toMatchObject({ hasWaited: true });
  expect(await turns.acquire('b')).toMatchObject({ hasWaited: false });
});
