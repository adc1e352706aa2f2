import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { objectOf, stringOf } from '../../../kernel/json-read.ts';
import type { EffectiveDefinitions, LibraryModel, QueryModel } from '../../model.ts';

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

/** How a name is looked for. */
interface Wanted {
  /** Whether a text is what is looked for. */
  fits(text: string): boolean;
  /** Whether a dot leads into something: `group.entry`, `library.block`. */
  readonly isWithin: boolean;
}

/** Rows of all tables that are looked at: a name of a row beyond is not found. */
const ROWS = 20_000;
/** Members by which a row is called. */
const ROW_NAMES = ['id', 'key', 'name'];
/** Parts of one group or table, and of one kind, that are told. */
const TOLD = 5;

/** All that has this id or name, in any letter case. */
export function called(held: string): Wanted {
  const wanted = held.toLowerCase();
  return { fits: (text) => text.length === wanted.length && text.toLowerCase() === wanted, isWithin: wanted.includes('.') };
}

/** All that has an id or name in which a word begins so, in any letter case. */
export function beginning(typed: string): Wanted {
  const wanted = typed.toLowerCase();
  const fits = (text: string) => {
    const at = text.toLowerCase().indexOf(wanted);
    return at === 0 || (at > 0 && WORD_END.test(text[at - 1] ?? ''));
  };
  return { fits, isWithin: wanted.includes('.') };
}

const WORD_END = /[^\p{L}\p{N}]/u;

/** What is called so, from collections to rules. `values`: groups and tables as the values route answers whoever asks. */
export function definitionsNamed(definitions: EffectiveDefinitions, values: JsonObject, wanted: Wanted): readonly NamedDefinition[] {
  const { fits } = wanted;
  const of = <Model extends { readonly id: string }>(
    kind: NamedDefinition['kind'],
    models: readonly Model[],
    nameOf: (model: Model) => string | undefined,
  ) => models.filter((model) => fits(model.id) || fits(nameOf(model) ?? '')).map((model) => named(kind, model.id, nameOf(model)));
  const written = ({ definition }: { readonly definition: { readonly name?: Json | undefined } }) => stringOf(definition.name);
  const endpoints = definitions.endpoints.filter((model) => [model.id, model.slug, written(model) ?? ''].some(fits));
  const kinds: readonly (readonly NamedDefinition[])[] = [
    of('collection', definitions.collections, ({ name }) => name),
    endpoints.map((model) => named('endpoint', model.id, model.slug === model.id ? written(model) : model.slug)),
    of('workflow', definitions.workflows, written),
    of('library', definitions.libraries, written),
    definitions.libraries.flatMap((library) => blocksNamed(library, wanted)),
    of('board', definitions.queries.filter(isBoard), ({ name }) => name),
    of(
      'query',
      definitions.queries.filter((query) => !isBoard(query)),
      ({ name }) => name,
    ),
    valuesNamed(values, wanted),
    rulesNamed(definitions, fits),
  ];
  return kinds.flatMap((each) => each.slice(0, TOLD));
}

function isBoard({ type }: QueryModel): boolean {
  return type === 'leaderboard';
}

function named(kind: NamedDefinition['kind'], id: string, name: string | undefined): NamedDefinition {
  return { kind, id, ...(name === undefined || name === id ? {} : { called: name }) };
}

function blocksNamed({ id, definition }: LibraryModel, wanted: Wanted): readonly NamedDefinition[] {
  const blocks = Object.keys(objectOf(definition.blocks)).filter((block) => fitsPart(wanted, id, block));
  return blocks.map((part): NamedDefinition => ({ kind: 'library', id, part }));
}

/** By its own name, and by what it is in. */
function fitsPart({ fits, isWithin }: Wanted, id: string, part: string): boolean {
  return fits(part) || (isWithin && fits(`${id}.${part}`));
}

function rulesNamed({ rules, collections }: EffectiveDefinitions, fits: (text: string) => boolean): readonly NamedDefinition[] {
  const isOfField = (collection: string, exact: boolean) => exact && collections.some(({ id }) => id === collection);
  return rules
    .filter(({ id, name }) => fits(id) || fits(name))
    .map(({ id, name, collection, exact, field }) =>
      id.startsWith('@') && isOfField(collection, exact) ? { kind: 'rule', id: collection, part: field } : named('rule', id, name),
    );
}

/** Groups and tables by id or name; entries and rows by their own name, and by `group.entry`. */
function valuesNamed(values: JsonObject, wanted: Wanted): readonly NamedDefinition[] {
  const whole: NamedDefinition[] = [];
  const parts: NamedDefinition[] = [];
  let rows = 0;
  for (const [id, each] of [...Object.entries(objectOf(values['groups'])), ...Object.entries(objectOf(values['tables']))]) {
    const value = objectOf(each);
    const name = stringOf(value['name']);
    if (wanted.fits(id) || wanted.fits(name ?? '')) whole.push(named('value', id, name));
    if (parts.length >= TOLD) continue;
    const list = isArray(value['rows']) ? value['rows'].slice(0, ROWS - rows) : null;
    rows += list?.length ?? 0;
    const names = list === null ? Object.keys(objectOf(value['values'])) : list.flatMap(namesOfRow);
    const fitting = [...new Set(names.filter((part) => fitsPart(wanted, id, part)))];
    parts.push(...fitting.slice(0, TOLD).map((part): NamedDefinition => ({ kind: 'value', id, part })));
  }
  return [...whole, ...parts];
}

function namesOfRow(row: Json): readonly string[] {
  if (!isObject(row)) return [];
  return ROW_NAMES.map((name) => row[name]).filter((text) => typeof text === 'string');
}
