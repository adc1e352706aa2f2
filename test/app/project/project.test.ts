import { describe, expect, test } from 'vitest';
import type { Project } from '../../../src/app/project/project.ts';
import { createCache } from '../../../src/app/project/shared-cache.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { hashOf, NO_HASH, seal, verifyLink } from '../../../src/log/chain.ts';
import { isForeign } from '../../../src/log/foreign.ts';
import { LogUnavailable } from '../../../src/log/port.ts';
import { codeOf, increment, numberOf, STREAM, Table, THING, written } from '../support.ts';

describe('opening', () => {
  test('folds from the checkpoint of the state tables to the head', async () => {
    const table = new Table();
    await table.elsewhere(written('a', 1));
    await table.reader.project();
    await table.elsewhere(written('a', 2));
    await table.elsewhere(written('b', 1));
    const project = await table.open();
    expect([project.set.horizon, project.set.head]).toEqual([0, 2]);
    expect(numberOf((await table.passing(project.read(THING('a')))).state)).toBe(2);
  });

  test('a log without the event of the checkpoint is another history', async () => {
    const table = new Table();
    await table.elsewhere(written('a', 1));
    await table.reader.project();
    table.reader.reached = { revision: 5, hash: table.reader.reached?.hash ?? '' };
    expect(await codeOf(table.open())).toBe('HISTORY_MISMATCH');
  });

  test('a log with another event in its place is another history', async () => {
    const table = new Table();
    await table.elsewhere(written('a', 1));
    await table.reader.project();
    table.reader.reached = { revision: 0, hash: '0'.repeat(64) };
    expect(await codeOf(table.open())).toBe('HISTORY_MISMATCH');
  });

  test('an event of a newer version refuses the project and says why', async () => {
    const table = new Table();
    await unknownEvent(table);
    expect(await codeOf(table.open())).toBe('UNKNOWN_EVENT');
    expect(table.stopped.map(({ code }) => code)).toEqual(['UNKNOWN_EVENT']);
  });
});

describe('loading', () => {
  test('a row from below the horizon is loaded again', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.execute(increment('a')));
    await table.elsewhere(written('b', 5));
    await table.passing(project.refresh());
    project.projected(await table.reader.project());
    let old = 2;
    table.reader.intercept = () => {
      old -= 1;
      return old >= 0 ? { revision: 0 } : undefined;
    };
    expect(numberOf((await table.passing(project.read(THING('b')))).state)).toBe(5);
    expect(old).toBe(-1);
  });

  test('read models that went backwards stop the project', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.execute(increment('a')));
    project.projected(await table.reader.project());
    table.reader.intercept = () => ({ revision: -1 });
    expect(await table.passing(codeOf(Promise.resolve(project.read(THING('b')))))).toBe('STORAGE_UNAVAILABLE');
    expect(table.stopped).toHaveLength(1);
  });

  test('a row from above the head waits until the log is read that far, also when a read fails', async () => {
    const table = new Table();
    const project = await table.open();
    await table.elsewhere(written('a', 3));
    await table.reader.project();
    let failures = 2;
    table.log.beforeRead = () => {
      failures -= 1;
      if (failures >= 0) throw new LogUnavailable('no answer');
    };
    expect(numberOf((await table.passing(project.read(THING('a')))).state)).toBe(3);
    expect(project.set.head).toBe(0);
  });

  test('keys from above the head wait, too: a key deleted by then still exists at the head', async () => {
    const table = new Table();
    await table.elsewhere(written('a', 1));
    await table.reader.project();
    const project = await table.open();
    await table.elsewhere(deleted('a'), written('b', 1));
    await table.reader.project();
    expect(await table.passing(project.documentKeys('live', 'things', 10))).toMatchObject({ revision: 2, keys: ['b'] });
    expect(project.set.head).toBe(2);
  });

  test('concurrent loads of one subject share the work', async () => {
    const table = new Table();
    const project = await table.open();
    const before = table.reader.loads;
    await table.passing(Promise.all([project.read(THING('a')), project.read(THING('a')), project.execute(increment('a'))]));
    expect(table.reader.loads).toBe(before + 1);
  });
});

