import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { objectOf, stringOf } from '../../../kernel/json-read.ts';
import type { EffectiveDefinitions, QueryModel } from '../../model.ts';

/** What of a game is called so: definitions, values and their parts, rules. */

export interface NamedDefinition {
  readonly kind: 'collection' | 'endpoint' | 'workflow' | 'library' | 'board' | 'query' | 'value' | 'rule';
  /** Of a value, its group or table; of a field's own limit, its collection. */
  readonly id: string;
  /** What people call it, where that is something else. */
  readonly called?: string;
  /** The block of a library, the entry of a group, the row of a table, the field of a limit. */
  readonly part?: string;
}

/** Rows of all tables that are looked at: a name of a row beyond is not found. */
const ROWS = 50_000;
/** Members by which a row is called. */
const ROW_NAMES = ['id', 'key', 'name'];
/** Parts of one group or table, and of one kind, that are told. */
const TOLD = 5;

/**
 * All that has this id or name, in any letter case, from collections to rules. A dot leads into it: `group.entry`, `library.block`. `values`: groups and tables
 * as the values route answers whoever asks.
 */
export function definitionsNamed(definitions: EffectiveDefinitions, values: JsonObject, held: string): readonly NamedDefinition[] {
  const wanted = held.toLowerCase();
  const isSo = (text: string) => text.toLowerCase() === wanted;
  const of = <Model extends { readonly id: string }>(
    kind: NamedDefinition['kind'],
    models: readonly Model[],
    nameOf: (model: Model) => string | undefined,
  ) => models.filter((model) => isSo(model.id) || isSo(nameOf(model) ?? '')).map((model) => named(kind, model.id, nameOf(model)));
  const written = ({ definition }: { readonly definition: { readonly name?: Json | undefined } }) => stringOf(definition.name);
  const endpoints = definitions.endpoints.filter((model) => [model.id, model.slug, written(model) ?? ''].some(isSo));
  const kinds: readonly (readonly NamedDefinition[])[] = [
    of('collection', definitions.collections, ({ name }) => name),
    endpoints.map((model) => named('endpoint', model.id, model.slug === model.id ? written(model) : model.slug)),
    of('workflow', definitions.workflows, written),
    of('library', definitions.libraries, written),
    blocksNamed(definitions, held),
    of('board', definitions.queries.filter(isBoard), ({ name }) => name),
    of(
      'query',
      definitions.queries.filter((query) => !isBoard(query)),
      ({ name }) => name,
    ),
    valuesNamed(values, wanted),
    rulesNamed(definitions, isSo),
  ];
  return kinds.flatMap((each) => each.slice(0, TOLD));
}

function isBoard({ type }: QueryModel): boolean {
  return type === 'leaderboard';
}

function named(kind: NamedDefinition['kind'], id: string, name: string | undefined): NamedDefinition {
  return { kind, id, ...(name === undefined || name === id ? {} : { called: name }) };
}

function blocksNamed({ libraries }: EffectiveDefinitions, held: string): readonly NamedDefinition[] {
  const dot = held.indexOf('.');
  const [id, part] = [held.slice(0, dot), held.slice(dot + 1)];
  const has = dot > 0 && libraries.some((each) => each.id === id && Object.hasOwn(objectOf(each.definition.blocks), part));
  return has ? [{ kind: 'library', id, part }] : [];
}

function rulesNamed({ rules, collections }: EffectiveDefinitions, isSo: (text: string) => boolean): readonly NamedDefinition[] {
  const isOfField = (collection: string, exact: boolean) => exact && collections.some(({ id }) => id === collection);
  return rules
    .filter(({ id, name }) => isSo(id) || isSo(name))
    .map(({ id, name, collection, exact, field }) =>
      id.startsWith('@') && isOfField(collection, exact) ? { kind: 'rule', id: collection, part: field } : named('rule', id, name),
    );
}

/** Groups and tables by id or name; entries and rows by `group.entry`, and by their own name. */
function valuesNamed(values: JsonObject, wanted: string): readonly NamedDefinition[] {
  const found: NamedDefinition[] = [];
  let rows = 0;
  for (const [id, each] of [...Object.entries(objectOf(values['groups'])), ...Object.entries(objectOf(values['tables']))]) {
    const value = objectOf(each);
    const name = stringOf(value['name']);
    if ([id, name].some((text) => text?.toLowerCase() === wanted)) found.push(named('value', id, name));
    const own = wanted.startsWith(`${id.toLowerCase()}.`) ? wanted.slice(id.length + 1) : wanted;
    const list = isArray(value['rows']) ? value['rows'].slice(0, ROWS - rows) : [];
    rows += list.length;
    const parts = isArray(value['rows'])
      ? list.flatMap((row) => rowCalled(row, own))
      : Object.keys(objectOf(value['values'])).filter((entry) => entry.toLowerCase() === own);
    found.push(...[...new Set(parts)].slice(0, TOLD).map((part): NamedDefinition => ({ kind: 'value', id, part })));
  }
  return found;
}

function rowCalled(row: Json, wanted: string): readonly string[] {
  if (!isObject(row)) return [];
  const called = ROW_NAMES.map((name) => row[name]).find((text) => typeof text === 'string' && text.toLowerCase() === wanted);
  return typeof called === 'string' ? [called] : [];
}
