import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { KEY_SCOPES, type Scope } from '../../src/contract/credentials.ts';
import { listOf, objectOf } from '../../src/kernel/json-read.ts';
import type { Node } from '../../src/main.ts';
import { newApiKey } from './support/command-line.ts';
import { bodyOf, type Client, ok } from './support/game-client.ts';
import { startNodeHere } from './support/node-here.ts';
import { removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Whatever `explain` tells, and wherever it leads on, whoever asks may read elsewhere: with each permission, also beside `history`. */

const ADA = '76561198000000001';

/** Words that stand in one thing each, with what whoever is told of it has to have, one of these. */
const MARKED: Readonly<Record<string, readonly (readonly Scope[])[]>> = {
  markvalue: [['game_values'], ['endpoints']],
  markvalueentry: [['game_values'], ['endpoints']],
  markworkflow: [['workflows'], ['endpoints']],
  markendpointtext: [['endpoints']],
  markcollectionname: [['collections']],
  markboard: [['queries']],
  markrule: [['rate_limits']],
  'enabled, made': [['settings']],
  markmessageofvalues: [['game_values']],
  markmessageofendpoint: [['endpoints'], ['collections', 'workflows', 'queries', 'game_values', 'rate_limits', 'endpoints']],
  markrefused: [['players', 'history']],
  markdocument: [['history'], ['collections']],
  marktest: [],
  markcolumn: [['game_values']],
};

let node: Node;
let manager: Client;
let env: Readonly<Record<string, string>>;
let project: string;
/** What is asked for. */
const held: string[] = [];

beforeAll(async () => {
  ({ env, node, project, manager } = await startNodeHere('Permissions'));
  const define = async (kind: string, body: unknown, message = '') => {
    const query = message === '' ? '' : `?message=${message}`;
    const { headers } = await ok(manager.manage('POST', `${manager.definitions(kind)}${query}`, { body }));
    held.push(String(headers['x-ns-position']));
  };
  const gold = { type: 'number', _ledger: true };
  await define('collections', [
    { id: 'purses', name: 'markcollectionname', accessMode: 'public', schema: { gold, nick: { type: 'string', _unique: true } } },
  ]);
  const tables = { marktable: { columns: ['markcolumn'], rows: [] } };
  await define('game-values', { groups: { markvalue: { markvalueentry: 5 } }, tables }, 'markmessageofvalues');
  const tests = [{ id: 'marktest', endpoint: 'pay', input: {}, expect: { status: 200 } }];
  await ok(manager.manage('PUT', `/v3/manage/${project}/tests`, { body: tests }));
  await define('workflows', [{ id: 'markworkflow', steps: [] }]);
  await define('queries', [
    { id: 'markboard', name: 'markboard', type: 'leaderboard', sources: [{ collectionId: 'purses' }], config: { field: 'gold' } },
  ]);
  await define('rate-limit-rules', { rules: [{ id: 'markrule', name: 'markrule', collection: 'purses', field: 'gold', maxPerDay: 1000 }] });
  const pay = { op: 'inc', path: 'gold', value: '{{values.markvalue.markvalueentry}}', source: 'gift' };
  await define(
    'endpoints',
    [
      {
        slug: 'pay',
        description: 'markendpointtext',
        steps: [
          { id: 'flow', type: 'workflow', workflow: 'markworkflow' },
          { id: 'write', type: 'write', collection: 'purses', key: '{{platformId}}', ops: [pay] },
        ],
        response: { body: {} },
      },
      {
        slug: 'no',
        steps: [{ id: 'no', type: 'assert', check: { field: 'input.x', op: '==', value: 1 }, errorCode: 'NO', message: 'markrefused' }],
      },
    ],
    'markmessageofendpoint',
  );
  const as = { headers: { 'x-platform-id': ADA } };
  await ok(manager.manage('POST', manager.storage(`purses/${ADA}`), { body: { gold: 1, nick: 'markdocument' } }));
  const paid = await ok(manager.play('POST', manager.endpoint('pay'), { body: {}, ...as }));
  const { status } = await manager.play('POST', manager.endpoint('no'), {
    body: {},
    headers: { ...as.headers, 'x-correlation-id': 'refused' },
  });
  expect(status).toBe(400);
  const keys = await bodyOf(manager.manage('GET', `/v3/manage/${project}/keys`));
  const own = listOf(keys['keys']).map((key) => objectOf(key));
  held.push(
    String(paid.headers['x-ns-position']),
    String(paid.headers['x-correlation-id']),
    'refused',
    ADA,
    'markdocument',
    `purses/${ADA}`,
  );
  held.push('markvalue', 'markvalue.markvalueentry', 'markworkflow', 'markboard', 'markrule', 'purses', 'pay', 'marktest');
  // What has it in its name.
  held.push('mar', 'arkvalue.m', 'urse');
  held.push(...own.map(({ keyId, id }) => String(keyId ?? id)), ...own.map(({ label }) => String(label)));
  // The call log is written a moment later.
  await vi.waitFor(async () => {
    const { text } = await ok(manager.manage('GET', `/v3/manage/${project}/logs?code=NO`));
    expect(text).toContain('markrefused');
  }, 60_000);
});

afterAll(async () => {
  manager?.close();
  await node?.close();
  removeFolders();
});

const SETS: readonly (readonly Scope[])[] = [
  ...KEY_SCOPES.map((scope): readonly Scope[] => [scope]),
  ...KEY_SCOPES.filter((scope) => scope !== 'history').map((scope): readonly Scope[] => ['history', scope]),
  ['history', 'endpoints', 'game_values'],
  ['history', 'game_values', 'collections'],
];

describe('with these permissions alone, nothing is told that may not be read elsewhere, and every link may be followed', () => {
  test.each(SETS.map((scopes) => [scopes.join(' and '), scopes] as const))('%s', async (_, scopes) => {
    const key = await newApiKey(env, project, Object.fromEntries(scopes.map((scope) => [scope, 'r'])));
    const headers = { 'x-api-key': key };
    const told = new Set<string>();
    const links = new Set<string>();
    for (const each of held) {
      const { status, text, body } = await manager.manage('GET', `/v3/manage/${project}/explain/${encodeURIComponent(each)}`, { headers });
      expect([200, 403, 404], `${each}: ${text}`).toContain(status);
      // The id that is asked for stands in the answer, too.
      const answer = status === 200 ? JSON.stringify({ ...Object(body), id: '' }) : '';
      for (const word of Object.keys(MARKED)) if (answer.includes(word) && !each.includes(word)) told.add(word);
      // A logged request has its own address, which is no link.
      for (const [, link = ''] of answer.matchAll(/"(?!path")\w+":"(\/v3\/[^"]+)"/g)) links.add(link);
    }
    const allowed = Object.keys(MARKED).filter((word) => MARKED[word]?.some((needs) => needs.every((need) => scopes.includes(need))));
    expect([...told].filter((word) => !allowed.includes(word))).toEqual([]);
    for (const link of links) {
      const { status, text } = await manager.manage('GET', link, { headers });
      expect([link, status, text.slice(0, 200)]).toEqual([link, 200, expect.anything()]);
    }
  });
});

test('who may read everything is told everything', async () => {
  const key = await newApiKey(env, project, Object.fromEntries(KEY_SCOPES.map((scope) => [scope, 'rwx'])));
  const headers = { 'x-api-key': key };
  const answers = await Promise.all(
    held.map(async (each) => (await manager.manage('GET', `/v3/manage/${project}/explain/${encodeURIComponent(each)}`, { headers })).text),
  );
  for (const word of Object.keys(MARKED)) expect(answers.join(), word).toContain(word);
  expect(answers.join()).not.toContain('leftOut');
});

test('whoever finds nothing, because the log is not for that key, is told so', async () => {
  const key = await newApiKey(env, project, { endpoints: 'r' });
  const { status, text } = await manager.manage('GET', `/v3/manage/${project}/explain/3`, { headers: { 'x-api-key': key } });
  expect([status, text]).toEqual([404, expect.stringContaining('r access to history')]);
});

test('what is left out is said, with the permission that it takes', async () => {
  const key = await newApiKey(env, project, { history: 'r' });
  const path = `/v3/manage/${project}/explain/${held.find((each) => /^req_|-/.test(each)) ?? ''}`;
  const { leftOut } = await bodyOf(manager.manage('GET', path, { headers: { 'x-api-key': key } }));
  expect(listOf(leftOut)).toContainEqual({ part: 'call', why: expect.stringContaining('endpoints') });
});
