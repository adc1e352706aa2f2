import { isObject, type Json, type JsonObject, jsonEquals } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';

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
  return [...between('', from, to)];
}

function* between(prefix: string, from: JsonObject, to: JsonObject): Generator<Difference> {
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [old, now] = [member(from, name), member(to, name)];
    const path = prefix === '' ? name : `${prefix}.${name}`;
    // What a change did not touch is shared.
    if (old === now) continue;
    if (isObject(old) && isObject(now)) yield* between(path, old, now);
    else if (old === undefined || now === undefined || !jsonEquals(old, now)) yield difference(path, old, now);
  }
}

function difference(path: string, from: Json | undefined, to: Json | undefined): Difference {
  return { path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
