import type { workflow } from '../../../contract/resources/logic.ts';
import { complaintOf, type Shape, type Written } from '../../../contract/resources/member.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';

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
  workflow(id: string): Written<typeof workflow> | undefined;
  /** What a workflow says that it returns, where it does. */
  returns(id: string): JsonObject | undefined;
  /** A library, or a workflow: that may have blocks, too. */
  library(id: string): boolean;
  /** Whether there is a block, by `library.block`; the params that it declares, where it does. */
  block(name: string): JsonObject | boolean;
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

  /** Members that are there, and not what their schema says. */
  structure<S extends { readonly shape: Shape }>(
    schema: S,
    written: Written<S>,
    path: string,
    ...names: readonly (keyof S['shape'] & string)[]
  ): void {
    for (const name of names) {
      const complaint = complaintOf(schema.shape[name], written[name]);
      if (complaint !== null) this.add(complaint.code, `${path}/${name}`, `'${name}' must be ${complaint.expected}.`);
    }
  }

  /** None of the members is there. */
  missing<O extends JsonObject>(written: O, names: readonly (keyof O & string)[], path: string, code: string): boolean {
    if (names.some((name) => (written[name] ?? null) !== null)) return false;
    this.add(code, path, `${names.map((name) => `'${name}'`).join(' or ')} is missing.`);
    return true;
  }
}

export function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Holds a template, so only a call knows what it comes to. */
export function isTemplated(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes('{{');
}

/** A number that is written as one, within these bounds. */
export function isWhole(value: Json, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}
