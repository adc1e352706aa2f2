import { expect, test } from 'vitest';
import type { Caller } from '../../../src/app/app.ts';
import { decided, execute } from '../../../src/app/context.ts';
import { MinuteQuota } from '../../../src/app/project/minute-quota.ts';
import type { Project } from '../../../src/app/project/project.ts';
import { consuming } from '../../../src/app/security/request-ids.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { NO_QUOTAS } from '../../../src/domain/project/quotas.ts';
import { projectSettings } from '../../../src/domain/project/settings.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { codeOf, Table, THING, written } from '../support.ts';

const CALLER = { isSecret: false, platformId: 'p1', onBehalfOf: null, key: { kind: 'public', keyId: 'k' } } as unknown as Caller;

/** Stores the events in one commit. Answers its refusal, or that it was stored. */
async function stores(table: Table, project: Project, ...events: readonly DomainEvent[]): Promise<unknown> {
  const storing = execute(project, CALLER, 'document.write', (ctx) => {
    for (const { data } of events) if ('key' in data) ctx.read(THING(data.key));
    return decided('stored', events);
  });
  return table.passing(
    storing.then(
      ({ answer }) => answer,
      (error: unknown) => {
        if (error instanceof Refusal) return error;
        throw error;
      },
    ),
  );
}

const sized = (key: string, text: string, version = 1): DomainEvent => ({
  type: 'document.written',
  data: { space: 'live', collection: 'things', key, version, document: { text }, definition: '' },
});
const deleted = (key: string, version: number): DomainEvent => ({
  type: 'document.deleted',
  data: { space: 'live', collection: 'things', key, version, definition: '' },
});
const quotasSet = (quotas: Record<string, number>): DomainEvent => ({ type: 'settings.changed', data: { changes: { quotas } } });
const waits = (table: Table, ms: number) => table.clock.run(table.clock.now + ms);

test('a quota of documents counts over restarts and nodes; writes that create none go on, and a delete makes room', async () => {
  const table = new Table();
  const quotas = { ...NO_QUOTAS, documents: 1_202 };
  // More than one page of a count, some of it after the tables.
  for (let n = 0; n < 1_000; n += 1) await table.elsewhere(written(`old${n}`, 1));
  await table.reader.project();
  const project = await table.open({ quotas });
  await waits(table, 100);
  for (let n = 0; n < 200; n += 1) expect(await stores(table, project, written(`new${n}`, 1))).toBe('stored');
  // Two in one commit: both or neither. The second write of a document adds none.
  expect(await stores(table, project, written('a', 1), written('b', 1), written('c', 1))).toMatchObject({ code: 'QUOTA_EXCEEDED' });
  expect(await stores(table, project, written('a', 1), written('b', 1), sized('a', 'again', 2))).toBe('stored');
  expect(await stores(table, project, written('c', 1))).toMatchObject({
    status: 429,
    code: 'QUOTA_EXCEEDED',
    extra: { error: { quota: 'documents', limit: 1_202, used: 1_202 } },
  });
  expect(await stores(table, project, written('old0', 2, 2))).toBe('stored');

  const again = await table.open({ quotas });
  await waits(table, 100);
  await table.reader.project();
  again.projected(again.set.head);
  // The next count includes what the tables lacked.
  await waits(table, 60_000);
  await stores(table, again, written('old0', 3, 3), written('c', 1));
  await waits(table, 100);
  expect(await stores(table, again, written('d', 1))).toMatchObject({ code: 'QUOTA_EXCEEDED' });
  expect(await stores(table, again, deleted('old1', 2), deleted('old2', 2))).toBe('stored');
  expect(await stores(table, again, written('d', 1))).toBe('stored');
});

test('a quota of bytes refuses growth and never a document that becomes smaller', async () => {
  const table = new Table();
  const project = await table.open({ quotas: { ...NO_QUOTAS, bytes: 100 } });
  await waits(table, 100);
  expect(await stores(table, project, sized('a', 'x'.repeat(80)))).toBe('stored');
  expect(await stores(table, project, sized('b', 'x'))).toMatchObject({
    code: 'QUOTA_EXCEEDED',
    extra: { error: { quota: 'bytes', limit: 100, used: 91 } },
  });
  expect(await stores(table, project, sized('a', 'x'.repeat(79), 2))).toBe('stored');
  expect(await stores(table, project, sized('b', ''))).toMatchObject({ code: 'QUOTA_EXCEEDED' });
  expect(await stores(table, project, sized('a', '', 3))).toBe('stored');
  expect(await stores(table, project, sized('b', 'é'.repeat(39)))).toBe('stored');
  expect(await stores(table, project, sized('c', ''))).toMatchObject({ extra: { error: { used: 100 } } });
});

