import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { objectOf, stringOf } from '../../../kernel/json-read.ts';
import type { EffectiveDefinitions, LibraryModel, QueryModel } from '../../model.ts';

/** What of a game is called so: definitions, values and their parts, rules, saved tests. */

export interface NamedDefinition {
  readonly kind: 'collection' | 'endpoint' | 'workflow' | 'library' | 'board' | 'query' | 'value' | 'rule' | 'test';
  /** Of a value, its group or table; of a field's own limit, its collection. */
  readonly id: string;
  /** What people call it, where that is something else. */
  readonly called?: string;
  /** Of game values, which of them; of a part, what it is. */
  readonly what?: 'group' | 'table' | 'entry' | 'row' | 'column' | 'block' | 'field';
  /** The block of a library, the entry of a group, the row or column of a table, the field of a limit. */
  readonly part?: string;
}

/** How well a name fits what is looked for: it is the same (0), begins so (1), has a word that begins so (2), or has it anywhere (3). */
export type Fit = 0 | 1 | 2 | 3;

export interface Fitting extends NamedDefinition {
  readonly fit: Fit;
}

/** How a name is looked for. */
interface Wanted {
  /** `null`: a text does not fit. */
  fitOf(text: string): Fit | null;
  /** Whether a dot leads into something: `group.entry`, `library.block`. */
  readonly isWithin: boolean;
}

/** What may have a name. */
export interface Nameable {
  readonly definitions: EffectiveDefinitions;
  /** Groups and tables as the values route answers whoever asks. */
  readonly values: JsonObject;
  readonly tests: readonly JsonObject[];
}

/** Rows of all tables that are looked at: a name of a row beyond is not found. */
const ROWS = 20_000;
/** Members by which a row or a column is called. */
const OWN_NAMES = ['name', 'title', 'label', 'id', 'key'];

/** All whose id or name has this in it, in any letter case. */
export function holding(typed: string): Wanted {
  const wanted = typed.toLowerCase();
  const fitOf = (text: string): Fit | null => {
    if (text.length < wanted.length) return null;
    const lower = text.toLowerCase();
    const at = lower.indexOf(wanted);
    if (at < 0) return null;
    if (at === 0) return lower.length === wanted.length ? 0 : 1;
    return beginsWord(lower, wanted, at) ? 2 : 3;
  };
  return { fitOf, isWithin: wanted.includes('.') };
}

const IN_WORD = /[\p{L}\p{N}]/u;

/** Whether a word of a text begins so: at this place, or at a later one. */
function beginsWord(text: string, wanted: string, first: number): boolean {
  for (let at = first; at > 0; at = text.indexOf(wanted, at + 1)) if (!IN_WORD.test(text[at - 1] ?? '')) return true;
  return false;
}

/** What is called so, what fits best first. Of rows that fit alike no more than `most` are told. */
export function definitionsNamed({ definitions, values, tests }: Nameable, wanted: Wanted, most: number): readonly Fitting[] {
  const of = <Model extends { readonly id: string }>(
    kind: NamedDefinition['kind'],
    models: readonly Model[],
    nameOf: (model: Model) => string | undefined,
  ) => models.flatMap((model) => fitting(wanted, [model.id, nameOf(model)], () => named(kind, model.id, nameOf(model))));
  const written = ({ definition }: { readonly definition: { readonly name?: Json | undefined } }) => stringOf(definition.name);
  const endpoints = definitions.endpoints.flatMap((model) =>
    fitting(wanted, [model.id, model.slug, written(model)], () =>
      named('endpoint', model.id, model.slug === model.id ? written(model) : model.slug),
    ),
  );
  return [
    ...of('collection', definitions.collections, ({ name }) => name),
    ...endpoints,
    ...of('workflow', definitions.workflows, written),
    ...of('library', definitions.libraries, written),
    ...definitions.libraries.flatMap((library) => blocksNamed(library, wanted)),
    ...of('board', definitions.queries.filter(isBoard), ({ name }) => name),
    ...of(
      'query',
      definitions.queries.filter((query) => !isBoard(query)),
      ({ name }) => name,
    ),
    ...valuesNamed(values, wanted, most),
    ...rulesNamed(definitions, wanted),
    ...tests.flatMap((test) => testNamed(test, wanted)),
  ].sort((one, other) => one.fit - other.fit);
}

interface Best {
  readonly fit: Fit;
  readonly name: string;
}

/** The name that fits best; `null`: none does. */
function bestOf({ fitOf }: Wanted, names: readonly (string | undefined)[]): Best | null {
  let best: Best | null = null;
  for (const name of names) {
    const fit = name === undefined ? null : fitOf(name);
    if (name !== undefined && fit !== null && (best === null || fit < best.fit)) best = { fit, name };
  }
  return best;
}

