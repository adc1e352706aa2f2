import { canonicalJson, compareNumbers, isArray, isNumber, type Json } from '../../kernel/json.ts';

/**
 * Whether a value is less now than it was, or gone: bringing back the earlier one takes nothing that came since. Of two objects each member
 * is asked by itself. `undefined`: there is none.
 */
export function isLost(now: Json | undefined, then: Json | undefined): boolean {
  if (now === undefined) return then !== undefined;
  if (isNumber(now)) return isNumber(then) && compareNumbers(now, then) < 0;
  return isArray(now) && isArray(then) && now.length < then.length && holdsAll(then, now);
}

/** Whether each of the items stands in the list, as often as it is among them. */
function holdsAll(list: readonly Json[], items: readonly Json[]): boolean {
  const left = new Map<string, number>();
  for (const text of list.map(canonicalJson)) left.set(text, (left.get(text) ?? 0) + 1);
  return items.map(canonicalJson).every((text) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0;
  });
}