test('a load that names a subject twice admits its row once, also if nothing stays in the cache', async () => {
  const table = new Table();
  await table.elsewhere(written('a', 1));
  await table.reader.project();
  const project = await table.open({}, 1);
  const asked: (readonly string[])[] = [];
  const load = table.reader.load.bind(table.reader);
  table.reader.load = (id, subjects) => {
    asked.push(subjects);
    return load(id, subjects);
  };
  await table.passing(project.load([THING('a'), THING('b'), THING('a')]));
  expect(asked).toEqual([[THING('a'), THING('b')]]);
});

describe('more than memory holds', () => {
  const keys = Array.from({ length: 60 }, (_, index) => `k${index}`);

  test('concurrent reads succeed, also if the cache can hold none of the subjects', async () => {
    const table = new Table();
    await table.elsewhere(...keys.map((key) => written(key, 1)));
    await table.reader.project();
    for (const cacheBytes of [8_000, 1]) {
      const project = await table.open({}, cacheBytes);
      const versions = await table.passing(Promise.all(keys.map((key) => project.read(THING(key)))));
      expect(versions.map(({ state }) => numberOf(state))).toEqual(keys.map(() => 1));
      expect(project.set.windowBytes).toBeLessThan(5_000);
    }
  });

  test('a hot document takes the room of one state, also after a restart beside tables that stand still, and on a node that only follows', async () => {
    const table = new Table();
    const windowBytes = 100_000;
    const [busy, idle] = [await table.open({ windowBytes }), await table.open({ windowBytes })];
    for (let count = 0; count < 200; count += 1) await table.passing(busy.execute(increment('a')));
    expect(busy.set.windowBytes).toBeLessThan(5_000);
    for (let revision = 0; revision < 200; revision += 1) {
      const range = { from: revision, limit: 1, direction: 'forwards' } as const;
      idle.onTail(await table.log.inner.read(STREAM, range));
      await table.clock.run(table.clock.now + 5);
    }
    const back = await table.open({ windowBytes });
    for (const project of [idle, back]) {
      expect(project.set.windowBytes).toBeLessThan(windowBytes);
      expect(await table.passing(codeOf(project.execute(increment('a'))))).toBe('stored');
    }
    expect(numberOf((await table.passing(back.read(THING('a')))).state)).toBe(202);
  });

  test('a large document is loaded only when its kept changes are as large', async () => {
    const table = new Table();
    const pad = 'x'.repeat(20_000);
    const data = { space: 'live' as const, collection: 'things', key: 'big', definition: '' };
    await table.elsewhere({ type: 'document.written', data: { ...data, version: 1, document: { pad } } });
    await table.reader.project();
    const project = await table.open({ windowBytes: 100_000 });
    const sizes: number[] = [];
    for (let version = 2; version <= 42; version += 1) {
      await table.elsewhere({ type: 'document.written', data: { ...data, version, changes: [['n', version]] } });
      project.onTail(await eventsFrom(table, project.set.head + 1));
      await table.clock.run(table.clock.now + 200);
      sizes.push(project.set.windowBytes);
    }
    expect(Math.max(...sizes)).toBeLessThan(100_000);
    expect(sizes[24]).toBeLessThan(55_000);
    expect(sizes.at(-1)).toBe(sizes.at(-2));
    const { state } = await table.passing(project.read(THING('big')));
    expect(state !== null && 'document' in state ? state.document : null).toEqual({ pad, n: 42 });
  });

  test('slow tables get one load of heavy subjects at a time, and another when no event comes', async () => {
    const table = new Table();
    const project = await table.open({ windowBytes: 10_000 });
    const answers: (() => void)[] = [];
    const load = table.reader.load.bind(table.reader);
    table.reader.load = async (id, subjects) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return load(id, subjects);
    };
    for (let count = 1; count <= 20; count += 1) {
      await table.elsewhere(written(count % 2 === 0 ? 'a' : 'b', count));
      project.onTail(await eventsFrom(table, project.set.head + 1));
      await table.clock.run(table.clock.now + 200);
    }
    expect(answers).toHaveLength(1);
    for (let step = 0; step < 5; step += 1) {
      for (const answer of answers.splice(0)) answer();
      await table.clock.run(table.clock.now + 200);
      project.onCaughtUp();
    }
    expect(project.set.windowBytes).toBeLessThan(10_000);
    expect([numberOf(project.set.durable(THING('a'))?.state ?? null), numberOf(project.set.durable(THING('b'))?.state ?? null)]).toEqual([
      20, 19,
    ]);
  });

  test('a project that could not be opened leaves nothing in the cache', async () => {
    const table = new Table();
    for (let count = 1; count <= 3; count += 1) await table.elsewhere(written('hot', count));
    await table.reader.project();
    const { reached } = table.reader;
    table.reader.reached = null;
    for (const key of keys) await table.elsewhere(written(key, 1));
    // The tables move while the project is being opened, so loaded states go to the cache.
    table.clock.after(500, () => {
      table.reader.reached = reached;
    });
    const cache = createCache(1e6);
    let most = 0;
    const { versions } = cache;
    const set = versions.set.bind(versions);
    versions.set = (...entry) => {
      const done = set(...entry);
      most = Math.max(most, versions.size);
      return done;
    };
    expect(await codeOf(table.open({ windowBytes: 20_000 }, cache))).toBe('BEHIND');
    expect([most, versions.size]).toEqual([1, 0]);
  });

  test('tables that advance slowly do not keep a request waiting for ever', async () => {
    const table = new Table();
    for (let n = 0; n < 300; n += 1) await table.elsewhere(written(`k${n}`, 1));
    table.log.page = 10;
    const move = (revision: number) => {
      table.reader.reached = { revision, hash: '' };
      table.clock.after(50, () => move(revision + 1));
    };
    table.clock.after(50, () => move(0));
    expect(await codeOf(table.open({ windowBytes: 20_000 }))).toBe('BEHIND');
  });

  test('a project too far ahead of its tables is not opened before they catch up', async () => {
    const table = new Table();
    for (const key of keys) await table.elsewhere(written(key, 1));
    const windowBytes = 20_000;
    expect(await codeOf(table.open({ windowBytes }))).toBe('BEHIND');
    table.clock.after(500, () => void table.reader.project());
    const project = await table.open({ windowBytes });
    expect([project.set.head, project.set.horizon]).toEqual([keys.length - 1, keys.length - 1]);
    expect(await table.passing(codeOf(project.execute(increment('k7'))))).toBe('stored');
    expect(numberOf((await table.passing(project.read(THING('k7')))).state)).toBe(2);
  });
});

