import { createHmac } from 'node:crypto';
import type { Credentials } from '../harness/project.ts';
import type { Workload } from './workloads.ts';

/** The same requests for the node and for the servers that it is compared with. `{player}` is a key of the same form everywhere. */

export const PEER_KEYS = 10_000;

const playerId = (index: number) => `76561198${String(index).padStart(9, '0')}`;
const drawn = () => playerId(Math.floor(Math.random() * PEER_KEYS));

const save = (index: number) =>
  JSON.stringify({
    name: `Player ${index}`,
    score: (index * 7_919) % 100_003,
    level: 1 + (index % 60),
    bag: Array.from({ length: 8 }, (_, slot) => ({ item: `item_${(index * 8 + slot) % 97}`, count: 1 + ((index + slot) % 40), slot })),
    note: 'The keeper of the lighthouse waits for the third lamp.',
  });
const SAVES = Array.from({ length: 256 }, (_, index) => save(index));
const saveText = (index: number) => SAVES[index % SAVES.length] ?? '{}';

const asGame = (project: Credentials) => ({
  'x-public-key': project.publicKey,
  'x-ns-client-type': 'game',
  'content-type': 'application/json',
});
const plain = () => ({ 'content-type': 'application/json' });
const asParse = () => ({ 'content-type': 'application/json', 'x-parse-application-id': 'bench', 'x-parse-master-key': 'bench' });

const own = (project: Credentials, player: string) => `/v3/storage/${project.projectId}/saves/${player}?apiKey=${project.publicKey}`;
const board = (project: Credentials, more: string) => `/v3/queries/${project.projectId}/top?apiKey=${project.publicKey}${more}`;

/** Players with a token for their reads. A token is a signature, and a real player uses one for hours. */
const PROVEN = 100;
const EXPIRES = Math.floor(Date.now() / 1000) + 86_400;

/** The token that the game's login would give its player. The node was started with the same secret. */
function tokenOf(player: string): string {
  const secret = process.env['BENCH_PLAYER_SECRET'] ?? '';
  return `${EXPIRES}.${createHmac('sha256', secret).update(`${player}:${EXPIRES}`).digest('hex')}`;
}

export const PEER_WORKLOADS = {
  'node.read': {
    method: 'GET',
    headers: asGame,
    request(project) {
      const player = drawn();
      return { path: own(project, player), player };
    },
  },
  'node.read proven': {
    method: 'GET',
    headers: asGame,
    request(project, index) {
      const player = playerId(index % PROVEN);
      return { path: own(project, player), player, token: tokenOf(player) };
    },
  },
  'node.write': {
    method: 'POST',
    headers: asGame,
    request(project, index) {
      const player = drawn();
      return { path: own(project, player), player, body: saveText(index) };
    },
  },
  'node.seed': {
    method: 'POST',
    headers: asGame,
    request: (project, index) => ({ path: own(project, playerId(index)), player: playerId(index), body: saveText(index) }),
  },
  'node.top': { method: 'GET', headers: asGame, request: (project) => ({ path: board(project, '&limit=100') }) },
  'node.around': {
    method: 'GET',
    headers: asGame,
    request(project) {
      const player = drawn();
      return { path: board(project, `&platformId=${player}&around=10`), player };
    },
  },
  'koa.read': { method: 'GET', headers: plain, request: () => ({ path: `/documents/${drawn()}` }) },
  'koa.write': { method: 'POST', headers: plain, request: (_, index) => ({ path: `/documents/${drawn()}`, body: saveText(index) }) },
  'koa.seed': { method: 'POST', headers: plain, request: (_, index) => ({ path: `/documents/${playerId(index)}`, body: saveText(index) }) },
  'koa.top': { method: 'GET', headers: plain, request: () => ({ path: '/top' }) },
  'koa.around': { method: 'GET', headers: plain, request: () => ({ path: `/around/${drawn()}` }) },
  'parse.read': { method: 'GET', headers: asParse, request: () => ({ path: `/parse/classes/Save/${drawn()}` }) },
  'parse.write': {
    method: 'PUT',
    headers: asParse,
    request: (_, index) => ({ path: `/parse/classes/Save/${drawn()}`, body: saveText(index) }),
  },
  'parse.seed': {
    method: 'POST',
    headers: asParse,
    request: (_, index) => ({ path: '/parse/classes/Save', body: `{"objectId":"${playerId(index)}",${saveText(index).slice(1)}` }),
  },
  'parse.top': {
    method: 'GET',
    headers: asParse,
    request: () => ({ path: '/parse/classes/Save?order=-score&limit=100&keys=name,score' }),
  },
} as const satisfies Readonly<Record<string, Workload>>;
export type PeerWorkload = keyof typeof PEER_WORKLOADS;