/** It, if one of its names fits. */
function fitting(wanted: Wanted, names: readonly (string | undefined)[], made: () => NamedDefinition): readonly Fitting[] {
  const best = bestOf(wanted, names);
  return best === null ? [] : [{ ...made(), fit: best.fit }];
}

function isBoard({ type }: QueryModel): boolean {
  return type === 'leaderboard';
}

function named(kind: NamedDefinition['kind'], id: string, name: string | undefined): NamedDefinition {
  return { kind, id, ...(name === undefined || name === id ? {} : { called: name }) };
}

function blocksNamed({ id, definition }: LibraryModel, wanted: Wanted): readonly Fitting[] {
  return Object.keys(objectOf(definition.blocks)).flatMap((part) => partNamed(wanted, { kind: 'library', id, what: 'block' }, [part]));
}

/** By its own names, and by what it is in. It is called as it is looked for. `isTold`: whether one more that fits so is. */
function partNamed(wanted: Wanted, of: NamedDefinition, names: readonly string[], isTold = (_: Best) => true): readonly Fitting[] {
  const best = bestOf(wanted, names) ?? (wanted.isWithin ? bestWithin(wanted, of.id, names) : null);
  return best === null || !isTold(best) ? [] : [{ ...of, part: best.name, fit: best.fit }];
}

function bestWithin(wanted: Wanted, id: string, names: readonly string[]): Best | null {
  const best = bestOf(
    wanted,
    names.map((name) => `${id}.${name}`),
  );
  return best && { ...best, name: best.name.slice(id.length + 1) };
}

function rulesNamed({ rules, collections }: EffectiveDefinitions, wanted: Wanted): readonly Fitting[] {
  const isOfField = (collection: string, exact: boolean) => exact && collections.some(({ id }) => id === collection);
  return rules.flatMap(({ id, name, collection, exact, field }) =>
    fitting(wanted, [id, name], () =>
      id.startsWith('@') && isOfField(collection, exact)
        ? { kind: 'rule', id: collection, what: 'field', part: field }
        : named('rule', id, name),
    ),
  );
}

function testNamed(test: JsonObject, wanted: Wanted): readonly Fitting[] {
  const [id, name] = [stringOf(test['id']), stringOf(test['name'])];
  return id === undefined ? [] : fitting(wanted, [id, name], () => named('test', id, name));
}

/** Groups and tables by id or name; entries, columns and rows by their own names, and by `group.entry`. */
function valuesNamed(values: JsonObject, wanted: Wanted, most: number): readonly Fitting[] {
  const counts = [0, 0, 0, 0];
  /** Rows that are called alike are told once. */
  const isTold = (seen: Set<string>, { fit, name }: Best) => {
    if (seen.has(name)) return false;
    seen.add(name);
    const count = (counts[fit] ?? 0) + 1;
    counts[fit] = count;
    return count <= most;
  };
  const groups = Object.entries(objectOf(values['groups'])).flatMap(([id, each]) => {
    const group = objectOf(each);
    const entries = Object.keys(objectOf(group['values']));
    return [
      ...wholeNamed(wanted, id, 'group', group),
      ...entries.flatMap((entry) => partNamed(wanted, { kind: 'value', id, what: 'entry' }, [entry])),
    ];
  });
  let rows = 0;
  const tables = Object.entries(objectOf(values['tables'])).flatMap(([id, each]) => {
    const table = objectOf(each);
    const [columns, all] = [listIn(table, 'columns'), listIn(table, 'rows')];
    const looked = all.slice(0, ROWS - rows);
    rows += looked.length;
    const seen = new Set<string>();
    return [
      ...wholeNamed(wanted, id, 'table', table),
      ...columns.flatMap((column) => partNamed(wanted, { kind: 'value', id, what: 'column' }, namesOf(column))),
      ...looked.flatMap((row) => partNamed(wanted, { kind: 'value', id, what: 'row' }, namesOf(row), (best) => isTold(seen, best))),
    ];
  });
  return [...groups, ...tables];
}

function wholeNamed(wanted: Wanted, id: string, what: 'group' | 'table', value: JsonObject): readonly Fitting[] {
  const name = stringOf(value['name']);
  return fitting(wanted, [id, name], () => ({ ...named('value', id, name), what }));
}

function listIn(table: JsonObject, member: string): readonly Json[] {
  const list = table[member];
  return isArray(list) ? list : [];
}

/** Of a row that names itself by none of them, its first text. */
function namesOf(item: Json): readonly string[] {
  if (typeof item === 'string') return [item];
  if (!isObject(item)) return [];
  const own = OWN_NAMES.map((name) => item[name]).filter((text) => typeof text === 'string');
  return own.length > 0
    ? own
    : Object.values(item)
        .filter((text) => typeof text === 'string')
        .slice(0, 1);
}
