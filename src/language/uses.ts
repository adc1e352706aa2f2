import { isTemplated, isText } from '../domain/finding.ts';
import type { EffectiveDefinitions } from '../domain/model.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { objectOf } from '../kernel/json-read.ts';
import { member } from '../kernel/path.ts';
import { findTokens } from './expressions/scan.ts';
import { normalise } from './normal/logic.ts';
import { calledBy } from './validate/recursion.ts';

/** What the logic of an endpoint may read besides documents, found in its definition without running it. If in doubt, a thing is read. */

/** A group or table of game values. `entry`: of a group, where the logic names one. */
interface ValueUse {
  readonly id: string;
  readonly entry: string | null;
}

interface LogicUse {
  readonly kind: 'workflow' | 'endpoint' | 'library' | 'collection';
  readonly id: string;
}

export interface Uses {
  readonly values: readonly ValueUse[];
  /** What it calls, then the collections that it names. */
  readonly others: readonly LogicUse[];
}

type Definitions = Pick<EffectiveDefinitions, 'collection' | 'endpoint' | 'library' | 'values' | 'workflow'>;

/** Members that are texts for people. */
const PROSE = new Set(['description', 'notes', 'metadata', 'sourceText']);
/**
 * `values.prices` and `values.prices.axe`, wherever they stand in a text. What is no value is no use; a name that goes on as `{{…}}` is
 * calculated. Texts can be long, and whoever publishes writes them, so no part of a pattern may be tried twice.
 */
const NAMED = /(?<![\w.$-])values\s*\.\s*([\w$-]+)(?:\s*\.\s*([\w$-]+)(?![\w$-])(?!\s*(?:\.\s*)?\{\{))?/g;
/** Values whose name is calculated: `values[…]`, `values.{{…}}`, `values.pri{{…}}`, or all of them. */
const CALCULATED = /(?<![\w.$-])values(?:\s*\.\s*[\w$-]*\{\{|(?!\s*[.(\w$-]))/;

export function usesOf(written: JsonObject, definitions: Definitions): Uses {
  const found = new Found(definitions);
  found.logic(normalise(written).definition, null);
  return found.uses();
}

class Found {
  readonly #definitions: Definitions;
  readonly #values = new Map<string, ValueUse>();
  readonly #called = new Map<string, LogicUse>();
  readonly #collections = new Map<string, LogicUse>();
  readonly #seen = new Set<string>();
  #readsAll = false;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  uses(): Uses {
    // A group of which all may be read is named once.
    const values = [...this.#values.values()].filter(({ id, entry }) => entry === null || !this.#values.has(id));
    return { values, others: [...this.#called.values(), ...this.#collections.values()] };
  }

  /** `library`: whose block it is; blocks of one library call each other by their names alone. */
  logic(definition: Json, library: string | null): void {
    this.#look(definition);
    for (const name of calledBy(definition)) this.#call(name, library);
  }

  #call(name: string, library: string | null): void {
    const [workflow, endpoint] = [this.#definitions.workflow(name), this.#definitions.endpoint(name)];
    if (workflow !== undefined) this.#enter({ kind: 'workflow', id: workflow.id }, workflow.definition);
    else if (endpoint?.internal === true) this.#enter({ kind: 'endpoint', id: endpoint.id }, endpoint.definition);
    else if (name.includes('.')) this.#block(name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1));
    else if (library !== null) this.#block(library, name);
  }

  #block(id: string, name: string): void {
    const library = this.#definitions.library(id);
    const held = library ?? this.#definitions.workflow(id);
    if (held === undefined) return;
    const block = member(objectOf(normalise(held.definition).definition.blocks), name) ?? null;
    this.#called.set(`library ${id}`, { kind: library === undefined ? 'workflow' : 'library', id });
    if (this.#isNew(`block ${id}.${name}`)) this.logic(block, id);
  }

  #enter(use: LogicUse, definition: JsonObject): void {
    this.#called.set(`${use.kind} ${use.id}`, use);
    if (this.#isNew(`${use.kind} ${use.id}`)) this.logic(normalise(definition).definition, null);
  }

  #isNew(name: string): boolean {
    const isNew = !this.#seen.has(name);
    this.#seen.add(name);
    return isNew;
  }

  #look(json: Json): void {
    if (typeof json === 'string') this.#text(json);
    else if (isArray(json)) for (const item of json) this.#look(item);
    else if (isObject(json)) {
      this.#step(json);
      for (const [name, value] of Object.entries(json)) {
        if (PROSE.has(name)) continue;
        this.#text(name);
        this.#look(value);
      }
    }
  }

  #step({ source, table, collection }: JsonObject): void {
    if (source === 'values') {
      const id = isText(table) ? table : collection;
      if (isText(id)) this.#value(id, undefined);
    } else if (isText(collection) && !isTemplated(collection)) {
      const found = this.#definitions.collection(collection);
      if (found !== undefined) this.#collections.set(found.id, { kind: 'collection', id: found.id });
    }
  }

  #text(text: string): void {
    for (const [, id = '', entry] of text.matchAll(NAMED)) this.#value(id, entry);
    if (this.#readsAll) return;
    const isCalculated = CALCULATED.test(text) && (text.trim() === 'values' || /^\s*values\s*\[/.test(text) || inTokens(text));
    if (!isCalculated) return;
    this.#readsAll = true;
    for (const id of Object.keys(this.#definitions.values.values)) this.#value(id, undefined);
  }

  /** A part of a table is no entry: a row has no name. */
  #value(id: string, entry: string | undefined): void {
    const value = member(this.#definitions.values.values, id);
    if (value === undefined) return;
    const isEntry = entry !== undefined && isObject(value) && Object.hasOwn(value, entry);
    this.#values.set(isEntry ? `${id}.${entry}` : id, { id, entry: isEntry ? entry : null });
  }
}

function inTokens(text: string): boolean {
  return findTokens(text).some(({ start, end }) => CALCULATED.test(text.slice(start + 2, end - 2)));
}
