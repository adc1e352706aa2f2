import { isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { textOf } from '../read.ts';

/** What the validator finds in a definition (management 20). Findings never stop a push: the language fails what it reaches. */

export interface Finding {
  readonly code: string;
  readonly message: string;
  /** JSON pointer into the definition; empty: the whole of it. */
  readonly path: string;
  readonly fix?: string;
  /** In the source text, both from 1, where that is at hand. */
  readonly line?: number;
  readonly column?: number;
}

/** What a definition may refer to. */
export interface Known {
  /** By id or name, in any letter case. */
  collection(name: string): boolean;
  /** Whether its documents are the players' own, so that a step without a key means the caller's. */
  playersCollection(name: string): boolean;
  /** A workflow, or an endpoint used as one; not a block. */
  callable(name: string): boolean;
  /** The definition of a workflow. */
  workflow(id: string): JsonObject | undefined;
  /** The definition of a library; of a workflow that has blocks, too. */
  library(id: string): JsonObject | undefined;
  /** A table of the game values. */
  table(name: string): boolean;
}

/** More than anybody reads, of one definition. */
const MAX_FINDINGS = 100;

/** Gathers the findings of one definition. */
export class Findings {
  readonly all: Finding[] = [];
  readonly known: Known;
  /** Names of the blocks that the definition itself has: its steps call them by that alone. */
  readonly ownBlocks: ReadonlySet<string>;

  constructor(known: Known, ownBlocks: ReadonlySet<string> = new Set()) {
    this.known = known;
    this.ownBlocks = ownBlocks;
  }

  add(code: string, path: string, message: string, fix?: string): void {
    if (this.all.length < MAX_FINDINGS) this.all.push({ code, message, path, ...(fix === undefined ? {} : { fix }) });
  }

  /** `test` fails for a member that is there. */
  member(object: JsonObject, name: string, path: string, test: (value: Json) => boolean, code: string, expected: string): void {
    const value = member(object, name);
    if (value !== undefined && value !== null && !test(value)) this.add(code, `${path}/${name}`, `'${name}' must be ${expected}.`);
  }

  /** None of the members is there. */
  missing(object: JsonObject, names: readonly string[], path: string, code: string): boolean {
    if (names.some((name) => (member(object, name) ?? null) !== null)) return false;
    this.add(code, path, `${names.map((name) => `'${name}'`).join(' or ')} is missing.`);
    return true;
  }
}

export function isFlag(value: Json): boolean {
  return typeof value === 'boolean' || value === 'true' || value === 'false';
}

export function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Holds a template, so only a call knows what it comes to. */
export function isTemplated(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes('{{');
}

export function isMap(value: Json): boolean {
  return isObject(value);
}

/** A number that is written as one, within these bounds. */
export function isWhole(value: Json, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

export function oneOf(...words: readonly string[]): (value: Json) => boolean {
  return (value) => words.includes(textOf(value)?.toLowerCase() ?? '');
}
