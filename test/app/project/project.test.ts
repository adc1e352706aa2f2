import { describe, expect, test } from 'vitest';
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

  test('a log without the event of the checkpoint tells another history', async () => {
    const table = new Table();
    await table.elsewhere(written('a', 1));
    await table.reader.project();
    table.reader.reached = { revision: 5, hash: table.reader.reached?.hash ?? '' };
    expect(await codeOf(table.open())).toBe('HISTORY_MISMATCH');
  });

  test('a log with another event in its place tells another history', async () => {
    const table = new Table();
    await table.elsewhere(written('a', 1));
    await table.reader.project();
    table.reader.reached = { revision: 0, hash: '0'.repeat(64) };
    expect(await codeOf(table.open())).toBe('HISTORY_MISMATCH');
  });

  test('an event of a newer version refuses the project loudly', async () => {
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
    expect(await table.passing(codeOf(project.read(THING('b'))))).toBe('STORAGE_UNAVAILABLE');
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

  test('concurrent loads of one subject share the work', async () => {
    const table = new Table();
    const project = await table.open();
    const before = table.reader.loads;
    await table.passing(Promise.all([project.read(THING('a')), project.read(THING('a')), project.execute(increment('a'))]));
    expect(table.reader.loads).toBe(before + 1);
  });
});

test('a load that names a subject twice takes its row in once, also where nothing stays in the cache', async () => {
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

describe('the tail', () => {
  test('own events are recognised', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.execute(increment('a')));
    const { token } = project.set.durable(THING('a')) ?? { token: 0 };
    project.onTail(await eventsFrom(table, 0));
    expect(project.set.durable(THING('a'))?.token).toBe(token);
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

  test('what could not be folded when it came is read when the tail has caught up', async () => {
    const table = new Table();
    const project = await table.open();
    await table.elsewhere(written('a', 1));
    await table.elsewhere(written('a', 2));
    table.log.beforeRead = () => {
      throw new LogUnavailable('no answer');
    };
    project.onTail(await eventsFrom(table, 1));
    await table.clock.run(table.clock.now + 100);
    expect([project.set.head, project.behind]).toEqual([-1, true]);
    table.log.beforeRead = () => undefined;
    project.onCaughtUp();
    await table.clock.run(table.clock.now + 100);
    expect([project.set.head, project.behind]).toEqual([1, false]);
  });

  test('an event of a newer version stops the project, and everything that waits is refused', async () => {
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
  const metadata = `{"commandId":"future","schemaVersion":9,"recordedAt":1,"hash":"${'0'.repeat(64)}"}`;
  await table.log.inner.append(STREAM, 'none', [{ id: 'future', type: 'document.dreamt', data: '{}', metadata }]);
}
