import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/app/project/commit.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { Neighbours } from '../../../src/kernel/neighbours.ts';
import { AppendTooLarge } from '../../../src/log/port.ts';
import { APPEND_MS, codeOf, countIn, type Fate, increment, numberOf, STREAM, Table, THING, written } from '../support.ts';

function fates(...list: readonly Fate[]): () => Fate {
  const rest = [...list];
  return () => rest.shift() ?? 'fine';
}

describe('groups', () => {
  test('a hundred concurrent increments of one document add up, in one append', async () => {
    const table = new Table();
    const project = await table.open();
    const all = Array.from({ length: 100 }, () => project.execute(increment('a')));
    const outcomes = await table.passing(Promise.all(all));
    expect(new Set(outcomes.map(({ answer }) => answer)).size).toBe(100);
    expect(numberOf((await project.read(THING('a'))).state)).toBe(100);
    expect(table.log.appends.length).toBeLessThanOrEqual(2);
  });

  test('commits that gather during an append are sent together in the next one', async () => {
    const table = new Table();
    const project = await table.open();
    const first = project.execute(increment('a'));
    await table.clock.run(table.clock.now + APPEND_MS / 2);
    const rest = Array.from({ length: 50 }, (_, index) => project.execute(increment(`b${index}`)));
    await table.passing(Promise.all([first, ...rest]));
    expect(table.log.appends.map(({ events }) => events)).toEqual([1, 50]);
  });

  test('a group of half as many commits as were just stored leaves before those are answered; a smaller one waits for more', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.load([THING('a')]));
    const leftBeforeAnswers = async (gathered: number) => {
      const from = table.log.appends.length;
      const stored = Array.from({ length: 10 }, () => project.execute(increment('a')));
      await table.clock.run(table.clock.now + APPEND_MS / 2);
      const next = Array.from({ length: gathered }, () => project.execute(increment('a')));
      const left = stored[0]?.then(() => table.log.appends.slice(from + 1).map(({ events }) => events));
      await table.passing(Promise.all([...stored, ...next]));
      return left;
    };
    expect(await leftBeforeAnswers(5)).toEqual([5]);
    expect(await leftBeforeAnswers(4)).toEqual([]);
  });

  test('a group is bounded in commits', async () => {
    const table = new Table();
    const project = await table.open({ groupCommits: 4 });
    await table.passing(Promise.all(Array.from({ length: 10 }, () => project.execute(increment('a')))));
    expect(table.log.appends.map(({ events }) => events)).toEqual([4, 4, 2]);
  });

  test('while another project is in use, a group is what the node computes in two milliseconds, or eight commits', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.load([THING('a')]));
    /** The appends that forty commits at once make, where each takes the node so long. */
    const appendsOf = async (commitMs: number) => {
      table.log.appends.length = 0;
      table.log.beforeAppend = async () => {
        table.machine.computedMs += commitMs * (table.log.appends.at(-1)?.events ?? 0);
      };
      await table.passing(Promise.all(Array.from({ length: 40 }, () => project.execute(increment('a')))));
      return table.log.appends.map(({ events }) => events);
    };
    const inUse = () => table.neighbours.used('another');
    project.used();
    expect(await appendsOf(0.1)).toEqual([40]);
    inUse();
    expect(await appendsOf(0.1)).toEqual([20, 20]);
    await table.clock.run(table.clock.now + 1500);
    expect(await appendsOf(1)).toEqual([40]);
    for (let round = 0; round < 40; round += 1) {
      inUse();
      await appendsOf(1);
    }
    inUse();
    project.used();
    expect(await appendsOf(1)).toEqual([8, 8, 8, 8, 8]);
  });

  test('thousands of groups without events are answered without a deep stack', async () => {
    const table = new Table();
    const project = await table.open({ groupCommits: 1, queueCommits: 5000 });
    const all = Array.from({ length: 4000 }, () => codeOf(project.execute(increment('a', 1))));
    expect(new Set(await table.passing(Promise.all(all)))).toEqual(new Set(['stored', 'FULL']));
    expect(table.stopped).toEqual([]);
  });

  test('a group is bounded in bytes, and a commit that is larger alone is 413', async () => {
    const table = new Table();
    const project = await table.open({ groupBytes: 1500 });
    await table.passing(Promise.all(Array.from({ length: 4 }, () => project.execute(increment('a')))));
    expect(table.log.appends.map(({ events }) => events)).toEqual([2, 2]);
    expect(await table.passing(codeOf(project.execute(increment('x'.repeat(2000)))))).toBe('APPEND_TOO_LARGE');
  });

  test('a group that the log finds too large fails, and the next one goes on', async () => {
    const table = new Table();
    const project = await table.open();
    table.log.fate = () => {
      table.log.fate = () => 'fine';
      throw new AppendTooLarge('too large');
    };
    expect(await table.passing(codeOf(project.execute(increment('a'))))).toBe('APPEND_TOO_LARGE');
    expect(await table.passing(codeOf(project.execute(increment('a'))))).toBe('stored');
  });
});

