import { keep, kept } from './kept.ts';

/** What a person was told of and has put away: a browser keeps the ids while the session lasts. One that keeps nothing tells it again. */

const TOLD = 'savepoint.told';
/** Ids that are kept. */
const MOST = 20;

function allTold(): readonly string[] {
  return (kept(TOLD) ?? '').split(' ');
}

export function isTold(id: string): boolean {
  return allTold().includes(id);
}

export function keepTold(id: string): void {
  keep(TOLD, [id, ...allTold()].slice(0, MOST).join(' '));
}

export function forgetTold(): void {
  keep(TOLD, null);
}