describe('the tail', () => {
  test('own events are recognised', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.execute(increment('a')));
    const version = project.set.durable(THING('a'));
    project.onTail(await eventsFrom(table, 0));
    expect(version).toBeDefined();
    expect(project.set.durable(THING('a'))).toBe(version);
  });

  test('nobody sees half a commit, wherever a page ends', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.load([THING('a'), THING('b')]));
    await table.elsewhere(written('a', 1), written('b', 1));
    project.onTail((await eventsFrom(table, 0)).slice(0, 1));
    expect(project.set.head).toBe(-1);
    table.log.page = 1;
    const heads: number[] = [];
    table.log.beforeRead = () => heads.push(project.set.head);
    await table.passing(project.refresh());
    expect(project.set.head).toBe(1);
    expect(heads).not.toContain(0);
  });

  test('events that could not be folded when they came are read when the tail has caught up', async () => {
    const table = new Table();
    const project = await table.open();
    await table.elsewhere(written('a', 1));
    await table.elsewhere(written('a', 2));
    table.log.beforeRead = () => {
      throw new LogUnavailable('no answer');
    };
    project.onTail(await eventsFrom(table, 1));
    await table.clock.run(table.clock.now + 100);
    expect([project.set.head, project.isBehind]).toEqual([-1, true]);
    table.log.beforeRead = () => undefined;
    project.onCaughtUp();
    await table.clock.run(table.clock.now + 100);
    expect([project.set.head, project.isBehind]).toEqual([1, false]);
  });

  test('an event of a newer version stops the project, and waiting commands are refused', async () => {
    const table = new Table();
    const project = await table.open();
    await unknownEvent(table);
    expect(() => project.onTail([])).not.toThrow();
    const events = await eventsFrom(table, 0);
    expect(() => project.onTail(events)).toThrow('run a newer version');
    expect(table.stopped.map(({ code }) => code)).toEqual(['UNKNOWN_EVENT']);
    expect(await codeOf(project.execute(increment('a')))).toBe('UNKNOWN_EVENT');
  });
});

