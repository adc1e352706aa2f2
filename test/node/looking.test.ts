import { request } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { namingsOf } from '../../src/contract/looking.ts';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { PASSED_FAMILIES } from '../../src/http/console/console.ts';
import { createLogger } from '../../src/logger.ts';
import { type Node, startNode } from '../../src/main.ts';
import { askConsole, type SignedBrowser, signInByLink } from '../support/console.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { newFolder, removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Who looks at a player's data is recorded: asked of a node in this process, by every route that a person reaches. */

const ADA = '76561198000000001';

let node: Node;
let manager: Client;
let owner: SignedBrowser;
let project: string;
/** Id of a save record and of a record, and the revision of a commit of the player. */
let ids: { readonly slot: string; readonly record: string; readonly commit: string };

beforeAll(async () => {
  const env = { DATABASE_URL: await migratedDatabase(), CONSOLE_LISTEN: '127.0.0.1:0', ROLES: 'api,projector', PORT: '0' };
  const logger = createLogger({ level: 'warn', format: 'json' });
  node = await startNode(readConfig(env, { dataDir: newFolder() }), { demo: false, logger, onLost: () => undefined });
  const made = await node.createProject?.('Looking');
  if (made === undefined || node.console === null) throw new Error('no project, or no console');
  project = made.projectId;
  manager = createClient(node.url, made);
  owner = await signInByLink((await node.console.firstLink()) ?? '');
  const define = (kind: string, body: unknown) => ok(manager.manage('PUT', manager.definitions(kind), { body }));
  await define('collections', [
    {
      id: 'saves',
      name: 'saves',
      collectionType: 'per-platformid',
      accessMode: 'public',
      maxRecords: 3,
      schema: { gold: { type: 'number', _ledger: true } },
    },
    { id: 'feed', name: 'feed', collectionType: 'global', accessMode: 'public', schema: { text: { type: 'string' } } },
  ]);
  await define('endpoints', [{ slug: 'buy', method: 'POST', input: {}, steps: [] }]);
  const richest = { id: 'richest', name: 'richest', type: 'leaderboard', sources: [{ collectionId: 'saves' }], config: { field: 'gold' } };
  await ok(manager.manage('POST', manager.definitions('queries'), { body: [richest] }));
  const { headers } = await ok(manager.manage('POST', manager.storage(`saves/${ADA}`), { body: { gold: 5 } }));
  const slot = await ok(manager.manage('POST', manager.storage(`saves/${ADA}/records`), { body: { recordName: 'one' } }));
  const record = await ok(
    manager.manage('POST', manager.storage('feed/append'), { body: { text: 'hi' }, headers: { 'x-platform-id': ADA } }),
  );
  ids = {
    slot: String(Object(slot.body).record?.recordId ?? Object(slot.body).recordId),
    record: String(Object(record.body).record._id),
    commit: String(headers['x-ns-position']),
  };
});

afterAll(async () => {
  manager?.close();
  await node?.close();
  removeFolders();
});

const reached = routes.filter((route) => (PASSED_FAMILIES as readonly string[]).includes(route.family) && namingsOf(route).length > 0);

/** A request that shows the player's data, as the contract's names say. */
function requestTo(route: Route): readonly [path: string, body: unknown] {
  const base = `/v3/${route.family}`;
  const collection = route.tag === 'Global records' ? 'feed' : 'saves';
  const held = route.id === 'explain' ? ADA : ids.commit;
  const path = route.path
    .replace(':project', project)
    .replace(':collection', collection)
    .replace('/record/:key', `/record/${ids.record}`)
    .replace(/:(?:player|key)/, ADA)
    .replace(':record', ids.slot)
    .replace(':slug', 'buy')
    .replace(':query', 'richest')
    .replace(':held', held);
  const query: Record<string, string> = {};
  if (Object.hasOwn(route.query ?? {}, 'topic')) query['topic'] = `documents/saves/${ADA}`;
  if (Object.hasOwn(route.query ?? {}, 'player')) query['player'] = ADA;
  else if (Object.hasOwn(route.query ?? {}, 'platformId') || route.id === 'runQuery') query['platformId'] = ADA;
  if (Object.hasOwn(route.query ?? {}, 'from') && route.path.endsWith('/compare')) query['from'] = ids.commit;
  return [`${base}${path}?${new URLSearchParams(query)}`, BODIES[route.id]?.() ?? {}];
}

