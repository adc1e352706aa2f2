import { expect, test } from 'vitest';
import type { App, Caller, PresentedCredentials } from '../../../src/app/app.ts';
import { createApp } from '../../../src/app/create-app.ts';
import { COMPILE_HERE } from '../../../src/app/management/compile-tasks.ts';
import { createOperator } from '../../../src/app/operator/operator.ts';
import type { ViewReader, ViewTable } from '../../../src/app/ports/readers.ts';
import type { Project } from '../../../src/app/project/project.ts';
import { Projects } from '../../../src/app/project/projects.ts';
import { Scans } from '../../../src/app/project/scans.ts';
import { LocalGuestLimits } from '../../../src/app/security/guest-limits.ts';
import { NOBODY } from '../../../src/domain/people/people.ts';
import { documentSubject } from '../../../src/domain/subjects.ts';
import { refusal } from '../../../src/kernel/errors.ts';
import { RoundRobin } from '../../../src/kernel/round-robin.ts';
import { type FollowOptions, type FollowStep, type Log, LogUnavailable } from '../../../src/log/port.ts';
import { projectStream } from '../../../src/log/streams.ts';
import { NO_VERIFIER } from '../../../src/outbound/verifier/check.ts';
import { createWebhooks } from '../../../src/outbound/webhooks.ts';
import { logWith } from '../../support/log-with.ts';
import { codeOf, increment, LIMITS, noTelemetry, STREAM, Table, written } from '../support.ts';

/** A tail that brings what the test gives it. */
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

function node(
  table: Table,
  tail: Tail,
  changes: Partial<Log> = {},
  onError: (what: string, error: unknown) => void = () => undefined,
): Projects {
  return new Projects({
    log: logWith(table.log, { follow: (options) => tail.follow(options), ...changes }),
    reader: table.reader,
    scheduler: table.machine,
    limits: LIMITS,
    cacheBytes: 1e6,
    observer: { appended: () => undefined, conflict: () => undefined, failed: () => undefined, queue: () => undefined },
    onError,
  });
}

async function opened(table: Table, projects: Projects): Promise<Project> {
  const project = await table.passing(projects.get('table'));
  if (!project) throw new Error('no such project');
  return project;
}

/** A node that follows the log, and has a project open that another one wrote to. */
async function following() {
  const table = new Table();
  const tail = new Tail();
  await table.elsewhere(written('a', 1));
  const projects = node(table, tail);
  await projects.start();
  const project = await opened(table, projects);
  return { table, tail, projects, project };
}

test('a project exists once it has events', async () => {
  const table = new Table();
  const projects = node(table, new Tail());
  expect(await table.passing(projects.get('table'))).toBe(null);
  const made = await table.passing(projects.create('table'));
  await table.passing(made.execute(increment('a')));
  expect(await projects.get('table')).toBe(made);
});

test('a head that was not confirmed makes reads stale after a second, and refuses them after five', async () => {
  const { table, tail, projects, project } = await following();
  const stale = async (ms: number) => {
    await table.clock.run(table.clock.now + ms);
    return projects.freshness(project).stale;
  };
  expect([await stale(900), await stale(300)]).toEqual([false, true]);
  await tail.bring(table);
  expect(await stale(500)).toBe(false);
  await table.clock.run(table.clock.now + 5000);
  expect(() => projects.freshness(project)).toThrow('not heard from the log');
});

/** Only definitions and working set are asked, so no view is needed. */
const no = async () => {
  throw new Error('a view was asked');
};
const neverAsked = () => Promise.reject(new Error('nothing is signed here'));
const NO_VIEWS: ViewReader = {
  caughtUp: no,
  hasShown: no,
  ledger: no,
  records: no,
  leaderboard: no,
  scan: no,
  walkDocuments: no,
  documentRows: no,
  neighbours: no,
  board: no,
  // A listing shows what is being filled; here nothing is.
  building: async () => [],
  publishes: no,
  flags: no,
  economyDays: no,
  economyFlows: no,
  economyEntries: no,
  economyMovers: no,
  economySupply: no,
  economyHour: no,
  alarms: no,
  approvals: no,
  approval: no,
  approvalComments: no,
  revisions: no,
  revisionsAfter: no,
  undone: no,
  // A push looks at the documents of a new collection; here are none.
  documentsAfter: async () => [],
  documentCount: async () => 0,
  stagedDocumentCount: no,
  documentsOf: no,
  sessionsOf: no,
  grants: no,
  grantPlayers: no,
  grantCounts: no,
  ledgerFields: no,
};

const WHOLE_LEDGER = { field: null, from: null, to: null, limit: null, cursor: null, order: null, who: null };

