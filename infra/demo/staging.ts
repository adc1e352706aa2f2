import { numberAt } from '../harness/json.ts';
import {
  endpointPath,
  expectOk,
  managePath,
  type Project,
  playerHeaders,
  secretHeaders,
  storagePath,
  type Target,
} from '../harness/project.ts';
import type { Check } from './audit.ts';
import { pushAxePrices } from './push.ts';

/** Prices of the same purchase before a staged change of prices, while it is staged, and after its promotion. */
export interface Staging {
  readonly livePrice: number;
  readonly stagedPrice: number;
  readonly promotedPrice: number;
  readonly check: Check;
}

/**
 * Stages another price of the second axe and plays it on `next`. Checks that live neither shows it nor keeps anything of the test. Promotes
 * it and plays it live. `prices` are those of now, from level 1 on; `rich` and `patient` are extra players, so that no other player's
 * balance changes.
 */
export async function stagePrices(project: Project, prices: readonly number[], rich: string, patient: string): Promise<Staging> {
  const [first = 0, now = 0, ...others] = prices;
  const then = 2 * now;
  const problems: string[] = [];
  const expectNumber = (what: string, found: number, expected: number) => {
    if (found !== expected) problems.push(`${what}: ${found} instead of ${expected}`);
  };
  for (const id of [rich, patient]) await givePurse(project, id);

  await pushAxePrices(project, [first, then, ...others], 'next');
  const stagedPrice = await buyAxe(project, rich, 'next');
  expectNumber('price on next', stagedPrice, then);
  expectNumber('axe on next after the purchase', await axeOf(project, rich, 'next'), 2);
  expectNumber('axe on live after the purchase on next', await axeOf(project, rich, 'live'), 1);

  const livePrice = await buyAxe(project, rich, 'live');
  expectNumber('price on live while the change is staged', livePrice, now);

  await expectOk('promote', project.http.send('POST', managePath(project, 'promote'), { headers: secretHeaders(project), body: {} }));
  const promotedPrice = await buyAxe(project, patient, 'live');
  expectNumber('price on live after the promotion', promotedPrice, then);
  expectNumber('axe of the first buyer after the promotion', await axeOf(project, rich, 'live'), 2);
  const check = { name: 'a staged price change shows on next alone, and on live once it is promoted', problems };
  return { livePrice, stagedPrice, promotedPrice, check };
}

async function givePurse(project: Project, platformId: string): Promise<void> {
  const call = { headers: secretHeaders(project), body: { name: 'Tester', gold: 1_000, axe: 1 } };
  await expectOk('making a tester', project.http.send('POST', storagePath(project, `players/${platformId}`), call));
}

async function buyAxe(project: Project, platformId: string, target: Target): Promise<number> {
  const call = { headers: playerHeaders(project, platformId, target), body: {} };
  const answer = await expectOk(`upgrade-axe on ${target}`, project.http.send('POST', endpointPath(project, 'upgrade-axe'), call));
  return numberAt(answer.body, 'price');
}

async function axeOf(project: Project, platformId: string, target: Target): Promise<number> {
  const call = { headers: secretHeaders(project, target) };
  const answer = await expectOk(`reading on ${target}`, project.http.send('GET', storagePath(project, `players/${platformId}`), call));
  return numberAt(answer.body, 'axe');
}
