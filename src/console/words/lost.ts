import { isSmaller } from './amount.ts';
import { isSameText, type Members, typeOf } from './value.ts';

/** Whether what is there now is less than it was: bringing back the earlier value takes nothing that came since. */
export function isLost(now: unknown, then: unknown): boolean {
  if (now === undefined) return then !== undefined;
  const kind = typeOf(now);
  if (kind !== typeOf(then)) return false;
  if (kind === 'number') return isSmaller(now, then);
  if (Array.isArray(now) && Array.isArray(then)) return now.length < then.length && holdsAll(then, now);
  return kind === 'object' && isLostIn(Object(now), Object(then));
}

function isLostIn(now: Members, then: Members): boolean {
  const differing = [...new Set([...Object.keys(now), ...Object.keys(then)])].filter((name) => !isSameText(now[name], then[name]));
  return differing.length > 0 && differing.every((name) => isLost(now[name], then[name]));
}

/** Whether each of the entries stands in the list, as often as it is among them. */
function holdsAll(list: readonly unknown[], entries: readonly unknown[]): boolean {
  const left = list.map((entry) => JSON.stringify(entry));
  return entries.every((entry) => {
    const place = left.indexOf(JSON.stringify(entry));
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}