describe('loading what is not in memory', () => {
  const sumOf = (keys: readonly string[]): Command<number> => ({
    commandId: 'sum',
    cause: 'sum',
    actor: { kind: 'secret' },
    decide(ctx) {
      const sum = keys.reduce((total, key) => total + countIn(ctx, key), 0);
      return sum < keys.length ? new Refusal(409, 'SOME_ARE_MISSING', `${sum}`) : { events: [], answer: sum };
    },
  });

  test('a command that reads two hundred cold documents one by one needs a handful of loads', async () => {
    const table = new Table();
    const keys = Array.from({ length: 200 }, (_, index) => `cold${index}`);
    await table.elsewhere(...keys.map((key) => written(key, 1)));
    await table.passing(table.reader.project());
    const project = await table.open();
    const before = table.reader.loads;
    expect(await table.passing(project.execute(sumOf(keys)))).toMatchObject({ answer: 200 });
    expect(table.reader.loads - before).toBeLessThanOrEqual(4);
  });

  test('a decision made while a subject was missing is neither answered nor stored', async () => {
    const table = new Table();
    const keys = Array.from({ length: 20 }, (_, index) => `cold${index}`);
    await table.elsewhere(...keys.slice(1).map((key) => written(key, 1)));
    await table.passing(table.reader.project());
    const project = await table.open();
    await expect(table.passing(project.execute(sumOf(keys)))).rejects.toThrow('19');
  });

  test('a command that reads more than the cache holds is answered after a bounded number of loads', async () => {
    const table = new Table();
    const keys = Array.from({ length: 40 }, (_, index) => `cold${index}`);
    await table.elsewhere(...keys.map((key) => written(key, 1)));
    await table.passing(table.reader.project());
    const project = await table.open({}, 5_000);
    // A load takes no virtual time, so without an end to it the deadline would never come.
    table.reader.intercept = () => {
      if (table.reader.loads > 100) throw new Error('still loading');
      return undefined;
    };
    expect(await table.passing(project.execute(sumOf(keys)))).toMatchObject({ answer: 40 });
  });
});

