import { expect, test } from 'vitest';
import { ShareQueue } from '../../src/kernel/share-queue.ts';

/** Work that ends when it is told. */
class Works {
  readonly #ends: (() => void)[] = [];
  readonly begun: string[] = [];
  readonly work = (name: string) => () => {
    this.begun.push(name);
    return new Promise<string>((resolve) => this.#ends.push(() => resolve(name)));
  };
  async endOne(): Promise<void> {
    this.#ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const full = () => new Error('full');

function queue(total: number, most = 100) {
  const late: (() => void)[] = [];
  const scheduler = {
    after: (_: number, task: () => void) => {
      late.push(task);
      return () => void late.splice(late.indexOf(task), 1);
    },
  };
  return { late, queue: new ShareQueue(total, { most, forMs: 1_000 }, scheduler) };
}

test('one alone takes half of the places, and who comes next finds one at once, however long the queue of the first', async () => {
  const { queue: shared } = queue(4);
  const works = new Works();
  const loud = Array.from({ length: 50 }, (_, n) => shared.run('loud', works.work(`loud ${n}`), full));
  const quiet = shared.run('quiet', works.work('quiet'), full);
  expect(works.begun).toEqual(['loud 0', 'loud 1', 'quiet']);
  await works.endOne();
  expect(works.begun.at(-1)).toBe('loud 2');
  for (let n = 0; n < 51; n += 1) await works.endOne();
  expect(await Promise.all([...loud, quiet])).toHaveLength(51);
  expect(works.begun.slice(3)).toEqual(Array.from({ length: 48 }, (_, n) => `loud ${n + 2}`));
  expect(shared.taken).toBe(0);
});

test('those who wait get places in turn, not in the order in which they came', async () => {
  const { queue: shared } = queue(2);
  const works = new Works();
  const runs = ['a 0', 'a 1', 'a 2', 'a 3', 'b 0', 'b 1', 'c 0'].map((name) => shared.run(name.slice(0, 1), works.work(name), full));
  for (let n = 0; n < 7; n += 1) await works.endOne();
  await Promise.all(runs);
  expect(works.begun.indexOf('c 0')).toBeLessThan(works.begun.indexOf('a 3'));
});

test('a full queue refuses at once, and who waited too long is refused and leaves no place taken', async () => {
  const { queue: shared, late } = queue(2, 2);
  const works = new Works();
  const first = shared.run('a', works.work('first'), full);
  const waiting = [shared.run('a', works.work('second'), full), shared.run('a', works.work('third'), full)];
  await expect(shared.run('a', works.work('fourth'), full)).rejects.toThrow('full');
  for (const one of [...late]) one();
  for (const one of waiting) await expect(one).rejects.toThrow('full');
  await works.endOne();
  expect([await first, shared.taken, shared.refused]).toEqual(['first', 0, 3]);
});

test('work that fails gives its place back', async () => {
  const { queue: shared } = queue(2);
  await expect(shared.run('a', () => Promise.reject(new Error('no')), full)).rejects.toThrow('no');
  expect(shared.taken).toBe(0);
});
