/** Two texts beside one another, line by line. */

export interface LinePair {
  /** `null`: the other side has a line more here. */
  readonly left: Line | null;
  readonly right: Line | null;
  readonly isSame: boolean;
}

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Most pairs of lines that are compared one by one. Beyond it what stands between is told as a whole. */
const MAX_PAIRS = 4_000_000;

export function linesBeside(before: string, after: string): readonly LinePair[] {
  const [left, right] = [before.split('\n'), after.split('\n')];
  const head = commonLength(left, right, (list, place) => list[place]);
  const rest = Math.min(left.length, right.length) - head;
  const tail = Math.min(
    rest,
    commonLength(left, right, (list, place) => list[list.length - 1 - place]),
  );
  const own = left.slice(head, left.length - tail);
  const other = right.slice(head, right.length - tail);
  const kept = own.length * other.length > MAX_PAIRS ? [] : commonLines(own, other);
  const pairs: LinePair[] = [];
  const add = (one: number | null, two: number | null) =>
    pairs.push({ left: lineAt(left, one), right: lineAt(right, two), isSame: one !== null && two !== null && left[one] === right[two] });
  for (let place = 0; place < head; place += 1) add(place, place);
  let [at, to] = [0, 0];
  for (const [one, two] of [...kept, [own.length, other.length] as const]) {
    const changed = Math.max(one - at, two - to);
    for (let step = 0; step < changed; step += 1) add(at + step < one ? head + at + step : null, to + step < two ? head + to + step : null);
    if (one < own.length) add(head + one, head + two);
    [at, to] = [one + 1, two + 1];
  }
  for (let place = tail; place > 0; place -= 1) add(left.length - place, right.length - place);
  return pairs;
}

function lineAt(lines: readonly string[], place: number | null): Line | null {
  return place === null ? null : { number: place + 1, text: lines[place] ?? '' };
}

function commonLength(
  left: readonly string[],
  right: readonly string[],
  at: (list: readonly string[], place: number) => string | undefined,
) {
  const most = Math.min(left.length, right.length);
  let length = 0;
  while (length < most && at(left, length) === at(right, length)) length += 1;
  return length;
}

/** The places of the longest run of lines, in order, that both have. */
function commonLines(left: readonly string[], right: readonly string[]): readonly (readonly [number, number])[] {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (one: number, two: number) => lengths[one * width + two] ?? 0;
  for (let one = left.length - 1; one >= 0; one -= 1)
    for (let two = right.length - 1; two >= 0; two -= 1)
      lengths[one * width + two] = left[one] === right[two] ? at(one + 1, two + 1) + 1 : Math.max(at(one + 1, two), at(one, two + 1));
  const found: (readonly [number, number])[] = [];
  let [one, two] = [0, 0];
  while (one < left.length && two < right.length) {
    if (left[one] === right[two]) found.push([one++, two++]);
    else if (at(one + 1, two) >= at(one, two + 1)) one += 1;
    else two += 1;
  }
  return found;
}

/** The lines that differ, with some around them; `null` stands for lines in between that are the same. */
export function aroundChanges(pairs: readonly LinePair[], around = 3): readonly (LinePair | null)[] {
  const near = new Uint8Array(pairs.length);
  for (const [place, { isSame }] of pairs.entries()) if (!isSame) near.fill(1, Math.max(0, place - around), place + around + 1);
  // What stands for one line would take its room.
  for (const place of near.keys()) if (near[place - 1] !== 0 && near[place] === 0 && near[place + 1] !== 0) near[place] = 1;
  return pairs.flatMap((pair, place): (LinePair | null)[] => {
    if (near[place] === 1) return [pair];
    return place === 0 || near[place - 1] === 1 ? [null] : [];
  });
}