describe('what a command sees', () => {
  test('a write is read at once after its answer', async () => {
    const table = new Table();
    const project = await table.open();
    const { revision } = await table.passing(project.execute(increment('a')));
    expect(numberOf(project.set.durable(THING('a'))?.state ?? null)).toBe(1);
    expect(project.set.head).toBe(revision);
  });

  test('a plain read does not see speculation', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.read(THING('a')));
    const writing = project.execute(increment('a'));
    expect(numberOf(project.set.peek(THING('a'))?.speculative?.state ?? null)).toBe(1);
    expect(numberOf((await project.read(THING('a'))).state)).toBe(0);
    await table.passing(writing);
  });

  test('a refusal on durable state is answered without an append', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.execute(increment('a')));
    expect(await table.passing(codeOf(project.execute(increment('a', 1))))).toBe('FULL');
    expect(table.log.appends.length).toBe(1);
  });

  test('a refusal on speculation waits for its group, and is decided again if that is dropped', async () => {
    const table = new Table();
    const project = await table.open({ deadlineMs: 100 });
    await table.passing(project.read(THING('a')));
    table.log.fate = () => 'refused';
    const doomed = codeOf(project.execute(increment('a', 1)));
    await table.clock.run(table.clock.now + 95);
    const second = codeOf(project.execute(increment('a', 1)));
    expect(await table.passing(doomed)).toBe('STORAGE_UNAVAILABLE');
    table.log.fate = () => 'fine';
    expect(await table.passing(second)).toBe('stored');
  });

  test('a command that changes a subject that it has not read fails alone', async () => {
    const table = new Table();
    const project = await table.open();
    const blind = { ...increment('a'), decide: () => ({ events: [written('a', 1)], answer: 1 }) };
    await expect(project.execute(blind)).rejects.toThrow('without reading it');
    expect(await table.passing(codeOf(project.execute(increment('a'))))).toBe('stored');
  });
});

describe('a write of another node', () => {
  test('leaves commits that did not read the change as they are, and has the others decided again', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.load([THING('a'), THING('b')]));
    await table.elsewhere(written('a', 7));
    const [untouched, touched] = [increment('b'), increment('a')];
    const outcomes = await table.passing(Promise.all([project.execute(untouched), project.execute(touched)]));
    expect(outcomes.map(({ answer }) => answer)).toEqual([1, 8]);
    expect([untouched.decided, touched.decided]).toEqual([1, 2]);
  });

  test('makes a command that loses eight times 409', async () => {
    const table = new Table();
    const project = await table.open({ deadlineMs: 60_000 });
    let n = 100;
    table.log.beforeAppend = async () => {
      n += 1;
      await table.elsewhere(written('a', n));
    };
    const late = increment('a');
    expect(await table.passing(codeOf(project.execute(late)))).toBe('WRITE_CONFLICT');
    expect(await table.stored()).not.toContain(late.commandId);
    expect(table.log.appends.length).toBe(8);
  });

  test('is no conflict with reads of commands of the same node that are decided again', async () => {
    const table = new Table();
    const project = await table.open({ deadlineMs: 60_000 });
    await table.passing(project.load([THING('a'), THING('b')]));
    let foreign = 0;
    table.log.beforeAppend = async () => {
      foreign += 1;
      // Later than the commands, which are decided again for that: time must not go back in the log.
      table.elsewhereAt = 2_000_000_000_000 + foreign;
      if (foreign <= 12) await table.elsewhere(written('b', foreign));
    };
    const all = Array.from({ length: 5 }, () => codeOf(project.execute(increment('a'))));
    expect(new Set(await table.passing(Promise.all(all)))).toEqual(new Set(['stored']));
    expect(table.log.appends.length).toBeGreaterThan(12);
  });

  test('gets the time of one append between the appends of this node', async () => {
    const table = new Table();
    const project = await table.open();
    const pauses = async () => {
      const from = table.log.appends.length;
      for (let count = 0; count < 5; count += 1) await table.passing(project.execute(increment('a')));
      const starts = table.log.appends.slice(from).map(({ at }) => at);
      return starts.slice(1).map((at, index) => at - (starts[index] ?? 0) - APPEND_MS);
    };
    expect(Math.max(...(await pauses()))).toBeLessThan(3);
    project.onTail(await seen(table, await table.elsewhere(written('b', 1))));
    expect(Math.min(...(await pauses()))).toBeGreaterThan(3);
  });

  test('with a log that ends before this node’s head stops the project', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.execute(increment('a')));
    table.log.answer = () => ({ ok: false, actual: 'none' });
    expect(await table.passing(codeOf(project.execute(increment('a'))))).toBe('HISTORY_MISMATCH');
    expect(table.stopped.map(({ code }) => code)).toEqual(['HISTORY_MISMATCH']);
    expect(await codeOf(project.execute(increment('a')))).toBe('HISTORY_MISMATCH');
  });
});

