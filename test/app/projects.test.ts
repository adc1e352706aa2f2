import { expect, test } from 'vitest';
import type { Project } from '../../src/app/project.ts';
import { Projects } from '../../src/app/projects.ts';
import { refusal } from '../../src/kernel/errors.ts';
import { type FollowOptions, type FollowStep, type Log, LogUnavailable } from '../../src/log/port.ts';
import { codeOf, increment, LIMITS, Table, written } from './support.ts';

/** A tail that brings what the test hands it. */
class Tail {
  #bring: (step: FollowStep) => void = () => undefined;

  async *follow({ signal }: FollowOptions): AsyncGenerator<FollowStep> {
    while (!signal.aborted) {
      yield await new Promise<FollowStep>((resolve) => {
        this.#bring = resolve;
      });
    }
  }

  async bring(table: Table, step: Partial<FollowStep> = {}): Promise<void> {
    this.#bring({ events: [], caughtUp: true, position: 0n, ...step });
    await table.clock.run(table.clock.now + 50);
  }
}

function node(table: Table, tail: Tail, changes: Partial<Log> = {}): Projects {
  const { log } = table;
  return new Projects({
    log: {
      append: (stream, expected, events) => log.append(stream, expected, events),
      read: (stream, range) => log.read(stream, range),
      head: (stream) => log.head(stream),
      end: () => log.end(),
      close: () => log.close(),
      follow: (options) => tail.follow(options),
      ...changes,
    },
    reader: table.reader,
    scheduler: table.machine,
    limits: LIMITS,
    cacheBytes: 1e6,
    observer: { appended: () => undefined, conflict: () => undefined, queue: () => undefined },
    onTrouble: () => undefined,
  });
}

async function opened(table: Table, projects: Projects): Promise<Project> {
  const project = await table.passing(projects.get('table'));
  if (!project) throw new Error('no such project');
  return project;
}

test('a project without events is not there, and one that was made is', async () => {
  const table = new Table();
  const projects = node(table, new Tail());
  expect(await table.passing(projects.get('table'))).toBe(null);
  const made = await table.passing(projects.create('table'));
  await table.passing(made.execute(increment('a')));
  expect(await projects.get('table')).toBe(made);
});

test('a head that was not confirmed for a second makes reads stale, and for five refuses them', async () => {
  const table = new Table();
  const tail = new Tail();
  await table.elsewhere(written('a', 1));
  const projects = node(table, tail);
  await projects.start();
  const project = await opened(table, projects);
  const stale = async (ms: number) => {
    await table.clock.run(table.clock.now + ms);
    return projects.freshness(project).stale;
  };
  expect([await stale(900), await stale(300)]).toEqual([false, true]);
  await tail.bring(table);
  expect(await stale(500)).toBe(false);
  await table.clock.run(table.clock.now + 5000);
  expect(() => projects.freshness(project)).toThrow('lost sight');
});

test('a tail that has caught up does not make fresh what could not be folded', async () => {
  const table = new Table();
  const tail = new Tail();
  await table.elsewhere(written('a', 1));
  const projects = node(table, tail);
  await projects.start();
  const project = await opened(table, projects);
  await table.elsewhere(written('a', 2));
  const last = await table.elsewhere(written('a', 3));
  table.log.beforeRead = () => {
    throw new LogUnavailable('no answer');
  };
  const events = await table.log.inner.read('project-table', { from: last, limit: 1, direction: 'forwards' });
  await table.clock.run(table.clock.now + 1100);
  await tail.bring(table, { events });
  expect(projects.freshness(project).stale).toBe(true);
  table.log.beforeRead = () => undefined;
  await tail.bring(table);
  expect(projects.freshness(project).stale).toBe(false);
  expect(project.set.head).toBe(last);
});

test('a project whose head could not be learned after opening is not open', async () => {
  const table = new Table();
  await table.elsewhere(written('a', 1));
  let fails = true;
  const head = async (stream: string) => {
    await table.machine.sleep(5);
    if (fails) throw new LogUnavailable('no answer');
    return table.log.head(stream);
  };
  const projects = node(table, new Tail(), { head });
  const opening = table.passing(projects.get('table'));
  opening.catch(() => undefined);
  let taken: Project | undefined;
  while (taken === undefined) {
    await table.clock.run(table.clock.now + 1);
    taken = projects.peek('table');
  }
  await expect(opening).rejects.toThrow('no answer');
  expect(projects.peek('table')).toBe(undefined);
  // Who took it up meanwhile does not go on with it: nobody tells it what others write.
  expect(await codeOf(taken.execute(increment('a')))).toBe('STORAGE_UNAVAILABLE');
  fails = false;
  await opened(table, projects);
});

test('a project that stopped is opened anew by the next request', async () => {
  const table = new Table();
  await table.elsewhere(written('a', 1));
  const projects = node(table, new Tail());
  const project = await opened(table, projects);
  project.stop(refusal('STORAGE_UNAVAILABLE'));
  expect(await codeOf(project.execute(increment('a')))).toBe('STORAGE_UNAVAILABLE');
  const again = await opened(table, projects);
  expect(await table.passing(codeOf(again.execute(increment('a'))))).toBe('stored');
});