describe('a sealed event that does not link to the one before it', () => {
  test('refuses the project, and it stays refused', async () => {
    const table = new Table();
    await table.elsewhere(written('a', 1));
    await fromAnotherHistory(table, 0);
    expect([await codeOf(table.open()), await codeOf(table.open())]).toEqual(['INTERNAL_ERROR', 'INTERNAL_ERROR']);
    expect(table.stopped.map(({ message }) => message).join()).toContain('Corrupt log: project-table@1 does not match its hash');
  });

  test('stops an open project: whatever comes by the tail, or is met by its next commit', async () => {
    for (const meets of [byTail, byCommit]) {
      const table = new Table();
      await table.elsewhere(written('a', 1));
      const project = await table.open();
      await table.log.inner.append(STREAM, 0, [{ id: 'theirs', type: 'Theirs', data: 'x', metadata: 'null' }]);
      await fromAnotherHistory(table, 1);
      await meets(table, project);
      expect(table.stopped).toMatchObject([{ code: 'INTERNAL_ERROR', message: expect.stringContaining('project-table@2') }]);
      expect(await codeOf(table.passing(project.execute(increment('a'))))).toBe('INTERNAL_ERROR');
      expect(await table.log.head(STREAM)).toMatchObject({ revision: 2 });
    }
  });
});

async function byTail(table: Table, project: Project): Promise<void> {
  const events = await eventsFrom(table, 1);
  expect(() => project.onTail(events)).toThrow('Corrupt log');
}

async function byCommit(table: Table, project: Project): Promise<void> {
  expect(await codeOf(table.passing(project.execute(increment('a'))))).toBe('INTERNAL_ERROR');
}

/** Appends what was sealed after another event, as a restore that goes wrong does. */
async function fromAnotherHistory(table: Table, expected: number): Promise<void> {
  const other = new Table();
  await other.elsewhere(written('b', 1));
  await other.elsewhere(written('a', 1_000_000));
  await table.log.inner.append(STREAM, expected, await eventsFrom(other, 1));
}

test('what another program appended is passed over, and the next commit links to the last sealed event, also after a restart', async () => {
  const table = new Table();
  await table.elsewhere(written('a', 1));
  const project = await table.open();
  await table.log.inner.append(STREAM, 0, [{ id: 'theirs', type: 'Theirs', data: 'x', metadata: 'null' }]);
  await table.passing(project.execute(increment('a')));
  await table.log.inner.append(STREAM, 2, [{ id: 'theirs-too', type: 'Theirs', data: 'x', metadata: 'null' }]);
  await table.passing(project.refresh());
  await table.reader.project();
  await table.passing((await table.open()).execute(increment('a')));
  const events = await table.log.inner.read(STREAM, { limit: 10, direction: 'forwards' });
  expect(events.map(isForeign)).toEqual([false, true, false, true, false]);
  const sealed = events.filter((event) => !isForeign(event));
  expect(sealed.every((event, index) => verifyLink(hashOf(sealed[index - 1]?.metadata ?? '') ?? NO_HASH, event))).toBe(true);
  expect(numberOf((await table.passing(project.refresh().then(() => project.read(THING('a'))))).state)).toBe(3);
});

describe('a position', () => {
  test('is reached by reading the log', async () => {
    const table = new Table();
    const project = await table.open();
    const position = await table.elsewhere(written('a', 1));
    await table.passing(project.seek(position));
    expect(project.set.head).toBe(position);
  });

  test('beyond the log is not waited for', async () => {
    const table = new Table();
    const project = await table.open();
    await table.elsewhere(written('a', 1));
    await table.passing(project.seek(1_000_000), 50);
    expect(project.set.head).toBe(0);
  });
});

test('two nodes that write one document add up', async () => {
  const table = new Table();
  const nodes = [await table.open(), await table.open()];
  const all = Array.from({ length: 40 }, (_, index) => nodes[index % 2]?.execute(increment('a')));
  await table.passing(Promise.all(all));
  for (const node of nodes) {
    await table.passing(node.refresh());
    expect(numberOf((await node.read(THING('a'))).state)).toBe(40);
  }
});

function eventsFrom(table: Table, from: number) {
  return table.log.inner.read(STREAM, { from, limit: 100, direction: 'forwards' });
}

async function unknownEvent(table: Table): Promise<void> {
  const metadata = '{"commandId":"future","schemaVersion":9,"recordedAt":1}';
  const { event } = seal(NO_HASH, { id: 'future', type: 'document.dreamt', data: '{}', metadata });
  await table.log.inner.append(STREAM, 'none', [event]);
}

function deleted(key: string): DomainEvent {
  return { type: 'document.deleted', data: { space: 'live', collection: 'things', key, version: 1, definition: '' } };
}
