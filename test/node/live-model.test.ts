import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { seededRandom } from '../../infra/harness/numbers.ts';
import { createClient as createGameClient, inc, openLive } from '../../src/client/index.ts';
import { LiveModel, shownIn, type Target } from '../support/live-model.ts';
import { type Came, type LiveClient, listen } from '../support/live-stream.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Env, newProject, printed } from './support/command-line.ts';
import { type Client, createClient, NEXT, ok, type Sent } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

/**
 * Streams under whatever may happen: random writes of all kinds, disconnections, kills of a node, sessions and keys that are revoked,
 * definitions that are staged, promoted and closed. Every message is compared with a naive model. `LIVE_SEEDS=1-20` runs other seeds.
 */

const [FIRST = 1, LAST = FIRST] = (process.env['LIVE_SEEDS'] ?? '1-2').split('-').map(Number);
const SEEDS = Array.from({ length: LAST - FIRST + 1 }, (_, at) => FIRST + at);
const STEPS = 110;
const KEYS = ['a', 'b', 'c'];
const PLAYERS = Array.from({ length: 6 }, (_, at) => String(76_561_198_000_000_001n + BigInt(at)));
const [PLAYER = '', OTHER = ''] = PLAYERS;
const SECRET = 'a login that players trust';

let env: Env;
const nodes: Node[] = [];

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase(), VERIFIER: 'hmac', VERIFIER_SECRET: SECRET };
  nodes.push(...(await Promise.all([newFolder(), newFolder()].map((folder) => startNode(folder, { env, args: ['--no-demo'] })))));
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  removeFolders();
});

/** What the studio's login gives a player. */
function tokenOf(player: string): string {
  const expires = Math.floor(Date.now() / 1000) + 600;
  return `${expires}.${createHmac('sha256', SECRET).update(`${player}:${expires}`).digest('hex')}`;
}

type Heard = Came & { readonly opening: number; readonly resumedFrom: number };

/** One client, which comes back where it was. */
class Listener {
  readonly topics: readonly string[];
  readonly target: Target;
  readonly heard: Heard[] = [];
  opening = 0;
  /** By opening: the stream may have nothing from this revision on. */
  readonly endsBefore = new Map<number, number>();
  #stream: LiveClient | null = null;
  #lastId: string | null = null;

  constructor(topics: readonly string[], target: Target) {
    this.topics = topics;
    this.target = target;
  }

