import { at, listAt, numberAt, textAt } from '../harness/json.ts';
import { expectCurrent, expectOk, managePath, type Project, playerHeaders, secretHeaders, storagePath } from '../harness/project.ts';
import type { Player } from './player.ts';

/** One thing that had to be true; `problems` says where it was not. */
export interface Check {
  readonly name: string;
  readonly problems: readonly string[];
}

export interface LedgerLine {
  readonly ts: string;
  readonly source: string;
  readonly reason: string;
  readonly before: number;
  readonly after: number;
  readonly delta: number;
}

/** What the town's market has counted. */
export interface Market {
  readonly sold: number;
  readonly paid: number;
}

/** What there is of the game's gold, and where it came from and went to. */
export interface Economy {
  readonly supply: number;
  readonly flows: readonly FlowLine[];
}

interface FlowLine {
  readonly endpoint: string;
  readonly faucet: number;
  readonly sink: number;
}

export interface LeaderboardLine {
  readonly rank: number;
  readonly key: string;
  readonly name: string;
  readonly gold: number;
  readonly axe: number;
}

const PAGE = 500;
const AT_ONCE = 32;

/** Compares every player's document and ledger with the player's own count: nothing lost, nothing doubled, no entry missing. */
export async function auditPlayers(project: Project, players: readonly Player[]): Promise<readonly Check[]> {
  const counts: string[] = [];
  const books: string[] = [];
  const queue = players.values();
  const worker = async () => {
    for (const player of queue) {
      const read = project.http.send('GET', storagePath(project, `players/${player.id}`), serverCall(project));
      // On a slow machine the time may be over before a player's first call.
      if (!player.joined && (await read).status === 404) continue;
      const held = await expectOk('reading a player', read);
      counts.push(...differences(player, held.body));
      books.push(...unbalanced(player, numberAt(held.body, 'gold'), await readLedger(project, player.id)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return [
    { name: `${players.length} players own what their acknowledged calls gave them`, problems: counts },
    { name: 'every ledger adds up to the gold of its player, without a gap', problems: books },
  ];
}

/** A sale changes two documents in one commit, so the town must have counted exactly what all players sold together. */
export function auditMarket(before: Market, after: Market, players: readonly Player[]): Check {
  const problems: string[] = [];
  for (const field of ['sold', 'paid'] as const) {
    const expected = before[field] + players.reduce((sum, player) => sum + player[field], 0);
    if (after[field] !== expected) problems.push(`${field}: the town counted ${after[field]}, the players ${expected}`);
  }
  return { name: "the town's market counted exactly what the players sold", problems };
}

/** The economy counts all gold that there is, so it must have grown by what the players own. */
export function auditEconomy(before: Economy, after: Economy, players: readonly Player[]): Check {
  const owned = players.reduce((sum, player) => sum + player.gold, 0);
  const grown = after.supply - before.supply;
  const problems = grown === owned ? [] : [`the supply grew by ${grown}, the players own ${owned}`];
  return { name: 'the economy holds exactly the gold that the players own', problems };
}

/** The leaderboard is a view: it must show the richest players as their documents say. */
export function auditLeaderboard(lines: readonly LeaderboardLine[], players: readonly Player[]): Check {
  const problems: string[] = [];
  const own = new Map(players.map((player) => [player.id, player]));
  lines.forEach((line, index) => {
    const player = own.get(line.key);
    const previous = lines[index - 1];
    if (player && player.gold !== line.gold) problems.push(`rank ${line.rank}: ${line.gold} gold, ${line.key} owns ${player.gold}`);
    if (line.rank !== index + 1) problems.push(`rank ${line.rank} stands at place ${index + 1}`);
    if (previous && previous.gold < line.gold) problems.push(`rank ${line.rank} is richer than the one above`);
  });
  const shown = new Set(lines.map((line) => line.key));
  const last = lines.at(-1)?.gold ?? Number.NaN;
  const missing = players.filter((player) => player.gold > last && !shown.has(player.id));
  if (lines.length === 0) problems.push('it is empty');
  for (const player of missing) problems.push(`${player.id} with ${player.gold} gold is missing`);
  return { name: 'the leaderboard shows the richest players in order', problems };
}

/** The tests of its own that the game came with. They are dry. */
export async function auditTests(project: Project): Promise<Check> {
  const { body } = await expectOk(
    'run-tests',
    project.http.send('POST', managePath(project, 'run-tests'), { ...serverCall(project), body: {} }),
  );
  const problems = listAt(body, 'results')
    .filter((result) => at(result, 'passed') !== true)
    .map((result) => `${textAt(result, 'id')}: ${textAt(result, 'reason')}`);
  return { name: `the game's ${numberAt(body, 'total')} own tests pass`, problems };
}

export async function readMarket(project: Project): Promise<Market> {
  const answer = await project.http.send('GET', storagePath(project, 'town/market'), serverCall(project));
  if (answer.status === 404) return { sold: 0, paid: 0 };
  return { sold: numberAt(answer.body, 'sold'), paid: numberAt(answer.body, 'paid') };
}

export async function readEconomy(project: Project): Promise<Economy> {
  const read = (path: string) => project.http.send('GET', managePath(project, `economy/${path}`), serverCall(project));
  const supply = await expectCurrent('the supply', async () => {
    const answer = await read('supply?currency=gold');
    // Nothing has moved yet.
    return answer.status === 404 ? { ...answer, status: 200, body: { supply: 0 } } : answer;
  });
  const { body } = await expectCurrent('the flows', () => read('flows?currency=gold&by=endpoint'));
  const flows = listAt(body, 'flows').map((flow) => ({
    endpoint: textAt(flow, 'endpoint') ?? '',
    faucet: numberAt(flow, 'faucet'),
    sink: numberAt(flow, 'sink'),
  }));
  return { supply: numberAt(supply.body, 'supply'), flows };
}

export async function readLeaderboard(project: Project): Promise<readonly LeaderboardLine[]> {
  const path = `/v3/queries/${project.projectId}/richest?apiKey=${project.publicKey}`;
  const ask = () => project.http.send('GET', path, { headers: playerHeaders(project, '0') });
  const answer = await expectCurrent('the leaderboard', ask);
  return listAt(answer.body, 'entries').map((entry) => ({
    rank: numberAt(entry, 'rank'),
    key: textAt(entry, 'key') ?? '',
    name: textAt(entry, 'data.name') ?? '',
    gold: numberAt(entry, 'value'),
    axe: numberAt(entry, 'data.axe'),
  }));
}

/** The whole ledger of one player's gold, oldest first, read page by page. */
export async function readLedger(project: Project, platformId: string): Promise<readonly LedgerLine[]> {
  const lines: LedgerLine[] = [];
  let cursor = '';
  for (;;) {
    const query = `?field=gold&limit=${PAGE}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const path = storagePath(project, `players/${platformId}/ledger${query}`);
    const page = await expectCurrent('a ledger', () => project.http.send('GET', path, serverCall(project)));
    lines.push(...listAt(page.body, 'entries').map(ledgerLine));
    const next = at(page.body, 'cursor');
    if (next === null || next === undefined) return lines;
    cursor = String(next);
  }
}

function ledgerLine(entry: unknown): LedgerLine {
  return {
    ts: textAt(entry, 'ts') ?? '',
    source: textAt(entry, 'source') ?? '',
    reason: textAt(entry, 'reason') ?? '',
    before: numberAt(entry, 'before'),
    after: numberAt(entry, 'after'),
    delta: numberAt(entry, 'delta'),
  };
}

function differences(player: Player, held: unknown): readonly string[] {
  if (!player.certain) return [`${player.id}: a call was left without an answer, so its own count is not certain`];
  return (['gold', 'wood', 'axe'] as const)
    .filter((field) => numberAt(held, field) !== player[field])
    .map((field) => `${player.id}: ${field} is ${numberAt(held, field)}, acknowledged calls make ${player[field]}`);
}

function unbalanced(player: Player, gold: number, ledger: readonly LedgerLine[]): readonly string[] {
  const problems: string[] = [];
  let balance = 0;
  for (const line of ledger) {
    if (line.before !== balance || line.after !== line.before + line.delta)
      problems.push(`${player.id}: ${balance} is followed by ${JSON.stringify(line)}`);
    balance = line.after;
  }
  if (balance !== gold) problems.push(`${player.id}: the ledger ends at ${balance}, the document holds ${gold}`);
  return problems;
}

const serverCall = (project: Project) => ({ headers: secretHeaders(project) });