const PRESENTED: PresentedCredentials = {
  key: null,
  management: true,
  extraSecret: null,
  disabledKey: 'UNAUTHORIZED',
  disabledProject: 'DISABLED',
  platformId: '7001',
  onBehalfOf: null,
  position: null,
  revision: null,
  clientType: null,
};

const FEW = { streams: 10, topics: 100 };
const LIVE_BOUNDS = { streams: 10, of: { project: FEW, key: FEW, address: FEW } };
const NO_LIVE_OBSERVER = {
  open: () => undefined,
  values: () => undefined,
  message: () => undefined,
  resync: () => undefined,
  refused: () => undefined,
};

const KEPT = { forMs: 86_400_000, bytes: 65_536 };

function appOver(projects: Projects, table: Table, views: ViewReader): App {
  return createApp({
    projects,
    views,
    telemetry: noTelemetry(table.log, table.machine),
    scheduler: table.machine,
    roundRobin: new RoundRobin(table.machine),
    compiler: COMPILE_HERE,
    limits: {
      commandMs: 1000,
      endpointMs: 1000,
      documentBytes: 65_536,
      answerBytes: 65_536,
      boardBytes: 65_536,
      viewWaitMs: 250,
      answers: { game: KEPT, managed: KEPT },
    },
    live: { bounds: LIVE_BOUNDS, topics: 10, valueBytes: 1e6, names: 'neutral', observer: NO_LIVE_OBSERVER },
    onBoardBytes: () => undefined,
    onBoardFailed: () => undefined,
    scans: new Scans({ slots: 1, timeoutMs: 1_000 }, table.machine, { ended: () => undefined, refused: () => undefined }),
    platformId: /./,
    signer: neverAsked,
    verifier: NO_VERIFIER,
    guestLimits: new LocalGuestLimits(table.machine),
    webhooks: createWebhooks([]),
    people: { know: async () => undefined, nameOf: () => undefined, current: async () => NOBODY },
    keyUses: { note: () => undefined, of: async () => ({ uses: new Map(), since: 0 }) },
    looking: { log: table.log, looks: { record: async () => undefined, append: async () => undefined } },
  });
}

/** A node that has made a project. */
async function withProject() {
  const table = new Table();
  const projects = node(table, new Tail());
  await projects.start();
  const made = await table.passing(createOperator(projects, 'sp_').createProject('Table'));
  return { table, projects, made };
}

/** A node that has made a project, and the caller with its secret key. */
async function startedNode() {
  const { table, projects, made } = await withProject();
  const app = appOver(projects, table, NO_VIEWS);
  const caller = await app.authenticate(made.projectId, { ...PRESENTED, key: made.secretKey });
  return { table, projects, made, app, caller };
}

const READS: readonly (readonly [string, (app: App, caller: Caller) => Promise<unknown>])[] = [
  ['a document', async ({ documents }, caller) => documents.read(caller, { collection: 'players', key: 'a', target: 'live' })],
  [
    'a document that is not there',
    ({ documents }, caller) => documents.exists(caller, { collection: 'players', key: 'b', target: 'live' }),
  ],
  ['game values', ({ values }, caller) => values.read(caller, 'live')],
  ['rate limits', ({ values }, caller) => values.rateLimits(caller, 'live', null)],
  ['a listing', ({ manage }, caller) => manage.list(caller, 'collection', { includeStaged: false, target: null })],
  ['the difference', ({ manage }, caller) => manage.diff(caller)],
  ['the validation', ({ manage }, caller) => manage.validate(caller, null)],
  ['the settings', ({ settings }, caller) => settings.read(caller)],
];

test.each(READS)('a node that does not hear from the log marks reads as stale, and then refuses them: %s', async (_, read) => {
  const { table, app, caller } = await startedNode();
  const definition = [{ id: 'players', name: 'players', type: 'player' }];
  await table.passing(app.manage.upsertMany(caller, 'collection', definition, { target: 'live', replaceAll: false }));
  await table.passing(
    app.documents.write(caller, { collection: 'players', key: 'a', target: 'live' }, () => ({ body: { gold: 1 }, saveVersion: null })),
  );
  const fresh = await table.passing(read(app, caller));
  await table.clock.run(table.clock.now + 1500);
  const later = await table.passing(read(app, caller));
  if (typeof fresh === 'object') expect([fresh, later]).toMatchObject([{ stale: false }, { stale: true }]);
  await table.clock.run(table.clock.now + 5000);
  expect(await codeOf(table.passing(read(app, caller)))).toBe('STORAGE_UNAVAILABLE');
});