/** Bodies of routes that take one. */
const BODIES: Readonly<Record<string, () => unknown>> = {
  writeDocument: () => ({ ops: [{ op: 'inc', path: 'gold', value: 1 }] }),
  appendRecord: () => ({ text: 'more' }),
  createSaveRecord: () => ({ recordName: 'two' }),
  renameSaveRecord: () => ({ recordName: 'three' }),
  callNamedEndpoint: () => ({ slug: 'buy' }),
  testEndpoint: () => ({ slug: 'buy', platformId: ADA }),
  restorePlayer: () => ({ to: ids.commit, dryRun: true, reason: 'look' }),
  undoCommit: () => ({ revision: Number(ids.commit), dryRun: true, reason: 'look' }),
  beginGrant: () => ({ collection: 'saves', ops: [{ op: 'inc', path: 'gold', value: 1 }], players: [ADA], dryRun: true, reason: 'look' }),
  trackEvent: () => ({ eventType: 'x' }),
};

/** What shows nothing here, because there is none of it, and is not asked for. */
const NOT_THERE =
  /^(?:issueGuestCode|revokeGuestDevice|unlinkGuest|showGuestAccess|readGrant|listGrant|stopGrant|resumeGrant|undoGrant|autoTest|runTests|suggestTests|deleteSaveRecord|deleteDocument|initRevision|sendHeartbeat|readPlayerStats|trackEvent)/;

/** As the owner reads them, who looks at no one player by that. */
async function listed(query: Readonly<Record<string, string>> = {}): Promise<Readonly<Record<string, unknown>>> {
  const { status, text } = await owner.get(`/v3/manage/${project}/access?${new URLSearchParams({ limit: '200', ...query })}`);
  if (status !== 200) throw new Error(text);
  return JSON.parse(text);
}

async function looks(query: Readonly<Record<string, string>> = {}): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return Object(await listed(query)).looks;
}

test('whatever shows a person what one player has is recorded before it is answered, and what a key reads is not', async () => {
  const silent: string[] = [];
  for (const route of reached.filter(({ id }) => !NOT_THERE.test(id))) {
    const [path, body] = requestTo(route);
    if (route.id === 'listen') {
      await firstOf(path);
    } else {
      const isPlain = route.method === 'GET' && route.family !== 'endpoints' && route.id !== 'listRecords';
      const reply = isPlain ? await owner.get(path) : await change(route.method, path, body);
      if (reply.status !== 200) throw new Error(`${route.id}: ${reply.status} ${reply.text}`);
    }
    if ((await looks()).every(({ page }) => page !== route.id)) silent.push(route.id);
  }
  expect(silent).toEqual([]);
  const all = await looks();
  const others = all.filter(({ player, person, name }) => player !== ADA || !/^per_/.test(String(person)) || name !== 'owner');
  expect(others).toEqual([]);
  await ok(manager.manage('GET', manager.storage(`saves/${ADA}`)));
  await ok(manager.play('GET', manager.storage(`saves/${ADA}`), {}, ADA));
  expect(await looks()).toHaveLength(all.length);
});

/** Names the player in the header, which a page sends where it acts for one. */
function change(method: string, path: string, body: unknown) {
  const headers = { Cookie: owner.cookie, Origin: at().origin, 'X-Console-Csrf': owner.csrf, 'X-Platform-Id': ADA };
  return askConsole(at(), method, path, headers, method === 'GET' ? undefined : body);
}

function at() {
  const origin = node.console?.origin ?? '';
  return { origin, port: Number(new URL(origin).port) };
}

/** Opens a stream, and ends it with its first event. */
async function firstOf(path: string): Promise<void> {
  const headers = { Cookie: owner.cookie, Host: new URL(at().origin).host };
  await new Promise<void>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: at().port, path, headers }, (reply) => {
      reply.once('data', () => resolve(void reply.destroy()));
    });
    sent.once('error', reject);
    sent.end();
  });
}

test('looks are found by player, person and time, page by page', async () => {
  const all = await looks();
  const { person, at: newest } = Object(all[0]);
  expect(await looks({ person })).toEqual(all);
  expect(await looks({ person: 'per_1' })).toEqual([]);
  expect((await looks({ player: ADA })).length).toBeGreaterThan(15);
  expect(await looks({ from: newest })).toEqual(all.filter((each) => String(each['at']) >= newest));
  expect(await looks({ to: '2020-01-01' })).toEqual([]);
  const pages: unknown[] = [];
  let before: string | null = null;
  do {
    const page: Record<string, unknown> & { readonly looks: readonly unknown[] } = Object(
      await listed({ limit: '5', ...(before === null ? {} : { before }) }),
    );
    pages.push(...page.looks);
    before = page['before'] === null ? null : String(page['before']);
  } while (before !== null);
  expect(pages).toEqual(all);
  await expect(looks({ from: 'yesterday' })).rejects.toThrow('INVALID_REQUEST');
  expect((await manager.manage('GET', `/v3/manage/${project}/access`)).status).toBe(403);
});
