import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Json } from '../../src/kernel/json.ts';
import { listOf, objectOf } from '../../src/kernel/json-read.ts';
import type { Node } from '../../src/main.ts';
import { askConsole, type SignedBrowser, signInByLink } from '../support/console.ts';
import { newApiKey, printed } from './support/command-line.ts';
import { bodyOf, type Client, ok } from './support/game-client.ts';
import { startNodeHere } from './support/node-here.ts';
import { removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** What has a name, or a value that one document alone may have, is explained to whoever may read it. */

const ADA = '76561198000000001';

let node: Node;
let manager: Client;
let project: string;
let env: Readonly<Record<string, string>>;
const people = new Map<string, SignedBrowser>();
/** Id of the person who supports. */
let support: string;
let label: string;

async function explained(held: string, { role = 'owner', reason = '' } = {}) {
  const person = people.get(role);
  if (person === undefined) throw new Error(`nobody is ${role}`);
  const headers = reason === '' ? {} : { 'x-ns-reveal': encodeURIComponent(reason) };
  const origin = node.console?.origin ?? '';
  const at = { origin, port: Number(new URL(origin).port) };
  const path = `/v3/manage/${project}/explain/${encodeURIComponent(held)}`;
  const { status, text } = await askConsole(at, 'GET', path, { Cookie: person.cookie, ...headers });
  const body = objectOf(JSON.parse(text));
  const meanings = listOf(body['meanings']).map((each) => objectOf(each));
  return {
    status,
    code: objectOf(body['error'] ?? {})['code'],
    personal: body['personal'],
    meanings,
    like: objectOf(body['alike'] ?? {}),
    named: meanings.map(({ is, named }) => ({ is, ...objectOf(named ?? {}) })),
  };
}

const named = async (held: string, asked = {}) => (await explained(held, asked)).named;

beforeAll(async () => {
  const started = await startNodeHere('Names');
  ({ env, node, project, manager } = started);
  people.set('owner', started.owner);
  for (const role of ['support', 'designer']) {
    const line = ['user', 'add', role === 'support' ? 'Sue' : role, '--role', role, '--project', project, '--json'];
    const added = JSON.parse(await printed(line, { env }));
    people.set(role, await signInByLink(added.url));
    if (role === 'support') support = String(added.person ?? added.id);
  }
  const define = (kind: string, body: unknown, target = 'live') =>
    ok(manager.manage('POST', manager.definitions(kind), { body, headers: { 'x-ns-publish-target': target } }));
  await define('collections', [
    {
      ...{ id: 'bags', name: 'Bags', collectionType: 'per-platformid', accessMode: 'public' },
      schema: {
        nick: { type: 'string', _unique: true },
        number: { type: 'number', _unique: true },
        email: { type: 'string', _unique: true, _personal: true },
      },
    },
    { id: 'town', name: 'Town', collectionType: 'global', accessMode: 'public', schema: { text: { type: 'string' } } },
  ]);
  const step = { id: 'look', type: 'read', collection: 'bags', key: '{{platformId}}' };
  await define('endpoints', [{ id: 'upgrade-axe', slug: 'upgrade', method: 'POST', steps: [step], response: { body: {} } }]);
  await define('queries', [
    { id: 'richest', name: 'Richest', type: 'leaderboard', sources: [{ collectionId: 'bags' }], config: { field: 'number' } },
  ]);
  await define('game-values', {
    groups: { axe_pricing: { price: 5 } },
    tables: { axes: { columns: ['name', 'power'], rows: [{ name: 'Stone axe', power: 1 }] } },
  });
  const tests = [{ id: 'sells-axe', name: 'An axe is sold', endpoint: 'upgrade', input: {}, expect: { status: 200 } }];
  await ok(manager.manage('PUT', `/v3/manage/${project}/tests`, { body: tests }));
  await define('rate-limit-rules', { rules: [{ id: 'few', name: 'Few numbers', collection: 'bags', field: 'number', maxPerDay: 1000 }] });
  await ok(manager.manage('POST', manager.storage(`bags/${ADA}`), { body: { nick: 'Ada', number: 77, email: 'ada@x.example' } }));
  await ok(manager.manage('POST', manager.storage('town/market'), { body: { text: 'open' } }));
  await newApiKey(env, project, { history: 'r' });
  const { text } = (await people.get('owner')?.get(`/v3/manage/${project}/keys`)) ?? { text: '{}' };
  label = String(objectOf(listOf(objectOf(JSON.parse(text))['keys'])[0])['label']);
});

afterAll(async () => {
  manager?.close();
  await node?.close();
  removeFolders();
});

describe('an owner is told of', () => {
  test.each([
    ['axe_pricing', [{ is: 'value', id: 'axe_pricing', what: 'group' }]],
    ['axe_pricing.price', [{ is: 'value', id: 'axe_pricing', what: 'entry', part: 'price' }]],
    ['price', [{ is: 'value', id: 'axe_pricing', what: 'entry', part: 'price' }]],
    ['stone axe', [{ is: 'value', id: 'axes', what: 'row', part: 'Stone axe' }]],
    ['AXES', [{ is: 'value', id: 'axes', what: 'table' }]],
    ['power', [{ is: 'value', id: 'axes', what: 'column', part: 'power' }]],
    ['sells-axe', [{ is: 'test', id: 'sells-axe', called: 'An axe is sold' }]],
    ['upgrade', [{ is: 'endpoint', id: 'upgrade-axe', called: 'upgrade' }]],
    ['upgrade-axe', [{ is: 'endpoint', id: 'upgrade-axe', called: 'upgrade' }]],
    ['richest', [{ is: 'board', id: 'richest', called: 'Richest' }]],
    ['bags', [{ is: 'collection', id: 'bags', called: 'Bags' }]],
    ['few numbers', [{ is: 'rule', id: 'few', called: 'Few numbers' }]],
    ['town/market', [{ is: 'document', id: 'market', collection: 'town' }]],
    ['market', [{ is: 'document', id: 'market', collection: 'town' }]],
    [`Bags/${ADA}`, [{ is: 'document', id: ADA, collection: 'bags', player: ADA }]],
    ['Ada', [{ is: 'document', id: ADA, collection: 'bags', player: ADA, field: 'nick' }]],
    ['77', [{ is: 'document', id: ADA, collection: 'bags', player: ADA, field: 'number' }]],
  ])('%s', async (held, expected) => {
    expect((await named(held)).filter(({ is }) => is !== 'revision')).toEqual(expected);
  });

  test('a key by its label, and a person by id and name', async () => {
    expect(await named(label)).toContainEqual(expect.objectContaining({ is: 'key', called: label }));
    expect(await named(support)).toEqual([{ is: 'person', id: support, called: 'Sue' }]);
    expect(await named('sue')).toEqual([{ is: 'person', id: support, called: 'Sue' }]);
  });

  test('what is staged alone, as such', async () => {
    const body = [{ slug: 'later', method: 'POST', steps: [], response: { body: {} } }];
    await ok(manager.manage('POST', manager.definitions('endpoints'), { body, headers: { 'x-ns-publish-target': 'next' } }));
    expect(await named('later')).toEqual([{ is: 'endpoint', id: 'later', target: 'next' }]);
  });
});

test('each is told to whoever may read it', async () => {
  expect(await named('upgrade', { role: 'designer' })).toMatchObject([{ is: 'endpoint' }]);
  // No document, and nothing of the log.
  for (const held of ['Ada', 'town/market', 'market', ADA, '3', 'sue'])
    expect(await explained(held, { role: 'designer' })).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  expect(await named('Ada', { role: 'support' })).toMatchObject([{ is: 'document', field: 'nick' }]);
  expect((await explained('sue', { role: 'support' })).meanings).toEqual([]);
  const mayList = await newApiKey(env, project, { queries: 'r' });
  const path = (held: string) => `/v3/manage/${project}/explain/${held}`;
  const told = await bodyOf(manager.manage('GET', path('richest'), { headers: { 'x-api-key': mayList } }));
  expect(listOf(told.meanings)).toMatchObject([{ is: 'board', links: { definitions: `/v3/manage/${project}/queries` } }]);
  expect((await manager.manage('GET', path('upgrade'), { headers: { 'x-api-key': mayList } })).status).toBe(404);
});

test('a personal unique value is looked for by whoever says why, and the look is recorded', async () => {
  const email = 'ada@x.example';
  const untold = { status: 200, meanings: [], personal: [{ collection: 'bags', field: 'email' }] };
  expect(await explained(email, { role: 'support' })).toMatchObject(untold);
  expect(await explained('nobody@x.example', { role: 'support' })).toMatchObject(untold);
  const found = await explained(email, { role: 'support', reason: 'ticket 77' });
  expect(found).toMatchObject({ status: 200, personal: undefined });
  expect(found.named).toMatchObject([{ is: 'document', collection: 'bags', id: ADA, player: ADA, field: 'email' }]);
  expect(await explained('nobody@x.example', { role: 'support', reason: 'ticket 78' })).toMatchObject({ status: 200, meanings: [] });
  const { text } = (await people.get('owner')?.get(`/v3/manage/${project}/access?limit=50`)) ?? { text: '{}' };
  const looks = listOf(objectOf(JSON.parse(text))['looks']).map((each) => objectOf(each));
  expect(looks).toContainEqual(expect.objectContaining({ page: 'explain', player: ADA, reason: 'ticket 77' }));
  expect(looks).toContainEqual(expect.objectContaining({ page: 'explain', reason: 'ticket 78' }));
  expect(await explained(email, { role: 'designer', reason: 'curious' })).toMatchObject({ status: 403 });
});

/** What has it in its name, each in one line; of who reads no such thing the status. */
async function alike(holds: string, role = 'owner'): Promise<{ readonly lines: readonly string[]; readonly more: unknown } | number> {
  const { status, text } = (await people.get(role)?.get(`/v3/manage/${project}/names?holds=${encodeURIComponent(holds)}`)) ?? {
    status: 0,
    text: '{}',
  };
  if (status !== 200) return status;
  const { names, more } = objectOf(JSON.parse(text));
  return { lines: linesOf(names), more };
}

function linesOf(names: Json | undefined): readonly string[] {
  return listOf(names).map((each) => {
    const { is, named: told } = objectOf(each);
    const { id, what = is, part } = objectOf(told);
    return `${what} ${id}${part === undefined ? '' : ` › ${part}`}`;
  });
}

/** Of the game above. */
const AXES = ['group axe_pricing', 'table axes', 'endpoint upgrade-axe', 'row axes › Stone axe', 'test sells-axe'];

test('names are found by what they have in them: what begins so first, then words that do, then the rest', async () => {
  expect(await alike('AXE')).toEqual({ lines: AXES, more: undefined });
  expect(await alike('xe')).toEqual({
    lines: ['endpoint upgrade-axe', 'group axe_pricing', 'table axes', 'row axes › Stone axe', 'test sells-axe'],
    more: undefined,
  });
  expect(await alike('axe_pricing.p')).toEqual({ lines: ['entry axe_pricing › price'], more: undefined });
  expect(await alike('pow')).toEqual({ lines: ['column axes › power'], more: undefined });
  expect(await alike(' ')).toBe(400);
});

test('what somebody may not read has no name for them', async () => {
  const mayRead = await newApiKey(env, project, { game_values: 'r' });
  const path = `/v3/manage/${project}/names?holds=axe`;
  const { names } = await bodyOf(manager.manage('GET', path, { headers: { 'x-api-key': mayRead } }));
  expect(linesOf(names)).toEqual(['group axe_pricing', 'table axes', 'row axes › Stone axe']);
});

test('who holds a part of a name is told of all that have it, and is not told that there is nothing', async () => {
  const { status, meanings, like } = await explained('axe');
  expect({ status, meanings, lines: linesOf(like['names']) }).toEqual({ status: 200, meanings: [], lines: AXES });
  // What is called so is told as that, and not once more.
  const exact = await explained('axes');
  expect([exact.named, linesOf(exact.like['names'])]).toEqual([[{ is: 'value', id: 'axes', what: 'table' }], []]);
  expect(await explained('axe', { role: 'designer' })).toMatchObject({ status: 200, meanings: [] });
  expect(await explained('nothing of the kind', { role: 'designer' })).toMatchObject({ status: 404 });
});

test('of each kind twenty are told, and that there are more', async () => {
  const rows = Array.from({ length: 25 }, (_, place) => ({ name: `Lamp ${place}` }));
  const tables = { lamps: { columns: ['name'], rows } };
  await ok(manager.manage('POST', manager.definitions('game-values'), { body: { tables }, headers: { 'x-ns-publish-target': 'next' } }));
  const found = await alike('lamp');
  if (typeof found === 'number') throw new Error(`it was refused with ${found}`);
  expect([found.lines.slice(0, 2), found.lines.length, found.more]).toEqual([['table lamps', 'row lamps › Lamp 0'], 21, ['row']]);
});

test('the command prints what it is', async () => {
  const key = await newApiKey(env, project, { history: 'r', game_values: 'r' });
  const remote = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: project, SAVEPOINT_SECRET_KEY: key };
  const said = await printed(['explain', 'town/market'], { env: remote });
  expect(said).toContain('A document of town');
  expect(said).toContain('town/market');
  expect(await printed(['explain', 'axe_pricing.price'], { env: remote })).toContain('axe_pricing › price');
  expect(await printed(['explain', 'AXE'], { env: remote })).toContain(
    ['With "AXE" in the id or name:', '  group  axe_pricing', '  table  axes', '  row    axes › Stone axe'].join('\n'),
  );
});