describe('a command that would store nothing', () => {
  /** Stores nothing if the document counts none. */
  const empty = (key: string): Command<number> => ({
    ...increment(key),
    decide(ctx) {
      const n = countIn(ctx, key);
      return { events: n === 0 ? [] : [written(key, 0, n + 1)], answer: n };
    },
  });

  test('counts what another node stored before it came, also unknown to this node', async () => {
    const table = new Table();
    await table.elsewhere(written('a', 5), written('b', 0));
    const project = await table.open();
    expect(await table.passing(codeOf(project.execute(increment('a', 5))))).toBe('FULL');
    expect(await table.passing(project.execute(empty('b')))).toMatchObject({ answer: 0, revision: 1 });
    await table.elsewhere(written('a', 1), written('b', 7));
    expect(await table.passing(project.execute(increment('a', 5)))).toMatchObject({ answer: 2, revision: 4 });
    await table.elsewhere(written('b', 8));
    expect(await table.passing(project.execute(empty('b')))).toMatchObject({ answer: 8, revision: 6 });
  });

  test('is not answered from an end of the log that was read before it came', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(Promise.all(['a', 'b'].map((key) => project.read(THING(key)))));
    table.log.headMs = 10;
    const first = project.execute(empty('a'));
    await table.clock.run(table.clock.now + 5);
    await table.elsewhere(written('b', 7));
    const second = project.execute(empty('b'));
    expect(await table.passing(Promise.all([first, second]))).toMatchObject([{ revision: -1 }, { answer: 7, revision: 1 }]);
  });

  test('shares one read of the log’s end with all who wait', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.read(THING('a')));
    const before = table.log.heads;
    await table.passing(Promise.all(Array.from({ length: 100 }, () => project.execute(empty('a')))));
    expect(table.log.heads - before).toBe(2);
  });

  test('reads no end of the log if it only reads, or if its own group was just stored', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.read(THING('a')));
    const before = table.log.heads;
    const looking: Command<number> = {
      ...increment('a'),
      decide(ctx) {
        ctx.onlyReads = true;
        return { events: [], answer: countIn(ctx, 'a') };
      },
    };
    await table.elsewhere(written('a', 3));
    expect(await table.passing(project.execute(looking))).toEqual({ answer: 0, revision: -1 });
    await table.passing(Promise.all([codeOf(project.execute(increment('a'))), codeOf(project.execute(increment('a', 4)))]));
    expect(table.log.heads).toBe(before);
  });

  test('is 503 while the log cannot be reached, and 504 if it repeats an answer', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.read(THING('a')));
    table.log.beforeHead = () => {
      throw new Error('no answer');
    };
    const again: Command<number> = { ...increment('a'), decide: () => ({ events: [], answer: 1, replayed: true }) };
    expect(await table.passing(codeOf(project.execute(empty('a'))))).toBe('STORAGE_UNAVAILABLE');
    expect(await table.passing(codeOf(project.execute(again)))).toBe('OUTCOME_UNKNOWN');
    table.log.beforeHead = () => undefined;
    expect(await table.passing(codeOf(project.execute(empty('a'))))).toBe('stored');
  });

  test('waits no longer than its deadline', async () => {
    const table = new Table();
    const project = await table.open({ deadlineMs: 100 });
    await table.passing(project.read(THING('a')));
    table.log.headMs = 5000;
    const from = table.clock.now;
    expect(await table.passing(codeOf(project.execute(empty('a'))))).toBe('STORAGE_UNAVAILABLE');
    expect(table.clock.now - from).toBeLessThan(105);
  });
});

