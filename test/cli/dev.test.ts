import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CoalescingRunner } from '../../src/cli/dev/coalescing-runner.ts';
import { affected } from '../../src/cli/dev/round.ts';
import { watchFolder, watchHash } from '../../src/cli/dev/watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'savepoint-dev-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('work after changes', () => {
  it('runs one at a time, and once more for requests during a run', async () => {
    let running = 0;
    let most = 0;
    let done = 0;
    const work = new CoalescingRunner(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      done += 1;
      if (done === 1) for (let n = 0; n < 5; n += 1) work.request();
    });
    work.request();
    await work.settled();
    expect({ most, done }).toEqual({ most: 1, done: 2 });
    work.request();
    await work.settled();
    expect(done).toBe(3);
  });
});

describe('a watched folder', () => {
  it('reports a source that is added, changed, replaced or removed, and nothing else', async () => {
    const stop = new AbortController();
    let changes = 0;
    const changed = () => {
      changes += 1;
    };
    const watching = watchFolder(folder, changed, stop.signal);
    const path = join(folder, 'endpoints/buy.endpoint.yml');
    const tells = async (what: () => void) => {
      const before = changes;
      what();
      await expect.poll(() => changes).toBeGreaterThan(before);
    };
    mkdirSync(join(folder, 'endpoints'));
    mkdirSync(join(folder, '.savepoint'));
    await tells(() => writeFileSync(path, 'a'));
    await tells(() => writeFileSync(path, 'b'));
    await tells(() => {
      writeFileSync(join(folder, '.savepoint/beside.yml'), 'c');
      renameSync(join(folder, '.savepoint/beside.yml'), path);
    });
    await tells(() => rmSync(path));
    const before = changes;
    writeFileSync(join(folder, '.savepoint/state.json'), '{}');
    writeFileSync(join(folder, 'notes.txt'), '');
    await tells(() => writeFileSync(path, 'd'));
    expect(changes).toBe(before + 1);
    stop.abort();
    await watching;
  });
});

describe('the tests of a round', () => {
  const tests = [
    { id: 'buys', endpoint: 'buy' },
    { id: 'sells', endpoint: 'sell-it' },
  ];
  const about = { path: 'p', format: 'yaml', text: '', pointer: '', problem: null } as const;
  const sources = [{ ...about, kind: 'endpoint', id: 'sell', resource: { slug: 'sell-it' } } as const];
  const chosen = (kind: 'endpoint' | 'test' | 'workflow', id: string) =>
    affected({ dir: '', sources, unrecognized: [] }, [{ kind, id, action: 'change', members: [], fields: [] }], tests).map(
      (test) => test['id'],
    );

  it('are those of a changed endpoint, by id or slug; a changed test; and all tests if anything else changed', () => {
    expect(chosen('endpoint', 'buy')).toEqual(['buys']);
    expect(chosen('endpoint', 'sell')).toEqual(['sells']);
    expect(chosen('test', 'buys')).toEqual(['buys']);
    expect(chosen('workflow', 'charge')).toEqual(['buys', 'sells']);
  });
});

describe('a watched project on a server', () => {
  it('is read for the first time when its hash is known, so that what is published in between is not missed', async () => {
    const stop = new AbortController();
    const order: string[] = [];
    const hashes = ['a', 'b', null, 'b', 'c'];
    const hashOf = async () => {
      await new Promise(setImmediate);
      const hash = hashes.shift();
      order.push(`hash ${hash}`);
      if (hashes.length === 0) stop.abort();
      if (typeof hash !== 'string') throw new Error('away');
      return hash;
    };
    await watchHash(hashOf, () => void order.push('changed'), stop.signal, 0);
    expect(order).toEqual(['hash a', 'changed', 'hash b', 'changed', 'hash null', 'hash b', 'hash c', 'changed']);
  });
});
