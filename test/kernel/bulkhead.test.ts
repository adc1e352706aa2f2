import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bulkhead } from '../../src/kernel/bulkhead.ts';
import { works } from './works.ts';

const never = new AbortController().signal;
test('one run per key at a time, keys in turn, however many one of them has', async () => {
  const gate = new Bulkhead({ slots: 2, perKey: 1, queue: 8 });
  const { begun, work, end } = works();
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((name) => gate.run(name.slice(0, 1), work(name), { signal: never }));
  expect([begun, gate.inUse, gate.waiting]).toEqual([['a1', 'b1'], 2, 4]);
  await end('a1');
  await end('b1');
  await end('a2');
  await end('c1');
  await end('a3');
  await end('c2');
  expect(begun).toEqual(['a1', 'b1', 'a2', 'c1', 'a3', 'c2']);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']);
  expect([gate.inUse, gate.waiting]).toEqual([0, 0]);
});

test('a full queue refuses, and a wait that ends makes room in it', async () => {
  const gate = new Bulkhead({ slots: 1, perKey: 1, queue: 1 });
  const { begun, work, end } = works();
  const first = gate.run('a', work('first'), { signal: never });
  const stop = new AbortController();
  const left = gate.run('a', work('left'), { signal: stop.signal });
  await expect(gate.run('a', work('refused'), { signal: never })).rejects.toMatchObject({ status: 503, code: 'BUSY' });
  // Another name has its own queue.
  const other = gate.run('b', work('other'), { signal: never });
  stop.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  const second = gate.run('a', work('second'), { signal: never });
  for (const name of ['first', 'other', 'second']) await end(name);
  await Promise.all([first, other, second]);
  expect(begun).toEqual(['first', 'other', 'second']);
});

test('work that fails releases its slot', async () => {
  const gate = new Bulkhead({ slots: 1, perKey: 1, queue: 1 });
  await expect(gate.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await gate.run('a', async () => 1)).toBe(1);
});

/** Work that ends when told to. */
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

const full = { onReject: () => new Error('full') };

function queue(total: number, most = 100) {
  const late: (() => void)[] = [];
  const scheduler = {
    after: (_: number, task: () => void) => {
      late.push(task);
      return () => void late.splice(late.indexOf(task), 1);
    },
  };
  return { late, queue: new Bulkhead({ slots: total, queue: most, timeout: { ms: 1_000, scheduler } }) };
}

test("a single key takes half of the slots, and the next key finds one at once, however long the first key's queue", async () => {
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
  expect(shared.inUse).toBe(0);
});

test('waiting keys get slots in turn, not in the order of arrival', async () => {
  const { queue: shared } = queue(2);
  const works = new Works();
  const runs = ['a 0', 'a 1', 'a 2', 'a 3', 'b 0', 'b 1', 'c 0'].map((name) => shared.run(name.slice(0, 1), works.work(name), full));
  for (let n = 0; n < 7; n += 1) await works.endOne();
  await Promise.all(runs);
  expect(works.begun.indexOf('c 0')).toBeLessThan(works.begun.indexOf('a 3'));
});

test('a full queue refuses at once, and a wait that times out is refused and occupies no slot', async () => {
  const { queue: shared, late } = queue(2, 2);
  const works = new Works();
  const first = shared.run('a', works.work('first'), full);
  const waiting = [shared.run('a', works.work('second'), full), shared.run('a', works.work('third'), full)];
  await expect(shared.run('a', works.work('fourth'), full)).rejects.toThrow('full');
  for (const one of [...late]) one();
  for (const one of waiting) await expect(one).rejects.toThrow('full');
  await works.endOne();
  expect([await first, shared.inUse, shared.rejected]).toEqual(['first', 0, 3]);
});

function takeAll(places: Bulkhead, who: string): number {
  let taken = 0;
  while (places.tryAcquire(who)) taken += 1;
  return taken;
}

test('a single key gets half, and a key with many gets no more until others have as many', () => {
  const places = new Bulkhead({ slots: 12 });
  expect(takeAll(places, 'a')).toBe(6);
  expect(takeAll(places, 'b')).toBe(3);
  for (let n = 0; n < 2; n += 1) places.release('a');
  expect([takeAll(places, 'b'), places.inUse]).toEqual([1, 8]);
  expect(places.tryAcquire('c')).toBe(true);
});

test('a released slot is free again, and releasing twice adds none', () => {
  const places = new Bulkhead({ slots: 2 });
  expect([places.tryAcquire('a'), places.tryAcquire('a'), places.rejected]).toEqual([true, false, 1]);
  places.release('a');
  places.release('a');
  expect([places.inUse, places.tryAcquire('b'), places.inUse]).toEqual([0, true, 1]);
});

test('whatever happens, no key exceeds its share, and no slot is lost', () => {
  const act = fc.record({ who: fc.constantFrom('a', 'b', 'c', 'd'), give: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 40 }), fc.array(act, { maxLength: 200 }), (total, acts) => {
      const places = new Bulkhead({ slots: total });
      const held = new Map<string, number>();
      for (const { who, give } of acts) {
        if (!give && places.tryAcquire(who)) held.set(who, (held.get(who) ?? 0) + 1);
        if (give) places.release(who);
        if (give) held.set(who, Math.max(0, (held.get(who) ?? 0) - 1));
        const taken = [...held.values()].reduce((sum, count) => sum + count, 0);
        expect(places.inUse).toBe(taken);
        expect(taken).toBeLessThanOrEqual(total);
        // A key without a place is refused only if no place is free.
        expect(places.hasCapacity('somebody new')).toBe(taken < total);
        for (const [one, count] of held) expect(places.hasCapacity(one)).toBe(count < total - taken);
      }
    }),
  );
});
