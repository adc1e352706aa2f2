import { expect, test } from 'vitest';
import { compileAhead } from '../../../src/app/management/compile-ahead.ts';
import { COMPILE_HERE } from '../../../src/app/management/compile-tasks.ts';
import { autoTests } from '../../../src/app/management/test-runs.ts';
import { accessContext } from '../../../src/domain/access/context.ts';
import { EMPTY_DEFINITIONS } from '../../../src/domain/definition/model/evolve.ts';
import { compileItem } from '../../../src/domain/definition/source/compile.ts';
import { accepted } from '../../../src/kernel/errors.ts';
import { realScheduler } from '../../../src/kernel/scheduler.ts';
import { createWebhooks } from '../../../src/outbound/webhooks.ts';
import { endpointModel } from '../../language/support.ts';
import { keyNamed } from '../../support/keys.ts';
import { Table } from '../support.ts';

const KEY = keyNamed('k', 'secret');
const AUTHORITY = {
  projectId: 'table',
  name: 't',
  createdAt: 0,
  deleted: false,
  settings: {},
  keys: new Map([['k', KEY]]),
  gamePackage: null,
};
const ENDPOINT = endpointModel('e', {});

/** Each look at the clock finds it 5 ms later. `turns`: the pauses that were taken. */
function slowClock() {
  const turns: number[] = [];
  let at = 0;
  const monotonic = () => {
    at += 5;
    return at;
  };
  const sleep = async (ms: number) => {
    turns.push(ms);
  };
  const webhooks = createWebhooks([]);
  return {
    turns,
    context: {
      compiler: COMPILE_HERE,
      scheduler: { ...realScheduler, monotonic, sleep },
      webhooks,
      limits: { endpointMs: 1000, documentBytes: 65_536, answerBytes: 4_194_304 },
    },
  };
}

test('a long list of source texts yields to other requests, and is parsed once', async () => {
  const { turns, context } = slowClock();
  const items = Array.from({ length: 100 }, (_, index) => ({ id: `e${index}`, sourceText: 'steps: []' }));
  await compileAhead(context, 'table', [...items.map((item) => [item, 'endpoint'] as const), ['no item', 'endpoint']]);
  expect(turns.length).toBeGreaterThan(10);
  const [first = {}] = items;
  expect(compileItem(first, 'endpoint')).toBe(compileItem(first, 'endpoint'));
});

test('a long list of dry runs yields to other requests', async () => {
  const table = new Table();
  const project = await table.open();
  const { turns, context } = slowClock();
  const place = {
    project,
    actor: { kind: 'operator' as const },
    accessOf: () => accepted(accessContext(AUTHORITY, EMPTY_DEFINITIONS, KEY, 'live')),
  };
  const endpoints = Array.from({ length: 100 }, () => ENDPOINT);
  const done = await table.passing(autoTests(context, place, endpoints));
  expect(done.total).toBe(100);
  expect(turns.length).toBeGreaterThan(10);
});