test('a list waits for the views to show the publish that made its collection global', async () => {
  const { table, projects, made } = await withProject();
  const waitedFor: number[] = [];
  const app = appOver(projects, table, {
    ...NO_VIEWS,
    caughtUp: async (_, revision) => waitedFor.push(revision) > 0,
    records: async () => ({ revision: 0, listed: true, building: null, records: [], last: null }),
  });
  const caller = await app.authenticate(made.projectId, { ...PRESENTED, key: made.secretKey });
  const publish = (collectionType: string) =>
    table.passing(app.manage.upsertMany(caller, 'collection', [{ id: 'towns', collectionType }], { target: 'live', replaceAll: false }));
  await publish('per-platformid');
  await table.passing(
    app.documents.write(caller, { collection: 'towns', key: 'a', target: 'live' }, () => ({ body: { sold: 1 }, saveVersion: null })),
  );
  await publish('global');
  const { position } = await table.passing(app.records.list(caller, { collection: 'towns', target: 'live' }, { limit: null, after: null }));
  expect(waitedFor).toEqual([position]);
});

test.each([
  ['shows them once it has caught up', [false, true], 'one entry'],
  ['404 only once it has caught up', [false, true], 'NOT_FOUND'],
  ['503 while it has not', [false, false], 'BEHIND'],
  ['404 at once from a view that shows everything', [true], 'NOT_FOUND'],
])('a view that lags never says that it knows nothing of a player: %s', async (_, reaches, comes) => {
  const { table, projects, made } = await withProject();
  const asked: number[] = [];
  const summary = { totalIncrease: 0, totalDecrease: 0, netChange: 0, entryCount: 0, truncated: false, sources: [] };
  const entry = {
    field: 'gold',
    before: 0,
    after: 5,
    delta: 5,
    source: 'api',
    reason: null,
    at: 0,
    eventId: 'e',
    actor: { kind: 'operator' as const },
    label: null,
  };
  const app = appOver(projects, table, {
    ...NO_VIEWS,
    hasShown: async () => true,
    caughtUp: async (_, __, timeoutMs) => reaches[asked.push(timeoutMs) - 1] === true,
    ledger: async () => ({
      revision: 0,
      known: false,
      entries: comes === 'one entry' && asked.length > 1 ? [entry] : [],
      summary,
      cursor: null,
    }),
  });
  const caller = await app.authenticate(made.projectId, { ...PRESENTED, key: made.secretKey });
  await table.passing(
    app.manage.upsertMany(caller, 'collection', [{ id: 'players', type: 'player' }], { target: 'live', replaceAll: false }),
  );
  const read = table.passing(app.documents.ledger(caller, { collection: 'players', key: 'a', target: 'live' }, WHOLE_LEDGER));
  if (comes === 'one entry') expect(await read).toMatchObject({ stale: false, result: expect.stringContaining('"after":5,') });
  else expect(await codeOf(read)).toBe(comes);
  expect(asked).toEqual([250, 5000].slice(0, reaches.length));
});

/** An app whose views never catch up, who publishes in it, and how long it waited for them each time, ms. */
async function appBehind(views: Partial<Parameters<typeof appOver>[2]>) {
  const { table, projects, made } = await withProject();
  const asked: number[] = [];
  const app = appOver(projects, table, {
    ...NO_VIEWS,
    hasShown: async () => true,
    caughtUp: async (_, __, timeoutMs) => asked.push(timeoutMs) < 0,
    ...views,
  });
  const caller = await app.authenticate(made.projectId, { ...PRESENTED, key: made.secretKey });
  return { app, asked, caller, table };
}

test.each([
  ['it waits for the publish', [null, 1], 'rows'],
  ['503 while the publish is not there', [null, null], 'BEHIND'],
  ['tables that know the query answer at once', [1], 'rows'],
])('a leaderboard whose publish the views lack is never an empty one: %s', async (_, totals, comes) => {
  let reads = 0;
  const { app, asked, caller, table } = await appBehind({
    leaderboard: async () => {
      const total = totals[reads++] ?? null;
      const rows = total === null ? [] : [{ key: 'a', value: 5, document: '{"gold":5}' }];
      return { revision: 1_000, building: null, isPartial: false, total, rows };
    },
  });
  const push = (kind: 'collection' | 'query', definition: { id: string }) =>
    table.passing(app.manage.upsertMany(caller, kind, [definition], { target: 'live', replaceAll: false }));
  await push('collection', { id: 'players' });
  await push('query', { id: 'top', sources: [{ collectionId: 'players' }], config: { field: 'gold' } } as { id: string });
  const call = { id: 'top', target: 'live' as const, fresh: false, limit: null, offset: null, player: null, around: null };
  const read = table.passing(Promise.resolve(app.queries.run(caller, call)));
  if (comes === 'rows') expect(await read).toMatchObject({ stale: false, result: expect.stringContaining('"key":"a"') });
  else expect(await codeOf(read)).toBe(comes);
  expect(asked).toEqual([250, 5000].slice(0, totals.length));
});

