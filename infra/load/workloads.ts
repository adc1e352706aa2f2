import type { Credentials } from '../harness/project.ts';

/** One request of a workload. `player` becomes the header that names the caller. */
interface WorkRequest {
  readonly path: string;
  readonly body?: string;
  readonly player?: string;
  /** The player's proof. */
  readonly token?: string;
}

export interface Workload {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Whether each request has an `Idempotency-Key` of its own. */
  readonly isKeyed?: true;
  /** Headers of all requests. */
  headers(project: Credentials): Readonly<Record<string, string>>;
  /**
   * The request number `index` (from 0, counted over all connections). Seeds write key after key; measured cases draw one of the first
   * `keys` keys (all {@link KEYS} by default).
   */
  request(project: Credentials, index: number, keys?: number): WorkRequest;
}

export const KEYS = 10_000;
export const LEADERBOARD_PLAYERS = 100_000;

/** These names do not change, because results are compared over time by them. */
export const CASES = ['document.read', 'document.write', 'document.ops', 'endpoint.call', 'leaderboard.read', 'global.append'] as const;
/** Measured only when asked for. */
export const KEYED_CASES = ['document.ops.keyed', 'endpoint.call.keyed'] as const;
export type CaseName = (typeof CASES)[number] | (typeof KEYED_CASES)[number];

/** What must be stored before a case, by the name of the workload that writes it. */
export const SEEDS = {
  'seed.documents': KEYS,
  'seed.players': KEYS,
  'seed.leaderboard': LEADERBOARD_PLAYERS,
} as const;
export type SeedName = keyof typeof SEEDS;

export const NEEDS: Readonly<Record<CaseName, SeedName | null>> = {
  'document.read': 'seed.documents',
  'document.write': 'seed.documents',
  'document.ops': 'seed.documents',
  'endpoint.call': 'seed.players',
  'leaderboard.read': 'seed.leaderboard',
  'global.append': null,
  'document.ops.keyed': 'seed.documents',
  'endpoint.call.keyed': 'seed.players',
};

const asPlayer = (project: Credentials) => ({
  'x-public-key': project.publicKey,
  'x-ns-client-type': 'game',
  'content-type': 'application/json',
});
const asServer = (project: Credentials) => ({
  'x-api-key': project.secretKey,
  'x-public-key': project.publicKey,
  'content-type': 'application/json',
});

/** Saves of about 0.7 KB, like those of a small game. They differ, so that every write changes something. */
const SAVES = Array.from({ length: 256 }, (_, index) => JSON.stringify(save(index)));

const OPERATIONS: Workload = {
  method: 'POST',
  headers: asPlayer,
  request: (project, index, keys = KEYS) => ({ ...ownDocument(project, randomBelow(keys)), body: operations(index) }),
};
const CALL: Workload = {
  method: 'POST',
  headers: asPlayer,
  request: (project, _index, keys = KEYS) => ({
    path: `/v3/endpoints/${project.projectId}/bench-buy?apiKey=${project.publicKey}`,
    player: playerId(randomBelow(keys)),
    body: '{"cost":1,"_endpointSlug":"bench-buy"}',
  }),
};

export const WORKLOADS: Readonly<Record<CaseName | SeedName, Workload>> = {
  'document.read': {
    method: 'GET',
    headers: asPlayer,
    request: (project, _index, keys = KEYS) => ownDocument(project, randomBelow(keys)),
  },
  'document.write': {
    method: 'POST',
    headers: asPlayer,
    request: (project, index, keys = KEYS) => ({ ...ownDocument(project, randomBelow(keys)), body: saveText(index) }),
  },
  'document.ops': OPERATIONS,
  'document.ops.keyed': { ...OPERATIONS, isKeyed: true },
  'endpoint.call': CALL,
  'endpoint.call.keyed': { ...CALL, isKeyed: true },
  'leaderboard.read': {
    method: 'GET',
    headers: asPlayer,
    request: (project) => ({ path: `/v3/queries/${project.projectId}/bench_top?apiKey=${project.publicKey}` }),
  },
  'global.append': {
    method: 'POST',
    headers: asServer,
    request: (project, index) => ({ path: `/v3/storage/${project.projectId}/bench_feed/append`, body: saveText(index) }),
  },
  'seed.documents': {
    method: 'POST',
    headers: asPlayer,
    request: (project, index) => ({ ...ownDocument(project, index), body: saveText(index) }),
  },
  'seed.players': {
    method: 'POST',
    headers: asServer,
    request: (project, index) => ({ path: documentPath(project, 'bench_players', index), body: saveText(index) }),
  },
  'seed.leaderboard': {
    method: 'POST',
    headers: asServer,
    request: (project, index) => ({
      path: documentPath(project, 'bench_scores', index),
      body: JSON.stringify({ name: `Player ${index}`, score: scoreOf(index), region: 'north' }),
    }),
  },
};