test('a quota of documents holds among writes at the same moment', async () => {
  const table = new Table();
  const project = await table.open({ quotas: { ...NO_QUOTAS, documents: 5 } });
  await waits(table, 100);
  const outcomes = await Promise.all([...Array(20).keys()].map((n) => stores(table, project, written(`a${n}`, 1))));
  expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(5);
  // What was under way and is not stored makes room again.
  expect(await stores(table, project, deleted('a0', 2))).toBe('stored');
  table.log.fate = () => 'refused';
  expect(await stores(table, project, written('b', 1))).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  table.log.fate = () => 'fine';
  expect(await stores(table, project, written('c', 1))).toBe('stored');
  expect(await stores(table, project, written('d', 1))).toMatchObject({ extra: { error: { used: 5 } } });
});

test('what is stored while the tables are counted counts once, and nobody is refused below the quota', async () => {
  const table = new Table();
  const project = await table.open({ quotas: { ...NO_QUOTAS, documents: 100 } });
  await waits(table, 100);
  for (let n = 0; n < 60; n += 1) {
    if (n === 55) await table.reader.project();
    expect(await stores(table, project, written(`a${n}`, 1))).toBe('stored');
  }
  await waits(table, 6_000);
  // The first of them begins a count, of tables that lack the last five of those above.
  for (let n = 0; n < 40; n += 1) expect(await stores(table, project, written(`b${n}`, 1))).toBe('stored');
  expect(await stores(table, project, written('c', 1))).toMatchObject({ extra: { error: { limit: 100, used: 100 } } });
});

test('staged documents count until a promotion: nobody can reach or delete them then', async () => {
  const table = new Table();
  const staged = (key: string): DomainEvent => ({
    type: 'document.written',
    data: { space: 'next0', collection: 'things', key, version: 1, document: { n: 1 }, definition: '' },
  });
  await table.elsewhere(staged('a'), staged('b'));
  await table.reader.project();
  const project = await table.open({ quotas: { ...NO_QUOTAS, documents: 3 } });
  await waits(table, 100);
  expect(await stores(table, project, written('a', 1))).toBe('stored');
  expect(await stores(table, project, written('b', 1))).toMatchObject({ extra: { error: { used: 3 } } });
  await table.elsewhere({ type: 'definitions.promoted', data: { changes: [], hash: '', generation: 1 } });
  await table.passing(project.refresh());
  await table.reader.project();
  await waits(table, 6_000);
  await stores(table, project, written('b', 1));
  await waits(table, 100);
  expect(await stores(table, project, written('c', 1))).toBe('stored');
});

test('a sealed call that is refused for a quota has used up its request id', async () => {
  const table = new Table();
  const project = await table.open({ quotas: { ...NO_QUOTAS, documents: 1 } });
  await waits(table, 100);
  expect(await stores(table, project, written('a', 1))).toBe('stored');
  const sealed = () =>
    codeOf(
      execute(project, CALLER, 'endpoint.call', (ctx, now) => {
        const request = { type: 'platform', identity: 'p1', requestId: `${Math.floor(now / 1000)}_abcdef` } as const;
        return consuming(ctx, now, projectSettings({}), request, () => {
          ctx.read(THING('b'));
          return decided('stored', [written('b', 1)]);
        });
      }),
    );
  expect(await table.passing(sealed())).toBe('QUOTA_EXCEEDED');
  expect(await stores(table, project, deleted('a', 2))).toBe('stored');
  expect(await table.passing(sealed())).toBe('ENCRYPTED_REQUEST_REPLAY_DETECTED');
});

test('a quota that the operator sets for one project is in force where the project is open, until it is removed', async () => {
  const table = new Table();
  await table.elsewhere({ type: 'project.created', data: { projectId: 'table', name: 'T' } });
  const project = await table.open();
  expect([project.quotas.store, project.quotas.reports]).toEqual([null, null]);
  await table.elsewhere(quotasSet({ documents: 1, telemetryPerMinute: 5 }));
  await table.passing(project.refresh());
  await waits(table, 100);
  expect(project.quotas.reports).not.toBeNull();
  expect(await stores(table, project, written('a', 1))).toBe('stored');
  expect(await stores(table, project, written('b', 1))).toMatchObject({ extra: { error: { quota: 'documents', limit: 1 } } });
  await table.elsewhere(quotasSet({ eventsPerDay: 3 }));
  await table.passing(project.refresh());
  await waits(table, 100);
  // By this node's time the events are of another day, so only its own count.
  expect(await stores(table, project, written('b', 1))).toBe('stored');
  expect(project.quotas.reports).toBeNull();
  await table.elsewhere(quotasSet({}));
  await table.passing(project.refresh());
  expect(project.quotas.store).toBeNull();
});

test('a quota bounds the reports of players in a minute', () => {
  const quota = new MinuteQuota(2);
  const at = 1_700_000_040_000;
  expect([0, 1, 59_999, 60_000].map((ms) => quota.tryTake(at + ms))).toEqual([true, true, false, true]);
});
