import type { EffectiveDefinitions } from '../../domain/model.ts';
import { stringOf } from '../../kernel/json-read.ts';
import type { EndpointTypes } from './endpoint-types.ts';
import { type TypedCollection, type TypedEndpoint, type TypedQuery, typesOfGame } from './game-types.ts';
import { block, docstring, nameText, printObject, printType, quoted } from './print.ts';
import type { ObjectType } from './type.ts';
import type { ValuesTypes } from './values-types.ts';

/**
 * Generates TypeScript types of a game's definitions, for `createClient<Game>()`. The same definitions give the same text, wherever they
 * come from. A type that cannot be determined is `unknown`.
 */
export function generateTypes(definitions: EffectiveDefinitions): string {
  const { collections, endpoints, queries, values } = typesOfGame(definitions);
  const game = [
    `readonly documents: ${members(collections.map(({ model, names }) => `readonly ${nameText(model.id)}: ${names.read};`))};`,
    `${docstring('What `save` takes: fields with a default may be left out.', 1)}readonly saves: ${members(
      collections.map(({ model, names }) => `readonly ${nameText(model.id)}: ${names.save};`),
    )};`,
    `readonly endpoints: ${members(endpoints.map(endpointText))};`,
    `${docstring('The rows of leaderboards; `never`, of queries without rows.', 1)}readonly queries: ${members(queries.map(queryText))};`,
    ...valuesText(values),
  ];
  return `${[HEADER, `${GAME}${block(game, 0)}`, ...collections.flatMap(interfacesOf)].join('\n\n')}\n`;
}

const HEADER = `/**
 * The types of a game, made from its definitions by \`savepoint types\`. Do not edit: the next run writes it anew.
 */`;

const GAME = '/** What `createClient<Game>()` knows of the game. */\nexport interface Game ';

function members(lines: readonly string[]): string {
  return lines.length === 0 ? 'Record<never, never>' : block(lines, 1);
}

function interfacesOf({ model: { definition, name }, types: { read, save }, names }: TypedCollection): string[] {
  const about = stringOf(definition.description) ?? `A document of \`${name}\`.`;
  return [
    `${docstring(about, 0)}export interface ${names.read} ${interfaceBody(read)}`,
    `${docstring('What a save of one takes.', 0)}export interface ${names.save} ${interfaceBody(save)}`,
  ];
}

function interfaceBody(type: ObjectType): string {
  const text = printObject(type, 0);
  return text.includes('\n') ? text : block([`${text.slice(2, -2)};`], 0);
}

function endpointText({ model, types }: TypedEndpoint): string {
  const lines = [
    `readonly input: ${printObject(types.input, 3)};`,
    `readonly answer: ${printType(types.answer, 3)};`,
    `readonly refusals:${refusalsText(types)};`,
  ];
  return `${docstring(aboutEndpoint({ model, types }), 2)}readonly ${nameText(model.slug)}: ${block(lines, 2)};`;
}

function aboutEndpoint({ model: { definition, requiresSecretKey }, types: { failures } }: TypedEndpoint): string {
  const lines = [
    stringOf(definition.description),
    requiresSecretKey ? 'For dedicated servers only.' : undefined,
    `The server itself may refuse it with ${failures.join(', ')}, and as every request.`,
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

/** Each code with its author's message as a comment. */
function refusalsText({ refusals, hasOthers }: EndpointTypes): string {
  if (hasOthers) return ' string';
  if (refusals.size === 0) return ' never';
  const cases = [...refusals].map(([code, said]) => {
    const about = said === null ? undefined : `${said.status}${said.message === undefined ? '' : `: ${said.message}`}`;
    return `\n        ${docstring(about, 4)}| ${quoted(code)}`;
  });
  return cases.join('');
}

function queryText({ model: { id, definition, requiresSecretKey }, row }: TypedQuery): string {
  const lines = [stringOf(definition.description), requiresSecretKey ? 'For dedicated servers only.' : undefined];
  return `${docstring(lines.filter((line) => line !== undefined).join('\n'), 2)}readonly ${nameText(id)}: ${printType(row, 2)};`;
}

function valuesText({ constants, tables }: ValuesTypes): readonly string[] {
  const text = (type: ObjectType) => (type.members.size === 0 ? 'Record<never, never>' : printObject(type, 1));
  return [`readonly values: ${text(constants)};`, `${docstring('The rows of each table.', 1)}readonly tables: ${text(tables)};`];
}
