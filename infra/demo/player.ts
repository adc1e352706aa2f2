import type { Answer } from '../harness/http.ts';
import { numberAt } from '../harness/json.ts';
import { endpointPath, errorCode, type Project, playerHeaders } from '../harness/project.ts';
import type { Tally } from './tally.ts';

/**
 * What a player must own, counted only from the answers that it got. Every acknowledged call changes it, a refused one does not. After a
 * call whose outcome is unknown the count proves nothing, and `certain` is false.
 */
export interface Player {
  readonly id: string;
  readonly name: string;
  gold: number;
  wood: number;
  axe: number;
  sold: number;
  paid: number;
  joined: boolean;
  certain: boolean;
}

/** The game values that a client loads at its start. */
export interface Rules {
  readonly purse: number;
  /** Of each axe in gold, from level 1 on. */
  readonly prices: readonly number[];
}

export function newPlayer(id: string, name: string): Player {
  return { id, name, gold: 0, wood: 0, axe: 1, sold: 0, paid: 0, joined: false, certain: true };
}

/** Plays one player, one call at a time, until `over` is true or a call is left without an answer. `random` gives numbers in [0, 1). */
export async function play(project: Project, player: Player, rules: Rules, random: () => number, tally: Tally, over: () => boolean) {
  await heartbeat(project, player, tally);
  let tired = false;
  while (!over() && player.certain) {
    const action = choose(player, rules, random(), tired);
    const refusal = await actions[action](project, player, rules, random, tally);
    // After too many chops in this minute a player sells and buys until the next one. A few try again anyway.
    tired = action === 'chop' ? refusal === 'RATE_LIMIT' : tired && random() > 0.02;
  }
}

type Action = 'chop' | 'sell' | 'upgrade' | 'leaderboard';

function choose(player: Player, rules: Rules, dice: number, tired: boolean): Action {
  if (!player.joined) return 'chop';
  if (dice < 0.02) return 'leaderboard';
  if (dice < 0.05) return 'upgrade';
  if (player.gold >= (rules.prices[player.axe] ?? Number.POSITIVE_INFINITY)) return 'upgrade';
  if (player.wood > 0 && (tired || dice > 0.6)) return 'sell';
  return tired ? 'leaderboard' : 'chop';
}

type Act = (project: Project, player: Player, rules: Rules, random: () => number, tally: Tally) => Promise<string | null>;

const actions: Readonly<Record<Action, Act>> = {
  async chop(project, player, rules, random, tally) {
    const swings = 1 + Math.floor(random() * 3);
    const answer = await call(project, player, tally, 'chop-wood', { swings, name: player.name });
    if (answer === null) return null;
    const refusal = errorCode(answer);
    if (refusal !== null) return refusal;
    if (!player.joined) player.gold = rules.purse;
    player.joined = true;
    player.wood += numberAt(answer.body, 'wood');
    return null;
  },
  async sell(project, player, _rules, random, tally) {
    const amount = 1 + Math.floor(random() * player.wood);
    const answer = await call(project, player, tally, 'sell-wood', { amount });
    if (answer === null || errorCode(answer) !== null) return null;
    const earned = numberAt(answer.body, 'earned');
    player.wood -= amount;
    player.gold += earned;
    player.sold += amount;
    player.paid += earned;
    return null;
  },
  async upgrade(project, player, _rules, _random, tally) {
    const answer = await call(project, player, tally, 'upgrade-axe', {});
    if (answer === null || errorCode(answer) !== null) return null;
    player.gold -= numberAt(answer.body, 'price');
    player.axe = numberAt(answer.body, 'axe');
    return null;
  },
  async leaderboard(project, player, _rules, _random, tally) {
    const path = `/v3/queries/${project.projectId}/richest?apiKey=${project.publicKey}`;
    await tally.count(player, project.http.send('GET', path, { headers: playerHeaders(project, player.id) }));
    return null;
  },
};

/** Says what the player is called, so that support finds the player by the name. */
function heartbeat(project: Project, player: Player, tally: Tally): Promise<Answer | null> {
  const body = { platformId: player.id, playerName: player.name };
  const path = `/v3/storage/${project.projectId}/stats/heartbeat`;
  return tally.count(player, project.http.send('POST', path, { headers: playerHeaders(project, player.id), body }));
}

function call(project: Project, player: Player, tally: Tally, slug: string, body: object): Promise<Answer | null> {
  return tally.count(player, project.http.send('POST', endpointPath(project, slug), { headers: playerHeaders(project, player.id), body }));
}
