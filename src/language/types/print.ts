import { isNever, type Member, mayBe, type ObjectType, partsOf, type Type, union, without } from './type.ts';

/** Prints types as TypeScript, as a person would write them. */

const INDENT = '  ';
/** Longer types are broken over lines. */
const WIDTH = 120;

/** `depth`: how many levels deep it is nested. */
export function printType(type: Type, depth: number): string {
  const parts = [...partsOf(type)].sort((a, b) => precedenceOf(a) - precedenceOf(b));
  if (parts.length === 0) return 'never';
  return parts.map((part) => printPart(part, depth)).join(' | ');
}

/** The order in a union: null comes last. */
function precedenceOf({ kind }: Type): number {
  return kind === 'null' ? 1 : kind === 'missing' ? 2 : 0;
}

function printPart(part: Type, depth: number): string {
  switch (part.kind) {
    case 'literal':
      return typeof part.value === 'string' ? quoted(part.value) : String(part.value);
    case 'list':
      return printList(part.item, depth);
    case 'object':
      return part.name ?? printObject(part, depth);
    case 'missing':
      return 'undefined';
    default:
      return part.kind === 'union' ? printType(part, depth) : part.kind;
  }
}

/** Prints a list. The items of an always empty list are unknown. */
function printList(item: Type, depth: number): string {
  if (isNever(item)) return 'readonly unknown[]';
  const text = printType(item, depth);
  return partsOf(item).length > 1 || item.kind === 'list' ? `readonly (${text})[]` : `readonly ${text}[]`;
}

export function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

/** The body of an interface or a type literal. */
export function printObject(type: ObjectType, depth: number): string {
  const lines = [...type.members].map(([name, member]) => printMember(name, member, depth + 1));
  const others = restOf(type);
  if (others !== null) lines.push(`readonly [name: string]: ${printType(others, depth + 1)};`);
  const inline = `{ ${lines.join(' ').replace(/;$/, '')} }`;
  const fits = lines.every((line) => !line.includes('\n')) && inline.length + depth * INDENT.length <= WIDTH;
  if (fits && lines.length > 0) return inline;
  return block(lines, depth);
}

/** Lines between braces. */
export function block(lines: readonly string[], depth: number): string {
  const inner = INDENT.repeat(depth + 1);
  return `{\n${lines.map((line) => `${inner}${line}\n`).join('')}${INDENT.repeat(depth)}}`;
}

/** The type of unnamed members. TypeScript demands that it includes the types of the named ones. */
function restOf({ members, rest, open }: ObjectType): Type | null {
  if (rest === null) return members.size > 0 ? null : open ? { kind: 'unknown' } : union();
  return union(rest, ...[...members.values()].map(({ type }) => type), { kind: 'missing' });
}

function printMember(name: string, { type, about }: Member, depth: number): string {
  const mark = mayBe(type, 'missing') || type.kind === 'unknown' ? '?' : '';
  return `${docstring(about, depth)}readonly ${nameText(name)}${mark}: ${printType(without(type, 'missing'), depth)};`;
}

export function nameText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** A comment before what follows it; empty without a text. */
export function docstring(about: string | undefined, depth: number): string {
  if (about === undefined || about.trim() === '') return '';
  const lines = about
    .replaceAll('*/', '*\\/')
    .split('\n')
    .map((line) => line.trimEnd());
  const indent = INDENT.repeat(depth);
  if (lines.length === 1) return `/** ${lines[0]} */\n${indent}`;
  return `/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n${indent}`;
}