describe('the log gives no answer', () => {
  test('the identical append is sent again until it is known', async () => {
    const table = new Table();
    const project = await table.open();
    table.log.fate = fates('unanswered', 'lost', 'unanswered');
    const command = increment('a');
    const first = table.passing(project.execute(command));
    const second = increment('a');
    await Promise.all([first, project.execute(second)]);
    const [ids] = table.log.appends.map((append) => append.ids);
    expect(table.log.appends.slice(0, 4).map((append) => append.ids)).toEqual([ids, ids, ids, ids]);
    expect(table.failures).toBe(3);
    expect(await table.stored()).toEqual([command.commandId, second.commandId]);
  });

  test('a sent command is 504 at its deadline and may be stored later; one that waits is 503 and never is', async () => {
    const table = new Table();
    const project = await table.open({ deadlineMs: 100 });
    table.log.fate = () => 'lost';
    const [sent, waiting] = [increment('a'), increment('a')];
    const first = codeOf(project.execute(sent));
    await table.clock.run(table.clock.now + 5);
    const second = codeOf(project.execute(waiting));
    expect(await table.passing(first)).toBe('OUTCOME_UNKNOWN');
    expect(await table.passing(second)).toBe('STORAGE_UNAVAILABLE');
    table.log.fate = () => 'fine';
    await table.clock.run(table.clock.now + 3000);
    expect(await table.stored()).toEqual([sent.commandId]);
  });

  test('after an outage in which all commands expired, the next command tries the log', async () => {
    const table = new Table();
    const project = await table.open({ deadlineMs: 300 });
    table.log.fate = () => 'refused';
    expect(await table.passing(codeOf(project.execute(increment('a'))))).toBe('STORAGE_UNAVAILABLE');
    await table.clock.run(table.clock.now + 5000);
    table.log.fate = () => 'fine';
    expect(await table.passing(codeOf(project.execute(increment('a'))))).toBe('stored');
  });

  test('a stored commit whose append is answered as a conflict is found in the gap, also when reading the gap fails half way', async () => {
    const table = new Table();
    const project = await table.open();
    table.log.page = 1;
    table.log.fate = fates('unanswered');
    table.log.answer = (result) => {
      table.log.answer = (later) => later;
      return result.ok ? { ok: false, actual: result.revision + 1 } : result;
    };
    let reads = 0;
    table.log.beforeRead = () => {
      reads += 1;
      if (reads % 2 === 0) throw new Error('no answer');
    };
    const command = increment('a');
    const running = table.passing(project.execute(command));
    await table.clock.run(table.clock.now + APPEND_MS + 5);
    await table.elsewhere(written('b', 1));
    expect((await running).revision).toBe(0);
    expect((await table.stored()).filter((id) => id === command.commandId)).toHaveLength(1);
  });

  test('a commit that may be stored is 504 even if the project stops meanwhile', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.execute(increment('a')));
    table.log.fate = fates('lost');
    table.log.answer = () => ({ ok: false, actual: 'none' });
    expect(await table.passing(codeOf(project.execute(increment('a'))))).toBe('OUTCOME_UNKNOWN');
  });
});

test('a stored commit is answered even if it cannot be made durable here and the project stops', async () => {
  const table = new Table();
  const project = await table.open();
  project.set.settle = () => {
    throw new Error('a fault of ours');
  };
  expect(await table.passing(Promise.all([increment('a'), increment('b')].map((each) => project.execute(each))))).toEqual([
    { answer: 1, revision: 0 },
    { answer: 1, revision: 1 },
  ]);
  expect(table.stopped.map(({ code }) => code)).toEqual(['INTERNAL_ERROR']);
});

