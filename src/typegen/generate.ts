import type { CollectionModel, EffectiveDefinitions, EndpointModel, QueryModel } from '../domain/definition/model.ts';
import { stringOf } from '../domain/definition/read.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { type EndpointTypes, endpointTypes } from './endpoint-types.ts';
import { interfaceNames } from './interface-names.ts';
import { block, docstring, nameText, printObject, printType, quoted } from './print.ts';
import { rowType } from './query-types.ts';
import { type DocumentTypes, documentTypes } from './schema-types.ts';
import type { ObjectType } from './type.ts';
import { type ValuesTypes, valuesTypes } from './values-types.ts';

/**
 * TypeScript of what a game's definitions say, for `createClient<Game>()`. Pure: the same definitions give the same text, wherever they come
 * from. What cannot be known of an answer is `unknown`.
 */
export function generateTypes(definitions: EffectiveDefinitions): string {
  const collections = definitions.collections.map((model) => typed(definitions, model)).sort(byId);
  const names = interfaceNames(collections.map(({ model }) => model.id));
  const documents = new Map(collections.map(({ model, types }) => [model.id, { ...types.read, name: names.get(model.id)?.read ?? '' }]));
  const values = valuesTypes(definitions.values);
  const endpoints = definitions.endpoints.filter(isCallable).sort((a, b) => (a.slug < b.slug ? -1 : 1));
  const documentsOf = (id: string) => documents.get(definitions.collection(id)?.id ?? '') ?? null;
  const queries = [...definitions.queries].sort((a, b) => (a.id < b.id ? -1 : 1));
  const game = [
    `readonly documents: ${members(collections.map(({ model }) => `readonly ${nameText(model.id)}: ${names.get(model.id)?.read};`))};`,
    `/** What \`save\` takes: fields with a default may be left out. */\n  readonly saves: ${members(
      collections.map(({ model }) => `readonly ${nameText(model.id)}: ${names.get(model.id)?.save};`),
    )};`,
    `readonly endpoints: ${members(endpoints.map((each) => endpointText(each, endpointTypes(definitions, documents, values.seen, each))))};`,
    `/** The rows of leaderboards; \`never\`, of queries without rows. */\n  readonly queries: ${members(
      queries.map((query) => queryText(query, printType(rowType(query, documentsOf, values.seen), 2))),
    )};`,
    ...valuesText(values),
  ];
  const interfaces = collections.flatMap(({ model, types }) => interfacesOf(model, types, names.get(model.id) ?? { read: '', save: '' }));
  return `${[HEADER, `${GAME}${block(game, 0)}`, ...interfaces].join('\n\n')}\n`;
}

const HEADER = `/**
 * The types of a game, made from its definitions by \`savepoint types\`. Do not edit: the next run writes it anew.
 */`;

const GAME = '/** What `createClient<Game>()` knows of the game. */\nexport interface Game ';

interface Typed {
  readonly model: CollectionModel;
  readonly types: DocumentTypes;
}

function typed(definitions: EffectiveDefinitions, model: CollectionModel): Typed {
  return { model, types: documentTypes(model, writtenBySteps(definitions).has(model.id)) };
}

function byId(a: Typed, b: Typed): number {
  return a.model.id < b.model.id ? -1 : 1;
}

const written = new WeakMap<EffectiveDefinitions, ReadonlySet<string>>();

/** Collections that a step of any definition writes. */
function writtenBySteps(definitions: EffectiveDefinitions): ReadonlySet<string> {
  const known = written.get(definitions);
  if (known !== undefined) return known;
  const found = new Set<string>();
  const look = (json: Json): void => {
    if (isArray(json)) for (const item of json) look(item);
    if (!isObject(json)) return;
    const { type, collection } = json;
    const id = type === 'write' ? definitions.collection(stringOf(collection) ?? '')?.id : undefined;
    if (id !== undefined) found.add(id);
    for (const value of Object.values(json)) look(value);
  };
  for (const { definition } of [...definitions.endpoints, ...definitions.workflows, ...definitions.libraries])
    look(definition as JsonObject);
  written.set(definitions, found);
  return found;
}

/** Whether a game or a server may call it. */
function isCallable({ enabled, deprecated, internal }: EndpointModel): boolean {
  return enabled && !deprecated && !internal;
}

function members(lines: readonly string[]): string {
  return lines.length === 0 ? 'Record<never, never>' : block(lines, 1);
}

function interfacesOf(
  { definition, name }: CollectionModel,
  { read, save }: DocumentTypes,
  names: { read: string; save: string },
): string[] {
  const about = stringOf(definition.description) ?? `A document of \`${name}\`.`;
  return [
    `${docstring(about, 0)}export interface ${names.read} ${interfaceBody(read)}`,
    `${docstring(`What a save of one takes.`, 0)}export interface ${names.save} ${interfaceBody(save)}`,
  ];
}

function interfaceBody(type: ObjectType): string {
  const text = printObject(type, 0);
  return text.includes('\n') ? text : block([`${text.slice(2, -2)};`], 0);
}

function endpointText(model: EndpointModel, types: EndpointTypes): string {
  const lines = [
    `readonly input: ${printObject(types.input, 3)};`,
    `readonly answer: ${printType(types.answer, 3)};`,
    `readonly refusals:${refusalsText(types)};`,
  ];
  return `${docstring(aboutEndpoint(model, types), 2)}readonly ${nameText(model.slug)}: ${block(lines, 2)};`;
}

function aboutEndpoint({ definition, requiresSecretKey }: EndpointModel, { failures }: EndpointTypes): string {
  const lines = [
    stringOf(definition.description),
    requiresSecretKey ? 'For dedicated servers only.' : undefined,
    `The server itself may refuse it with ${failures.join(', ')}, and as every request.`,
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

/** Each code under what its author says there. */
function refusalsText({ refusals, hasOthers }: EndpointTypes): string {
  if (hasOthers) return ' string';
  if (refusals.size === 0) return ' never';
  const cases = [...refusals].map(([code, said]) => {
    const about = said === null ? undefined : `${said.status}${said.message === undefined ? '' : `: ${said.message}`}`;
    return `\n        ${docstring(about, 4)}| ${quoted(code)}`;
  });
  return cases.join('');
}

function queryText({ id, definition, requiresSecretKey }: QueryModel, row: string): string {
  const lines = [stringOf(definition.description), requiresSecretKey ? 'For dedicated servers only.' : undefined];
  return `${docstring(lines.filter((line) => line !== undefined).join('\n'), 2)}readonly ${nameText(id)}: ${row};`;
}

function valuesText({ constants, tables }: ValuesTypes): readonly string[] {
  const text = (type: ObjectType) => (type.members.size === 0 ? 'Record<never, never>' : printObject(type, 1));
  return [`readonly values: ${text(constants)};`, `/** The rows of each table. */\n  readonly tables: ${text(tables)};`];
}
