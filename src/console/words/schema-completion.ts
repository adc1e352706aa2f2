import { pointerNames } from './pointer.ts';

/** What may be written at a place of a source, by the JSON Schema of its kind. */

export type Schema = Readonly<Record<string, unknown>>;

export interface SourcePlace {
  /** Names of members on the way; `[]` stands for an item of a list. */
  readonly path: readonly string[];
  /** The member whose value is written; `null`: a name is. */
  readonly member: string | null;
  /** What is written already. */
  readonly word: string;
  /** Whether a quote stands before it. */
  readonly isQuoted: boolean;
  /** Members beside it, with their values where these stand on the line. */
  readonly beside: Readonly<Record<string, string>>;
}

interface Named {
  readonly dash: number | null;
  readonly column: number;
  readonly name: string;
  readonly value: string;
}

const NAMED = /^( *)((?:- +)*)(["']?)([\w$.-]+)\3 *:(?: +(.*))?$/;
const NAME = /^( *)((?:- +)*)([\w$.-]*)$/;
const VALUE = /^( *)((?:- +)*)([\w$.-]+) *: +(["']?[\w$.-]*)$/;

/** Where the end of `text` is; `null`: in a place that is not known, such as a list on one line. */
export function yamlPlaceAt(text: string, rest = ''): SourcePlace | null {
  const lines = text.split('\n');
  const line = lines.pop() ?? '';
  const [name, value] = [NAME.exec(line), VALUE.exec(line)];
  const found = name ?? value;
  if (found === null) return null;
  const [, spaces = '', dashes = '', word = '', typed = ''] = found;
  const column = spaces.length + dashes.length;
  const dash = dashes === '' ? null : spaces.length;
  const { path, beside } = wayUp(lines, column, dash);
  const below = besideBelow(rest.split('\n').slice(1), column);
  const own = value === null ? {} : { [word]: typed };
  return {
    path,
    member: value === null ? null : word,
    word: value === null ? word : typed.replace(/^["']/, ''),
    isQuoted: /^["']/.test(typed),
    beside: { ...beside, ...below, ...own },
  };
}

function namedIn(line: string): Named | null {
  const found = NAMED.exec(line.replace(/ +#.*$/, ''));
  if (found === null) return null;
  const [, spaces = '', dashes = '', , name = '', value = ''] = found;
  return {
    dash: dashes === '' ? null : spaces.length,
    column: spaces.length + dashes.length,
    name,
    value: value.trim().replace(/^["']|["']$/g, ''),
  };
}

/** The members on the way to a column, from below, and those beside it. */
function wayUp(lines: readonly string[], column: number, dash: number | null) {
  const path: string[] = [];
  const beside: Record<string, string> = {};
  let level = column;
  // In an item of a list: what holds the list is not deeper than its dash.
  let list = dash;
  if (list !== null) path.unshift('[]');
  for (const line of [...lines].reverse()) {
    const named = namedIn(line);
    if (named === null) continue;
    if (list !== null) {
      if (named.column > list) continue;
      path.unshift(named.name);
      [level, list] = [named.column, named.dash];
    } else if (named.column === level) {
      if (path.length === 0) beside[named.name] = named.value;
      list = named.dash;
    } else if (named.column < level) {
      path.unshift(named.name);
      [level, list] = [named.column, named.dash];
    } else continue;
    if (list !== null) path.unshift('[]');
  }
  return { path, beside };
}

function besideBelow(lines: readonly string[], column: number): Readonly<Record<string, string>> {
  const beside: Record<string, string> = {};
  for (const line of lines) {
    const named = namedIn(line);
    if (line.trim() !== '' && line.search(/\S/) < column) break;
    if (named !== null && named.column === column && named.dash === null) beside[named.name] = named.value;
  }
  return beside;
}

export interface Proposal {
  readonly label: string;
  /** As JSON writes it. */
  readonly json: string;
  /** What it is of. */
  readonly detail: string;
  readonly info: string;
}

/** What a schema has for a place. */
export function proposalsAt(schema: Schema, { path, member, beside }: SourcePlace): readonly Proposal[] {
  const holders = path.reduce<readonly Schema[]>(
    (found, name) => found.flatMap((each) => memberOf(schema, each, name)),
    expand(schema, schema),
  );
  const fitting = holders.filter((each) => fits(schema, each, beside, member));
  if (member !== null) return valuesOf(fitting.flatMap((each) => memberOf(schema, each, member)));
  const names = new Map<string, Proposal>();
  for (const holder of fitting)
    for (const [name, member] of Object.entries(membersOf(holder))) if (!names.has(name)) names.set(name, proposal(schema, name, member));
  return [...names.values()].filter(({ label }) => !Object.hasOwn(beside, label));
}

/** What is put into a JSON source for a proposal, and how many characters behind the place it replaces. */
export function jsonInsert(
  { member, isQuoted }: SourcePlace,
  { json }: Proposal,
  rest: string,
): { readonly text: string; readonly over: number } {
  const own = isQuoted && json.startsWith('"') ? json.slice(1) : json;
  const over = isQuoted ? (/^[\w$.-]*"/.exec(rest)?.[0].length ?? 0) : 0;
  const isNamed = member !== null || /^\s*:/.test(rest.slice(over));
  return { text: isNamed ? own : `${own}: `, over };
}

/** A schema with its references followed and its alternatives apart. */
function expand(root: Schema, schema: unknown, depth = 0): readonly Schema[] {
  if (typeof schema !== 'object' || schema === null || depth > 12) return [];
  const { $ref, anyOf, oneOf, allOf, ...own }: Schema = schema as Schema;
  const parts = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const referred = typeof $ref === 'string' ? expand(root, referredBy(root, $ref), depth + 1) : [];
  return [own, ...referred, ...parts.flatMap((part) => expand(root, part, depth + 1))];
}

function referredBy(root: Schema, reference: string): unknown {
  return pointerNames(reference).reduce<unknown>((found, name) => (found as Schema | undefined)?.[name], root);
}

function membersOf({ properties }: Schema): Schema {
  return typeof properties === 'object' && properties !== null ? (properties as Schema) : {};
}

function memberOf(root: Schema, holder: Schema, name: string): readonly Schema[] {
  if (name === '[]') return expand(root, holder['items']);
  const members = membersOf(holder);
  return Object.hasOwn(members, name) ? expand(root, members[name]) : expand(root, holder['additionalProperties']);
}

/** Whether what stands beside is what an alternative has, such as the type of a step. */
function fits(root: Schema, holder: Schema, beside: Readonly<Record<string, string>>, member: string | null): boolean {
  return Object.entries(beside).every(([name, value]) => {
    if (name === member || value === '' || !Object.hasOwn(membersOf(holder), name)) return true;
    const allowed = valuesOf(expand(root, membersOf(holder)[name])).map(({ label }) => label);
    return allowed.length === 0 || allowed.includes(value);
  });
}

function valuesOf(schemas: readonly Schema[]): readonly Proposal[] {
  const found = new Map<string, Proposal>();
  for (const { enum: listed, const: only, type, description } of schemas) {
    const values = Array.isArray(listed) ? listed : only !== undefined ? [only] : type === 'boolean' ? [true, false] : [];
    for (const value of values)
      found.set(String(value), { label: String(value), json: JSON.stringify(value), detail: '', info: textOf(description) });
  }
  return [...found.values()];
}

function proposal(root: Schema, name: string, member: unknown): Proposal {
  const parts = expand(root, member);
  const types = [...new Set(parts.flatMap(({ type }) => (typeof type === 'string' ? [type] : [])))];
  const info = parts.map(({ description }) => textOf(description)).find((text) => text !== '') ?? '';
  return { label: name, json: JSON.stringify(name), detail: types.join(' | '), info };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