/** Every score once, but not in the order of the keys: the stride and the number of players have no common factor. */
function scoreOf(index: number): number {
  return ((index * 7_919) % LEADERBOARD_PLAYERS) + 1;
}

export const DEFINITIONS = {
  collections: [
    { id: 'bench_documents', name: 'bench_documents', collectionType: 'per-platformid', accessMode: 'public', schema: saveSchema() },
    { id: 'bench_players', name: 'bench_players', collectionType: 'per-platformid', schema: saveSchema() },
    {
      id: 'bench_scores',
      name: 'bench_scores',
      collectionType: 'per-platformid',
      schema: { name: { type: 'string' }, score: { type: 'number' }, region: { type: 'string' } },
    },
    { id: 'bench_feed', name: 'bench_feed', collectionType: 'global', rateLimits: { mode: 'none' }, schema: saveSchema() },
  ],
  endpoints: [
    {
      id: 'bench-buy',
      slug: 'bench-buy',
      name: 'Buy',
      enabled: true,
      requiresSecretKey: false,
      method: 'POST',
      input: { type: 'object', properties: { cost: { type: 'number' } }, required: ['cost'] },
      steps: [
        { id: 'player', type: 'read', collection: 'bench_players', key: '{{platformId}}' },
        {
          id: 'enough',
          type: 'condition',
          check: { field: 'player.gold', op: '>=', value: '{{input.cost}}' },
          routes: { false: { action: 'reject', status: 409, error: 'TOO_POOR', message: 'Not enough gold.' } },
        },
        {
          id: 'pay',
          type: 'write',
          collection: 'bench_players',
          key: '{{platformId}}',
          ops: [
            { op: 'inc', path: 'gold', value: '{{-input.cost}}' },
            { op: 'inc', path: 'bought', value: 1 },
          ],
        },
      ],
      response: { status: 200, body: { ok: true, paid: '{{input.cost}}', had: '{{player.gold}}' } },
    },
  ],
  queries: [
    {
      id: 'bench_top',
      name: 'Top players',
      type: 'leaderboard',
      requiresSecretKey: false,
      sources: [{ collectionId: 'bench_scores' }],
      config: { field: 'score', order: 'desc', limit: 100, columns: ['name', 'score'] },
    },
  ],
} as const;

function ownDocument(project: Credentials, index: number): WorkRequest {
  return { path: documentPath(project, 'bench_documents', index), player: playerId(index) };
}

function documentPath(project: Credentials, collection: string, index: number): string {
  return `/v3/storage/${project.projectId}/${collection}/${playerId(index)}?apiKey=${project.publicKey}`;
}

function playerId(index: number): string {
  return `76561198${String(index).padStart(9, '0')}`;
}

function randomBelow(count: number): number {
  return Math.floor(Math.random() * count);
}

function saveText(index: number): string {
  return SAVES[index % SAVES.length] ?? '{}';
}

function operations(index: number): string {
  return JSON.stringify({
    ops: [
      { op: 'inc', path: 'gold', value: 1, source: 'quest', reason: 'daily quest' },
      { op: 'set', path: 'position.x', value: index % 1_000 },
      { op: 'set', path: 'lastSeen', value: `2026-01-01T00:00:00.${String(index % 1_000).padStart(3, '0')}Z` },
    ],
  });
}

function save(index: number): object {
  const bag = Array.from({ length: 8 }, (_, slot) => ({ item: `item_${(index * 8 + slot) % 97}`, count: 1 + ((index + slot) % 40), slot }));
  return {
    name: `Player ${index}`,
    level: 1 + (index % 60),
    gold: 1_000_000 + index,
    position: { x: index, y: 12.5, z: -3.25, map: 'harbour' },
    lastSeen: '2026-01-01T00:00:00.000Z',
    stats: { strength: 10, agility: 12, wisdom: 7, kills: index * 3, deaths: index },
    bag,
    quests: ['intro', 'harbour', 'lighthouse'],
    note: 'The keeper of the lighthouse waits for the third lamp.',
  };
}

function saveSchema(): object {
  return {
    name: { type: 'string' },
    level: { type: 'number', default: 1 },
    gold: { type: 'number', default: 0 },
    position: {
      type: 'object',
      properties: { x: { type: 'number' }, y: { type: 'number' }, z: { type: 'number' }, map: { type: 'string' } },
    },
    lastSeen: { type: 'string' },
    stats: { type: 'object' },
    bag: { type: 'array', items: { type: 'object' } },
    quests: { type: 'array', items: { type: 'string' } },
    note: { type: 'string' },
  };
}
