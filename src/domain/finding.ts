import type { z } from 'zod';
import type { workflow } from '../contract/resources/logic.ts';
import { complaintOf, type Shape, type Written } from '../contract/resources/member.ts';
import { misfitsOf, type Reading } from '../contract/resources/misfits.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';

/** What the validator finds in a definition. Findings do not stop a push: a step with one may fail when a call reaches it. */

export interface Finding {
  readonly code: string;
  readonly message: string;
  /** JSON pointer into the definition; empty: the whole definition. */
  readonly pointer: string;
  readonly fix?: string;
  /**
   * The missing definition that it is about. Suggestions are made when the finding is shown, because findings are cached while other
   * definitions change.
   */
  readonly missing?: MissingName;
  /** Position in the source text, both from 1, if the text is available. */
  readonly line?: number;
  readonly column?: number;
}

/** A name that refers to nothing. */
export interface MissingName {
  readonly kind: NamedKind;
  readonly name: string;
}

/**
 * Kinds of references between definitions. `callable`: to workflows and internal endpoints; `block`: to `library.block`; `value`: to
 * `group` or `group.entry` of the game values.
 */
type NamedKind = 'collection' | 'endpoint' | 'callable' | 'library' | 'block' | 'table' | 'value';

/** What a definition may refer to. */
export interface Known {
  /** By id or name, in any letter case. */
  collection(name: string): boolean;
  /** Whether its documents belong to players, so that a step without a key means the caller's document. */
  playersCollection(name: string): boolean;
  /** Whether there is an endpoint, by slug or id. */
  endpoint(name: string): boolean;
  /** Whether there is a workflow, or an internal endpoint, which is called like a workflow. Blocks do not count. */
  callable(name: string): boolean;
  /** The definition of a workflow. */
  workflow(id: string): Written<typeof workflow> | undefined;
  /** What a workflow declares that it returns. */
  returns(id: string): JsonObject | undefined;
  /** Whether there is a library, or a workflow, which may have blocks too. */
  library(id: string): boolean;
  /** Whether there is a block, by `library.block`; its declared params if it has any. */
  block(name: string): JsonObject | boolean;
  /** Whether the game values have this table. */
  table(name: string): boolean;
  /** Whether the game values have a group or table, by `id`, or an entry, by `id.name`. */
  value(path: string): boolean;
  /** The schema of a collection, as written, if at some depth it allows no other fields; `undefined`: any name may be a field. */
  closedSchema(collection: string): JsonObject | undefined;
}

/** Most findings per definition. Nobody reads more. */
const MAX_FINDINGS = 100;

/** Collects the findings of one definition. */
export class Findings {
  readonly all: Finding[] = [];
  readonly known: Known;
  /** Names of the definition's own blocks: its steps call them by that name alone. */
  readonly ownBlocks: ReadonlySet<string>;
  /** Libraries whose blocks the definition says it calls. */
  readonly imports: readonly Json[];
  /** Where the author wrote what stands at a pointer. */
  readonly sourceOf: (pointer: string) => string;

  constructor(
    known: Known,
    ownBlocks: ReadonlySet<string> = new Set(),
    imports: readonly Json[] = [],
    sourceOf: (pointer: string) => string = (pointer) => pointer,
  ) {
    this.known = known;
    this.ownBlocks = ownBlocks;
    this.imports = imports;
    this.sourceOf = sourceOf;
  }

  add(code: string, pointer: string, message: string, fix?: string): void {
    if (!this.isFull) this.all.push({ code, message, pointer: this.sourceOf(pointer), ...(fix === undefined ? {} : { fix }) });
  }

  /** What the author calls the member at a pointer. */
  nameAt(pointer: string): string {
    const source = this.sourceOf(pointer);
    return source.slice(source.lastIndexOf('/') + 1);
  }

  /** Whether there are as many findings as are kept. */
  get isFull(): boolean {
    return this.all.length >= MAX_FINDINGS;
  }

  /** As {@link add}, for a reference to a missing definition. */
  addMissing(code: string, pointer: string, message: string, missing: MissingName, fix?: string): void {
    if (!this.isFull) this.all.push({ code, message, pointer: this.sourceOf(pointer), missing, ...(fix === undefined ? {} : { fix }) });
  }

  /** Whether it is an object. If not, there is a finding. */
  expectObject(value: Json | undefined, code: string, pointer: string, message: string, fix?: string): value is JsonObject {
    if (isObject(value)) return true;
    this.add(code, pointer, message, fix);
    return false;
  }

  /** Checks members that are present against their schema. */
  structure<S extends { readonly shape: Shape }>(
    schema: S,
    written: Written<S>,
    pointer: string,
    ...names: readonly (keyof S['shape'] & string)[]
  ): void {
    for (const name of names) {
      const complaint = complaintOf(schema.shape[name], written[name]);
      const at = `${pointer}/${name}`;
      if (complaint !== null) this.add(complaint.code, at, `'${this.nameAt(at)}' must be ${complaint.expected}.`);
    }
  }

  /**
   * Checks a whole definition against its schema, after everything else: what is of another form and has no finding yet would be left out
   * without a word, or fail when a call reaches it.
   */
  form(schema: z.core.$ZodType, written: Json, reading: Reading): void {
    if (this.isFull) return;
    const found = formFindings(schema, written, reading, this.all);
    this.all.push(...found.slice(0, MAX_FINDINGS - this.all.length));
  }

  /** Adds a finding if none of the members is present. */
  missing<O extends JsonObject>(written: O, names: readonly (keyof O & string)[], pointer: string, code: string): boolean {
    if (names.some((name) => (written[name] ?? null) !== null)) return false;
    this.add(code, pointer, `${names.map((name) => `'${name}'`).join(' or ')} is missing.`);
    return true;
  }
}

/** Findings for what is of another form than its schema says, but for what was found already. */
export function formFindings(schema: z.core.$ZodType, written: Json, reading: Reading, known: readonly Finding[], pointer = ''): Finding[] {
  const told = new Set(known.map((each) => each.pointer));
  const isTold = (at: string, outer: string) =>
    told.has(at) || (outer !== pointer && told.has(outer)) || [...told].some((other) => other.startsWith(`${at}/`));
  return misfitsOf(schema, written, pointer, reading).flatMap(({ code, pointer: at, expected }) => {
    const outer = at.slice(0, at.lastIndexOf('/'));
    const message = `'${at.slice(outer.length + 1)}' must be ${expected}.`;
    return isTold(at, outer) ? [] : [{ code, pointer: at, message }];
  });
}

export function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Whether it contains a template, so that its value is known only in a call. */
export function isTemplated(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes('{{');
}

/** Whether it is a number literal within these bounds. */
export function isWhole(value: Json, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

/** Findings of a push about stored documents, by id of the collection. */
export type StoredFindings = ReadonlyMap<string, readonly Finding[]>;

/** Of a collection that nobody could look at. */
export const DOCUMENTS_UNSEEN: Finding = {
  code: 'DOCUMENTS_UNSEEN',
  pointer: '',
  message: 'Whether stored documents fit was not looked at: the database is away or behind, or this push changes too many collections.',
  fix: 'The promotion looks at all of them; or push again later, or in smaller parts.',
};
