import { isObject, type Json, type JsonObject, jsonEquals } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { isLost } from './lost.ts';

/** A value that differs between two documents. Left out: there was nothing. */
export interface Difference {
  /** Dotted; empty: the document itself. */
  readonly path: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** What differs between two documents, member by member, in the order of their members. Lists are compared whole. */
export function differences(from: JsonObject | null, to: JsonObject | null): readonly Difference[] {
  const found: Difference[] = [];
  eachDifference(from, to, (path, old, now) => found.push(difference(path(), old, now)));
  return found;
}

/** Takes a value that differs. Where it stands is only made of names where somebody asks. */
type See = (path: () => string, old: Json | undefined, now: Json | undefined) => void;

function eachDifference(from: JsonObject | null, to: JsonObject | null, see: See): void {
  if (from !== null && to !== null) seeBetween(see, '', from, to);
  else if (from !== to) see(() => '', from ?? undefined, to ?? undefined);
}

/** Documents have tens of thousands of members: nothing is made but what differs. */
function seeBetween(see: See, prefix: string, from: JsonObject, to: JsonObject): void {
  for (const name of Object.keys(from)) seeAt(see, prefix, name, from[name], member(to, name));
  for (const name of Object.keys(to)) if (!Object.hasOwn(from, name)) seeAt(see, prefix, name, undefined, to[name]);
}

function seeAt(see: See, prefix: string, name: string, old: Json | undefined, now: Json | undefined): void {
  // What a change did not touch is shared.
  if (old === now) return;
  const path = () => (prefix === '' ? name : `${prefix}.${name}`);
  if (isObject(old) && isObject(now)) seeBetween(see, path(), old, now);
  else if (old === undefined || now === undefined || !jsonEquals(old, now)) see(path, old, now);
}

/** The first lines of many. */
interface FirstLines {
  readonly changes: readonly (Difference & { readonly lost?: true })[];
  /** How many there are besides, and how many of all are of what is less now, or gone. */
  readonly moreLines: number;
  readonly lostLines: number;
}

/** As many of the {@link differences} as are wanted, those of what is less now, or gone, before the others. The rest is counted alone. */
export function firstLines(from: JsonObject | null, to: JsonObject | null, most: number): FirstLines {
  const lost: FirstLines['changes'][number][] = [];
  const others: Difference[] = [];
  const counts = { all: 0, lost: 0 };
  eachDifference(from, to, (path, old, now) => {
    const isOfLost = isLost(old, now);
    counts.all += 1;
    if (isOfLost) counts.lost += 1;
    if (isOfLost && lost.length < most) lost.push({ ...difference(path(), old, now), lost: true });
    else if (!isOfLost && others.length < most) others.push(difference(path(), old, now));
  });
  const changes = [...lost, ...others].slice(0, most);
  return { changes, moreLines: counts.all - changes.length, lostLines: counts.lost };
}

function difference(path: string, from: Json | undefined, to: Json | undefined): Difference {
  return { path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
