import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientOptions, Fetch } from '../../src/client/index.ts';
import { newProject } from '../node/support/command-line.ts';
import { publishGame, SLOTS } from '../node/support/game.ts';
import { createClient, type Client as Manager, ok } from '../node/support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from '../node/support/program.ts';
import { migratedDatabase } from '../support/postgres.ts';

/** A real node with the small game, for the client library. */

export interface Where {
  readonly DATABASE_URL: string;
}

export interface Game {
  readonly node: Node;
  readonly env: Where;
  /** With the secret key. */
  readonly manager: Manager;
  /** Options for a client. */
  readonly options: ClientOptions & { readonly url: string; readonly projectId: string; readonly publicKey: string };
  /** An unused player id. */
  newPlayer(): string;
  /** A player with some gold; 10 when left out. */
  newRich(gold?: number): Promise<string>;
  /** Changes settings of the project. */
  change(settings: object): Promise<void>;
}

const BAGS = { id: 'bags', name: 'bags', collectionType: 'per-platformid', accessMode: 'public', schema: {} };
const COLUMNS = [
  { key: 'item', type: 'string' },
  { key: 'price', type: 'number' },
];
const VALUES = [
  { id: 'prices', type: 'table', name: 'Prices', columns: COLUMNS, rows: [{ item: 'axe', price: 7 }] },
  { id: 'shop', type: 'group', name: 'Shop', entries: { axe: 7 } },
];

export async function startGame(settings: Readonly<Record<string, string>> = {}): Promise<Game> {
  const env = { DATABASE_URL: await migratedDatabase(), ...settings };
  return newGame(await startNode(newFolder(), { env, args: ['--no-demo'] }), env);
}

/** Stops the game's node, and removes what the tests of the file left behind. */
export async function endGame(game: Game | undefined): Promise<void> {
  await game?.node.stop();
  removeFolders();
}

/** Makes a project of its own on a running node. */
export async function newGame(node: Node, env: Where): Promise<Game> {
  const project = await newProject({ ...env }, 'Client');
  const manager = createClient(node.url, project);
  await publishGame(manager);
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [SLOTS, BAGS] }));
  await ok(manager.manage('PUT', manager.definitions('game-values'), { body: { items: VALUES } }));
  const { projectId, publicKey } = project;
  let players = 0;
  const newPlayer = () => `765611980001${String(++players).padStart(5, '0')}`;
  return {
    node,
    env,
    manager,
    options: { url: node.url, projectId, publicKey, fetch: patient },
    newPlayer,
    async newRich(gold = 10) {
      const player = newPlayer();
      await ok(manager.manage('POST', manager.storage(`players/${player}`), { body: { gold, level: 1, name: 'Ada' } }));
      return player;
    },
    async change(changes) {
      await ok(manager.manage('PUT', manager.definitions('settings'), { body: changes }));
    },
  };
}

/** What a project says of its revisions that warns outdated games for an hour. */
export const ENFORCED = {
  revisionEnforcementEnabled: true,
  revisionEnforcementMode: 'force_upgrade',
  revisionGracePeriodMinutes: 60,
  revisionNotifyMessage: 'Please update.',
};

/** Makes 8 the current revision of the game, which gets an endpoint `load-profile`. */
export async function publishRevision({ manager }: Game): Promise<void> {
  const body = { packageIdent: 'studio.game', currentRevisionId: 8 };
  await ok(manager.manage('POST', manager.definitions('package-sync'), { body }));
  const listed = await ok(manager.manage('GET', manager.definitions('endpoints')));
  const profile = { id: 'load-profile', slug: 'load-profile', name: 'Profile', method: 'POST', steps: [] };
  const response = { status: 200, body: { ok: true } };
  const endpoints = [...(Object(listed.body).endpoints ?? Object(listed.body).items ?? []), { ...profile, response }];
  await ok(manager.manage('PUT', manager.definitions('endpoints'), { body: endpoints }));
}

const LATE_MS = 30_000;

/** Repeats reads whose view lags: on a busy machine the quarter of a second that a node waits may be too short. */
export const patient: Fetch = async (url, init) => {
  for (const until = performance.now() + LATE_MS; ; await sleep(50)) {
    const response = await fetch(url, init);
    if (init.method !== 'GET' || response.headers.get('x-ns-stale') !== 'true' || performance.now() > until) return response;
  }
};

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The fate of a request: it never arrives, its answer is lost, or another answer replaces it. */
export type Fate = 'lost' | 'answer lost' | 'as it is' | (() => Response);

export interface Network {
  readonly fetch: Fetch;
  readonly sent: readonly Sent[];
}

/** A network with faults, one per request. */
export function network(...fates: readonly Fate[]): Network {
  const sent: Sent[] = [];
  return {
    sent,
    async fetch(url, init) {
      const fate = fates[sent.length] ?? 'as it is';
      const headers = Object.fromEntries(new Headers(init.headers));
      sent.push({ method: init.method ?? 'GET', path: new URL(url).pathname, headers, body: String(init.body ?? '') });
      if (typeof fate === 'function') return fate();
      if (fate === 'lost') throw new TypeError('fetch failed');
      const response = await patient(url, init);
      if (fate === 'as it is') return response;
      await response.text();
      throw new TypeError('fetch failed');
    },
  };
}

/** A refusal as a proxy or a node gives it. */
export function refusing(status: number, code: string | null, headers: Readonly<Record<string, string>> = {}): () => Response {
  const body = code === null ? '<h1>Bad gateway</h1>' : JSON.stringify({ ok: false, error: { code, message: code }, message: code });
  return () => new Response(body, { status, headers });
}
