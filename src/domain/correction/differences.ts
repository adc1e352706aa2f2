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
  if (from === null || to === null) return from === to ? [] : [difference('', from ?? undefined, to ?? undefined)];
  const found: Difference[] = [];
  addBetween(found, '', from, to);
  return found;
}

/** Documents have tens of thousands of members: nothing is made but what differs. */
function addBetween(found: Difference[], prefix: string, from: JsonObject, to: JsonObject): void {
  for (const name of Object.keys(from)) addAt(found, prefix, name, from[name], member(to, name));
  for (const name of Object.keys(to)) if (!Object.hasOwn(from, name)) addAt(found, prefix, name, undefined, to[name]);
}

function addAt(found: Difference[], prefix: string, name: string, old: Json | undefined, now: Json | undefined): void {
  // What a change did not touch is shared.
  if (old === now) return;
  const path = prefix === '' ? name : `${prefix}.${name}`;
  if (isObject(old) && isObject(now)) addBetween(found, path, old, now);
  else if (old === undefined || now === undefined || !jsonEquals(old, now)) found.push(difference(path, old, now));
}

/** The first lines of many. */
interface FirstLines {
  readonly changes: readonly (Difference & { readonly lost?: true })[];
  /** How many there are besides, and how many of all are of what is less now, or gone. */
  readonly moreLines: number;
  readonly lostLines: number;
}

/** As many lines as are wanted, those of what is less now, or gone, before the others. */
export function firstLines(all: readonly Difference[], most: number): FirstLines {
  const lost: FirstLines['changes'][number][] = [];
  const others: Difference[] = [];
  for (const each of all) {
    if (isLost(each.from, each.to)) lost.push({ ...each, lost: true });
    else others.push(each);
  }
  const changes = [...lost, ...others].slice(0, most);
  return { changes, moreLines: all.length - changes.length, lostLines: lost.length };
}

function difference(path: string, from: Json | undefined, to: Json | undefined): Difference {
  return { path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