  async join({ url, projectId }: Client, headers: Readonly<Record<string, string>>): Promise<void> {
    this.leave();
    this.opening += 1;
    const resumed: Record<string, string> = this.#lastId ? { 'last-event-id': this.#lastId } : {};
    this.#stream = await listen(url, projectId, this.topics, { ...headers, ...(this.target === 'next' ? NEXT : {}), ...resumed });
    expect(this.#stream.status, this.#stream.text()).toBe(200);
  }

  leave(): void {
    this.#collect();
    this.#stream?.close();
    this.#lastId = this.#stream?.lastId() ?? this.#lastId;
    this.#stream = null;
  }

  /** Of one topic, with what came of the stream that is open. */
  of(topic: string): readonly Heard[] {
    return [...this.heard, ...this.#present()].filter(({ data }) => data.topic === topic);
  }

  #present(): readonly Heard[] {
    const resumedFrom = Number(this.#lastId || -1);
    return (this.#stream?.events ?? []).map((event) => ({ ...event, opening: this.opening, resumedFrom }));
  }

  #collect(): void {
    this.heard.push(...this.#present());
  }
}

/** What holds of all that a listener heard of a topic. */
function judge(
  { topics, target, of, endsBefore }: Pick<Listener, 'topics' | 'target' | 'endsBefore'> & { of(topic: string): readonly Heard[] },
  model: LiveModel,
) {
  for (const topic of topics) {
    const told = of(topic).filter(({ event }) => event !== 'resync');
    const values = told.filter(({ event }) => event === 'message');
    for (const {
      data: { value, revision = -1 },
      opening,
    } of values) {
      // A message is the plain read as of its revision.
      expect([topic, target, revision, shownIn(topic, value)]).toEqual([topic, target, revision, model.shows(topic, target, revision)]);
      // Nothing comes that was closed then, or after its proof was taken back.
      if (topic.startsWith('documents/')) expect([topic, revision, model.at(revision).isOpen[target]]).toEqual([topic, revision, true]);
      expect(revision).toBeLessThan(endsBefore.get(opening) ?? Number.POSITIVE_INFINITY);
    }
    // A value comes again only where it was refused in between, or to a client that came back and did not say that it has it.
    const doubled = told.filter(({ event, data: { revision = -1 }, opening, resumedFrom }, at) => {
      const before = told[at - 1];
      if (event === 'refused' || before === undefined || before.event === 'refused') return false;
      const { revision: earlier = -1 } = before.data;
      return revision <= (before.opening === opening ? earlier : resumedFrom);
    });
    expect(doubled).toEqual([]);
  }
}

test.each(SEEDS)(
  'every message is what the plain read is as of its revision, none twice, none that was closed, and the last one comes (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const project = await newProject(env, `Model ${seed}`);
    const games: Client[] = nodes.map(({ url }) => createClient(url, project));
    const [game] = games;
    if (game === undefined) throw new Error('two nodes were started');
    const model = new LiveModel(PLAYER);
    const proof = { 'x-public-key': project.publicKey, 'x-platform-id': PLAYER, 'x-platform-token': tokenOf(PLAYER) };
    let step = 0;

    /** Does it on some node, and answers where it was stored. */
    const manage = async (method: string, path: (at: Client) => string, sent: Sent, at = pick(games)): Promise<number> =>
      Number((await ok(at.manage(method, path(at), sent))).headers['x-ns-position']);
    const definitions = (method: string, kind: string, body: unknown, target: Target = 'live') =>
      manage(method, (at) => at.definitions(kind), { body, headers: target === 'next' ? NEXT : {} }, game);

    const writeDoc = async (target: Target, key = pick(KEYS)): Promise<number> => {
      const n = step;
      const revision = await manage('POST', (at) => at.storage(`docs/${key}`), { body: { n }, headers: target === 'next' ? NEXT : {} });
      model.done(revision, ({ docs }) => void docs[target].set(key, n));
      return revision;
    };
    const writeGold = async (player = pick(PLAYERS)) => {
      const gold = Math.floor(random() * 1e9);
      model.done(await manage('POST', (at) => at.storage(`wallet/${player}`), { body: { gold } }), (state) => {
        state.gold.set(player, gold);
        state.entries.set(player, [...(state.entries.get(player) ?? []), gold]);
      });
    };
    /** Ids of save records by name. */
    const slotIds = new Map<string, string>();
    const slotsOf = (target: Target) => model.shows(`records/slots/${PLAYER}`, target, model.head) as readonly string[];
    const slotDone = (revision: number, target: Target, change: (names: readonly string[]) => readonly string[]) =>
      model.done(revision, ({ slots }) => {
        slots[target] = change(slots[target] ?? slots.live);
      });
    const addSlot = async (target: Target) => {
      const name = `slot ${step}`;
      const headers = target === 'next' ? NEXT : {};
      const at = pick(games);
      const made = await ok(at.manage('POST', at.storage(`slots/${PLAYER}/records`), { body: { recordName: name }, headers }));
      slotIds.set(name, Object(made.body).recordId);
      slotDone(Number(made.headers['x-ns-position']), target, (names) => [...names, name]);
    };
    const withSlot = async (target: Target, deed: (name: string, id: string, headers: Sent['headers']) => Promise<unknown>) => {
      const names = slotsOf(target);
      const name = pick(names);
      // A node that has not read so far yet would know of no such record.
      const seen = { 'x-ns-position': String(model.head) };
      if (names.length > 0) await deed(name, slotIds.get(name) ?? '', target === 'next' ? { ...seen, ...NEXT } : seen);
    };
    const removeSlot = (target: Target) =>
      withSlot(target, async (name, id, headers = {}) => {
        const revision = await manage('DELETE', (at) => at.storage(`slots/${PLAYER}/records/${id}`), { headers });
        slotDone(revision, target, (names) => names.filter((one) => one !== name));
      });
    const renameSlot = (target: Target) =>
      withSlot(target, async (name, id, headers = {}) => {
        const recordName = `${name}!`;
        const revision = await manage('PATCH', (at) => at.storage(`slots/${PLAYER}/records/${id}`), { body: { recordName }, headers });
        slotIds.set(recordName, id);
        slotDone(revision, target, (names) => names.map((one) => (one === name ? recordName : one)));
      });
    /** Deletes what a save record holds, and the record with it. */
    const emptySlot = (target: Target) =>
      withSlot(target, async (name, id, headers = {}) => {
        const path = (at: Client) => at.storage(`slots/${PLAYER}_${id}`);
        const saved = await manage('POST', path, { body: { n: step }, headers });
        const removed = manage('DELETE', path, { headers: { ...headers, 'x-ns-position': String(saved) } });
        slotDone(await removed, target, (names) => names.filter((one) => one !== name));
      });
    const setAxe = async (target: Target) => {
      const axe = step + 1;
      const body = { groups: { shop: { name: 'Shop', values: { axe } } }, tables: {} };
      model.done(await definitions('PUT', 'game-values', body, target), (state, revision) => {
        // What was staged before lies over live still.
        if (target === 'next' || state.axe.next === state.axe.live) state.axe.next = axe;
        state.axe[target] = axe;
        state.publishes.push(revision);
      });
    };
    const setOpen = async (target: Target, isOpen: boolean) => {
      const { isOpen: present, isStaged } = model.at(model.head);
      // What is staged twice, or like live, is not told apart by the model.
      if (present[target] === isOpen || isStaged) return;
      const access = { read: isOpen ? 'public' : 'endpoints', write: 'endpoints' };
      const body = { id: 'docs', name: 'docs', collectionType: 'global', accessMode: 'endpoint', access, schema: {} };
      model.done(await definitions('PATCH', 'collections', body, target), (state, revision) => {
        state.isOpen.next = isOpen;
        state.isOpen[target] = isOpen;
        state.isStaged = target === 'next';
        state.publishes.push(revision);
      });
    };
    const promote = async () => {
      await setAxe('next');
      model.done(await definitions('POST', 'promote', { force: true }), (state, revision) => {
        state.axe.live = state.axe.next;
        state.isOpen.live = state.isOpen.next;
        state.isStaged = false;
        state.docs.next.clear();
        state.slots.next = null;
        state.publishes.push(revision);
      });
    };
    const discard = async () => {
      const { axe, isStaged } = model.at(model.head);
      if (axe.next === axe.live && !isStaged) return;
      model.done(await definitions('POST', 'discard', {}), (state, revision) => {
        state.axe.next = state.axe.live;
        state.isOpen.next = state.isOpen.live;
        state.isStaged = false;
        state.publishes.push(revision);
      });
    };

    const open = { collectionType: 'per-platformid', accessMode: 'public', schema: {} };
    const gold = { gold: { type: 'number', _ledger: true } };
    await definitions('PUT', 'collections', [
      {
        id: 'docs',
        name: 'docs',
        collectionType: 'global',
        accessMode: 'endpoint',
        access: { read: 'public', write: 'endpoints' },
        schema: {},
      },
      { ...open, id: 'wallet', name: 'wallet', schema: gold },
      { ...open, id: 'slots', name: 'slots', maxRecords: 200, allowRecordDelete: true },
      { ...open, id: 'mine', name: 'mine' },
    ]).then((revision) => model.done(revision, ({ publishes }) => void publishes.push(revision)));
    const top = { id: 'top', name: 'top', sources: [{ collectionId: 'wallet' }], config: { field: 'gold', limit: 10, columns: ['gold'] } };
    await definitions('POST', 'queries', [top]).then((revision) => model.done(revision, ({ publishes }) => void publishes.push(revision)));
    await manage('PUT', (at) => at.definitions('settings'), { body: { requirePlayerAuth: true, enableAuthSessions: true } });
    await setAxe('live');

    const newSession = async () => {
      const path = `/v3/auth-sessions/${project.projectId}/create`;
      return String(Object((await ok(game.send('POST', path, { headers: proof, body: { platformId: PLAYER } }))).body).sessionToken);
    };
    const newKey = async () => JSON.parse(await printed(['key', 'create', project.projectId, '--json'], { env }));
    let session = await newSession();
    let key = await newKey();

    const docs = KEYS.map((one) => `documents/docs/${one}`);
    const boards = ['query/top?limit=3', `query/top?platformId=${PLAYER}&around=1`];
    const player = new Listener(
      [...docs, `ledger/wallet/${PLAYER}`, `ledger/wallet/${PLAYER}?order=desc&limit=3`, `records/slots/${PLAYER}`, ...boards, 'values'],
      'live',
    );
    const staged = new Listener([...docs, `records/slots/${PLAYER}`, 'values'], 'next');
    const server = new Listener(['publishes?limit=3', ...boards], 'live');
    const stager = new Listener(['publishes?limit=3', `records/slots/${PLAYER}`], 'next');
    const listeners = [player, staged, server, stager];
    const servers = [server, stager];
    const join = (listener: Listener) => {
      const own = { 'x-public-key': project.publicKey, 'x-platform-id': PLAYER, 'x-auth-session': session };
      return listener.join(pick(games), servers.includes(listener) ? { 'x-secret-key': key.key } : own);
    };
    /** The proof of these is taken back: from the next change on they hear nothing before they come back. */
    const ended = async (those: readonly Listener[]) => {
      const openings = those.map((listener) => [listener, listener.opening] as const);
      const revision = await writeDoc('live');
      for (const [listener, opening] of openings) listener.endsBefore.set(opening, revision);
      for (const listener of those) await join(listener);
    };
    const revokeSession = async () => {
      const revoked = session;
      await ok(game.send('POST', `/v3/auth-sessions/${project.projectId}/revoke`, { headers: { ...proof, 'x-auth-session': revoked } }));
      session = await newSession();
      await ended([player, staged]);
    };
    const revokeKey = async () => {
      await printed(['key', 'revoke', project.projectId, key.keyId], { env });
      key = await newKey();
      await ended(servers);
    };
    const killAndRestart = async () => {
      const [, node] = nodes;
      if (node === undefined) return;
      await node.kill();
      nodes[1] = await startNode(node.data, { env, args: ['--no-demo'], port: Number(new URL(node.url).port) });
      for (const listener of listeners) await join(listener);
    };

    // A game whose own writes show at once, on the node that is killed.
    await manage('POST', (at) => at.storage(`mine/${OTHER}`), { body: { gold: 0 } });
    const credentials = { url: nodes[1]?.url ?? '', projectId: project.projectId, publicKey: project.publicKey };
    const client = createGameClient({ ...credentials, player: { id: OTHER, token: () => tokenOf(OTHER) } });
    const live = openLive(client);
    const mine = client.documents('mine');
    /** What it has, by save version. */
    const confirmed = new Map([[1, 0]]);
    const wrong: unknown[] = [];
    const me = live.document('mine', (value, { version, isPending }) => {
      if (!isPending && Object(value).gold !== confirmed.get(version)) wrong.push([version, value]);
    });
    await me.ready;
    const spend = async () => {
      const version = Math.max(...confirmed.keys());
      if (random() < 0.4) {
        const refused = await mine.trySave({ gold: -1 }, { ifVersion: version + 7 });
        expect(refused.ok).toBe(false);
      } else {
        const by = Math.floor(random() * 100);
        confirmed.set(version + 1, (confirmed.get(version) ?? 0) + by);
        await mine.update(inc('gold', by));
      }
    };

    for (const listener of listeners) await join(listener);
    const deeds: readonly (readonly [weight: number, deed: () => Promise<unknown>])[] = [
      [34, () => writeDoc('live')],
      [10, () => writeDoc('next')],
      [14, () => writeGold()],
      [4, () => addSlot('live')],
      [2, () => addSlot('next')],
      [2, () => removeSlot('live')],
      [1, () => removeSlot('next')],
      [1, () => renameSlot('live')],
      [1, () => renameSlot('next')],
      [1, () => emptySlot('live')],
      [1, () => emptySlot('next')],
      [4, () => setAxe('live')],
      [3, () => setAxe('next')],
      [2, promote],
      [2, discard],
      [5, () => setOpen('live', random() < 0.6)],
      [3, () => setOpen('next', random() < 0.6)],
      [10, () => join(pick(listeners))],
      [2, revokeSession],
      [1, revokeKey],
      [1, killAndRestart],
      [6, spend],
      [3, () => sleep(random() * 50)],
    ];
    const bag = deeds.flatMap(([weight, deed]) => Array.from({ length: weight }, () => deed));
    for (step = 1; step <= STEPS; step++) await pick(bag)();
    await promote();
    await setOpen('live', true);
    await writeGold(PLAYER);

    const shown = (listener: Listener, topic: string) =>
      shownIn(topic, listener.of(topic).findLast(({ event }) => event === 'message')?.data.value);
    const missing = () =>
      listeners.flatMap((listener) =>
        listener.topics
          .map((topic) => [topic, listener.target, shown(listener, topic), model.shows(topic, listener.target, model.head)] as const)
          .filter(([, , is, should]) => JSON.stringify(is) !== JSON.stringify(should)),
      );
    const last = confirmed.get(Math.max(...confirmed.keys()));
    const isComplete = () => missing().length === 0 && Object(me.value).gold === last;
    for (const late = performance.now() + 60_000; !isComplete() && performance.now() < late; ) await sleep(20);
    expect([missing(), Object(me.value).gold, wrong]).toEqual([[], last, []]);
    for (const listener of listeners) listener.leave();
    live.close();
    for (const { topics, target, endsBefore, heard } of listeners) {
      judge({ topics, target, endsBefore, of: (topic) => heard.filter(({ data }) => data.topic === topic) }, model);
    }
    for (const one of games) one.close();
  },
);