describe('bounds', () => {
  test('a full queue is 503 BUSY', async () => {
    const table = new Table();
    const project = await table.open({ queueCommits: 3 });
    const codes = Promise.all(Array.from({ length: 5 }, () => codeOf(project.execute(increment('a')))));
    expect(await table.passing(codes)).toEqual(['stored', 'stored', 'stored', 'BUSY', 'BUSY']);
  });

  test('read models too far behind are 503 BEHIND until they catch up', async () => {
    const table = new Table();
    const project = await table.open({ windowBytes: 5000 });
    let key = 0;
    const next = () => {
      key += 1;
      return table.passing(codeOf(project.execute(increment(`k${key}`))));
    };
    while ((await next()) === 'stored');
    expect(await next()).toBe('BEHIND');
    project.projected(await table.reader.project());
    expect(await next()).toBe('stored');
  });

  test('one hot document takes bounded room in the window while the read models are away', async () => {
    const table = new Table();
    const project = await table.open();
    await table.passing(project.execute(increment('a')));
    const { windowBytes } = project.set;
    for (let count = 0; count < 50; count += 1) await table.passing(project.execute(increment('a')));
    expect(project.set.windowBytes).toBeLessThan(windowBytes + 50);
  });
});

test('a document that grows in small steps is charged with its whole size, on every node', async () => {
  const table = new Table();
  const project = await table.open();
  const grow = (version: number): Command<number> => ({
    ...increment('a'),
    decide(ctx) {
      ctx.read(THING('a'));
      const changes = [[`m${version}`, 'x'.repeat(1000)] as const];
      const data = { space: 'live' as const, collection: 'things', key: 'a', version, changes, definition: '' };
      return { events: [{ type: 'document.written', data }], answer: version };
    },
  });
  const elsewhere = [await table.open(), await table.open()];
  await table.passing(Promise.all(elsewhere.slice(1).map((other) => other.read(THING('a')))));
  for (let version = 1; version <= 20; version += 1) await table.passing(project.execute(grow(version)));
  for (const other of elsewhere) await table.passing(other.refresh());
  await table.passing(Promise.all(elsewhere.map((other) => other.read(THING('a')))));
  for (const { set } of [project, ...elsewhere]) expect(set.windowBytes).toBeGreaterThan(20 * 3 * 500);
  expect(project.set.windowBytes).toBeGreaterThan(20 * 3 * 1000);
});

test('a clock that is set back neither stops the writer nor lets time run backwards', async () => {
  const table = new Table();
  const project = await table.open();
  project.onTail(await seen(table, await table.elsewhere(written('b', 1))));
  for (let count = 0; count < 3; count += 1) {
    const [writing, looking] = [project.execute(increment('a')), project.execute(look('a'))];
    table.machine.skew -= 3_600_000;
    await table.passing(Promise.all([writing, looking, project.execute(increment('a'))]), 500);
    const held = project.set.durable(THING('a'))?.state;
    const [last] = await seen(table, project.set.head);
    expect(held && 'updatedAt' in held ? held.updatedAt : null).toBe(JSON.parse(last?.metadata ?? '').recordedAt);
  }
  const events = await table.log.inner.read(STREAM, { limit: 10, direction: 'forwards' });
  const times = events.map((event) => Number(JSON.parse(event.metadata).recordedAt));
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

function look(key: string): Command<number> {
  return { ...increment(key), decide: (ctx) => ({ events: [], answer: countIn(ctx, key) }) };
}

async function seen(table: Table, from: number) {
  return table.log.inner.read(STREAM, { from, limit: 10, direction: 'forwards' });
}

test('a project is alone if no other project of its node had a request for a second', async () => {
  const { clock, machine } = new Table();
  const projects = new Neighbours(machine);
  const alone = () => ['a', 'b', 'c'].filter((id) => projects.isAlone(id));
  expect(alone()).toEqual(['a', 'b', 'c']);
  projects.used('a');
  projects.used('a');
  expect(alone()).toEqual(['a']);
  await clock.run(800);
  projects.used('b');
  expect(alone()).toEqual([]);
  await clock.run(1600);
  expect(alone()).toEqual(['b']);
  await clock.run(3000);
  expect(alone()).toEqual(['a', 'b', 'c']);
});
