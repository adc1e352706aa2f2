/** What a person was told of and has put away: a browser keeps the ids while the session lasts. One that keeps nothing tells it again. */

const TOLD = 'savepoint.told';
/** Ids that are kept. */
const MOST = 20;

function allTold(): readonly string[] {
  try {
    return (localStorage.getItem(TOLD) ?? '').split(' ');
  } catch {
    return [];
  }
}

export function isTold(id: string): boolean {
  return allTold().includes(id);
}

export function keepTold(id: string): void {
  try {
    localStorage.setItem(TOLD, [id, ...allTold()].slice(0, MOST).join(' '));
  } catch {}
}

export function forgetTold(): void {
  try {
    localStorage.removeItem(TOLD);
  } catch {}
}