test.each([
  ['it waits for the publish', [false, true], 'a record'],
  ['503 while the publish is not there', [false, false], 'BEHIND'],
])('a list whose publish the views lack is never an empty one: %s', async (_, known, comes) => {
  let reads = 0;
  const { app, asked, caller, table } = await appBehind({
    records: async () => {
      const listed = known[reads++] ?? false;
      return { revision: 1_000, listed, building: null, records: listed ? ['{"sold":1}'] : [], last: null };
    },
  });
  const towns = [{ id: 'towns', collectionType: 'global' }];
  await table.passing(app.manage.upsertMany(caller, 'collection', towns, { target: 'live', replaceAll: false }));
  const read = table.passing(app.records.list(caller, { collection: 'towns', target: 'live' }, { limit: null, after: null }));
  if (comes === 'BEHIND') expect(await codeOf(read)).toBe(comes);
  else expect(await read).toMatchObject({ stale: false, result: expect.stringContaining('"sold":1') });
  expect(asked).toEqual([250, 5000]);
});

/** What a request comes to, and how long it took. LIMITS gives it 1000 ms. */
async function timed(table: Table, request: Promise<unknown>): Promise<{ code: string; ms: number }> {
  const began = table.clock.now;
  let ms = Number.NaN;
  const code = await table.passing(
    codeOf(
      request.finally(() => {
        ms = table.clock.now - began;
      }),
    ),
  );
  return { code, ms };
}

const WAITS: readonly (readonly [string, (app: App, caller: Caller) => Promise<unknown>])[] = [
  ['an unknown key', async (app, { projectId }) => app.authenticate(projectId, { ...PRESENTED, key: 'ns_pub_unknown' })],
  ['the security config, fresh', async (app, { projectId }) => app.securityConfig(projectId, { fresh: true })],
  ['a promotion', ({ manage }, caller) => manage.promote(caller, { dryRun: true, force: false })],
  ['a position beyond the head', ({ settings }, caller) => settings.read({ ...caller, position: 1e6 })],
];

test.each(WAITS)('a request waits for a log that does not answer no longer than a request may take: %s', async (_, request) => {
  const { table, projects, made, app, caller } = await startedNode();
  const project = projects.peek(made.projectId);
  table.log.headMs = 800;
  // A look that began before it says too little, so it needs the next one.
  project?.refresh().catch(() => undefined);
  expect(await timed(table, request(app, caller))).toEqual({ code: 'STORAGE_UNAVAILABLE', ms: 1000 });
});

test('a request waits for a project to open no longer than a request may take', async () => {
  const table = new Table();
  await table.elsewhere(written('a', 1));
  table.log.headMs = 1500;
  const projects = node(table, new Tail());
  expect(await timed(table, projects.get('table'))).toEqual({ code: 'STORAGE_UNAVAILABLE', ms: 1000 });
});

test('a read waits for the state tables no longer than a request may take', async () => {
  const table = new Table();
  const project = await table.open();
  table.reader.loadMs = 1500;
  expect(await timed(table, Promise.resolve(project.read(documentSubject('live', 'players', 'a'))))).toEqual({
    code: 'STORAGE_UNAVAILABLE',
    ms: 1000,
  });
});

/** A project with three publishes, and what its rollbacks ask of the index: each question takes so many ms and finds one revision. */
async function withPublishes(indexMs: number) {
  const { table, projects, made } = await withProject();
  const counts = { asked: 0, running: 0, atOnce: 0 };
  const app = appOver(projects, table, {
    ...NO_VIEWS,
    caughtUp: async () => true,
    stagedDocumentCount: async () => 0,
    revisions: async (_, __, { before }) => {
      counts.asked += 1;
      counts.running += 1;
      counts.atOnce = Math.max(counts.atOnce, counts.running);
      await table.machine.sleep(indexMs);
      counts.running -= 1;
      return before > 0 ? [before - 1] : [];
    },
  });
  const caller = await app.authenticate(made.projectId, { ...PRESENTED, key: made.secretKey });
  const published: number[] = [];
  for (const id of ['a', 'b', 'c']) {
    const pushed = app.manage.upsertMany(caller, 'collection', [{ id }], { target: 'live', replaceAll: false });
    published.push((await table.passing(pushed)).position);
  }
  const rollback = (to: number | null) => app.history.rollback(caller, { to, dryRun: true });
  return { table, counts, published, rollback };
}

