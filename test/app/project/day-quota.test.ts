import { expect, test } from 'vitest';
import type { Caller } from '../../../src/app/app.ts';
import { decided, execute } from '../../../src/app/context.ts';
import type { Project } from '../../../src/app/project/project.ts';
import { NO_QUOTAS } from '../../../src/domain/project/quotas.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { Table, THING, written } from '../support.ts';

const DAY_MS = 86_400_000;
const CALLER = { isSecret: false, platformId: 'p1', onBehalfOf: null, key: { kind: 'public', keyId: 'k' } } as unknown as Caller;

let commands = 0;
async function stores(table: Table, project: Project, cause = 'document.write'): Promise<Refusal | 'stored'> {
  commands += 1;
  const key = `k${commands}`;
  const storing = execute(project, CALLER, cause, (ctx) => {
    ctx.read(THING(key));
    return decided(null, [written(key, 1)]);
  });
  return table.passing(
    storing.then(
      () => 'stored' as const,
      (error: unknown) => {
        if (error instanceof Refusal) return error;
        throw error;
      },
    ),
  );
}

test('a quota of events a day counts over restarts, and its refusal says how many and until when', async () => {
  const table = new Table();
  // An event of an earlier day.
  for (let n = 0; n < 9; n += 1) await table.elsewhere(written(`old${n}`, 1));
  const first = await table.open({ quotas: { ...NO_QUOTAS, eventsPerDay: 3 } });
  expect([await stores(table, first), await stores(table, first)]).toEqual(['stored', 'stored']);
  const again = await table.open({ quotas: { ...NO_QUOTAS, eventsPerDay: 3 } });
  expect(await stores(table, again)).toBe('stored');
  const now = table.machine.now();
  const resetsAt = new Date((Math.floor(now / DAY_MS) + 1) * DAY_MS).toISOString();
  expect(await stores(table, again)).toMatchObject({
    status: 429,
    code: 'QUOTA_EXCEEDED',
    extra: { error: { quota: 'eventsPerDay', limit: 3, used: 3, resetsAt } },
  });
  // Reads go on, and a manager can repair the project.
  expect(await table.passing(execute(again, CALLER, 'endpoint.call', () => decided('read')))).toMatchObject({ answer: 'read' });
  expect(await stores(table, again, 'settings.put')).toBe('stored');
  // Nobody keeps a stolen session or a lost device until midnight.
  expect([await stores(table, again, 'session.revoke'), await stores(table, again, 'guest.revoke')]).toEqual(['stored', 'stored']);
  await table.clock.run(table.clock.now + DAY_MS);
  expect([await stores(table, again), await stores(table, again), await stores(table, again)]).toEqual(['stored', 'stored', 'stored']);
  expect(await stores(table, again)).toMatchObject({ code: 'QUOTA_EXCEEDED' });
});

test('what other nodes have stored since midnight counts on a node that stored nothing since', async () => {
  const table = new Table();
  const project = await table.open({ quotas: { ...NO_QUOTAS, eventsPerDay: 4 } });
  expect(await stores(table, project)).toBe('stored');
  await table.clock.run(table.clock.now + DAY_MS);
  table.elsewhereAt = table.machine.now();
  const position = await table.elsewhere(written('a', 1), written('b', 1), written('c', 1));
  await table.passing(project.reach(position, 1000));
  expect(await stores(table, project)).toBe('stored');
  expect(await stores(table, project)).toMatchObject({ code: 'QUOTA_EXCEEDED', extra: { error: { used: 4 } } });
});

test('without a quota nothing is counted', async () => {
  const table = new Table();
  const project = await table.open();
  expect(project.quotas.store).toBeNull();
  expect(await stores(table, project)).toBe('stored');
});