test('rollbacks to the same publish share one search, and those to others wait for their turn', async () => {
  const { table, counts, published, rollback } = await withPublishes(50);
  const [, second = -1, third = -1] = published;
  const same = [rollback(third), rollback(third), rollback(third)];
  for (const { result } of await table.passing(Promise.all(same))) expect(result).toMatchObject({ ok: true, to: third, changes: [] });
  expect(counts.asked).toBe(1);
  const answers = await table.passing(Promise.all([rollback(third), rollback(null)]));
  expect(answers.map(({ result }) => result.to)).toEqual([third, second]);
  expect(counts.atOnce).toBe(1);
});

test('a rollback that reads back for too long is refused', async () => {
  const { table, published, rollback } = await withPublishes(400);
  expect(await codeOf(table.passing(rollback(published[0] ?? -1)))).toBe('ROLLBACK_TIMEOUT');
});

test('a tail that has caught up does not make a project fresh whose events could not be folded', async () => {
  const { table, tail, projects, project } = await following();
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

test('a project whose head could not be read after opening is not open', async () => {
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
  // A caller that took it up meanwhile does not go on with it: nobody tells it what others write.
  expect(await codeOf(taken.execute(increment('a')))).toBe('STORAGE_UNAVAILABLE');
  fails = false;
  await opened(table, projects);
});

test('a project whose log is corrupt stops and says so, others go on, and it is looked at again once a second at most', async () => {
  const table = new Table();
  const tail = new Tail();
  const told: string[] = [];
  await table.elsewhere(written('a', 1));
  const projects = node(table, tail, {}, (what, error) => told.push(`${what}: ${error}`));
  await projects.start();
  await opened(table, projects);
  const broken = projectStream('broken');
  await table.log.inner.append(broken, 'none', await table.log.inner.read(STREAM, { limit: 1, direction: 'forwards' }));
  const altered = { id: 'x', type: 'document.written', data: '{}', metadata: `{"seal":"${'0'.repeat(64)}"}` };
  await table.log.inner.append(broken, 0, [altered]);
  const first = codeOf(table.passing(projects.get('broken')));
  expect([await first, told.length]).toEqual(['INTERNAL_ERROR', 1]);
  expect(told[0]).toMatch(/project broken stopped: .*Corrupt log: project-broken@1/);
  for (let more = 0; more < 5; more += 1) expect(await codeOf(projects.get('broken'))).toBe('INTERNAL_ERROR');
  expect(told).toHaveLength(1);
  const last = await table.elsewhere(written('a', 2));
  await tail.bring(table, { events: await table.log.inner.read(STREAM, { from: last, limit: 1, direction: 'forwards' }) });
  expect((await opened(table, projects)).set.head).toBe(last);
  await table.clock.run(table.clock.now + 1_000);
  expect(await codeOf(table.passing(projects.get('broken')))).toBe('INTERNAL_ERROR');
  expect(told).toHaveLength(2);
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

test.each<readonly [ViewTable, (app: App, caller: Caller) => Promise<unknown>]>([
  ['ledger', ({ documents }, caller) => documents.ledger(caller, { collection: 'players', key: 'a', target: 'live' }, WHOLE_LEDGER)],
  ['records', ({ records }, caller) => records.list(caller, { collection: 'towns', target: 'live' }, { limit: null, after: null })],
  ['flags', ({ flags }, caller) => flags(caller, 'live', { player: null, before: null, limit: 50 })],
  ['publishes', ({ history }, caller) => history.publishes(caller, { before: null, limit: 50 })],
])('a view that has never shown the project says so, instead of nothing: %s', async (view, read) => {
  const { table, projects, made } = await withProject();
  const asked: ViewTable[] = [];
  const app = appOver(projects, table, {
    ...NO_VIEWS,
    caughtUp: async () => false,
    hasShown: async (_, at) => asked.push(at) === 0,
  });
  const caller = await app.authenticate(made.projectId, { ...PRESENTED, key: made.secretKey });
  const collections = [
    { id: 'players', type: 'player' },
    { id: 'towns', collectionType: 'global' },
  ];
  await table.passing(app.manage.upsertMany(caller, 'collection', collections, { target: 'live', replaceAll: false }));
  expect(await codeOf(table.passing(read(app, caller)))).toBe('BEHIND');
  expect(asked).toEqual([view]);
});
