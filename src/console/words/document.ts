import { typeOf } from './value.ts';

/** A document as rows: each field with what the schema says of it. */

export interface Row {
  /** Dotted, as operations name it. */
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  /** `undefined`: the schema knows the field, and the document has none. */
  readonly value: unknown;
  readonly type: string;
  /** What the schema says, in words; `null`: it knows no such field. */
  readonly says: string | null;
  /** Whether rows of its members follow. */
  readonly isOpen: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Deeper members stay within the value of their parent. */
const MAX_DEPTH = 4;
/** An object of more members stays one row. */
const MAX_MEMBERS = 60;

export const MAX_ROWS = 400;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The rows of a document, at most `MAX_ROWS`, and how many members the rest has. */
export function rowsOf(document: unknown, schema: unknown): { readonly rows: readonly Row[]; readonly isCut: boolean } {
  const rows: Row[] = [];
  const isCut = !addRows(rows, isObject(document) ? document : {}, fieldsOf(schema), '', 0);
  return { rows, isCut };
}

/** `false`: there are too many. */
function addRows(rows: Row[], values: Fields, fields: Fields | null, prefix: string, depth: number): boolean {
  for (const name of new Set([...Object.keys(values), ...Object.keys(fields ?? {})])) {
    if (rows.length >= MAX_ROWS) return false;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const field = fields !== null && Object.hasOwn(fields, name) ? fields[name] : undefined;
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const isOpen = isObject(value) && depth < MAX_DEPTH && Object.keys(value).length > 0 && Object.keys(value).length <= MAX_MEMBERS;
    rows.push({
      path,
      name,
      depth,
      value,
      type: value === undefined ? typeIn(field) : typeOf(value),
      says: field === undefined ? null : saysOf(field),
      isOpen,
    });
    if (isOpen && !addRows(rows, value, fieldsOf(field), path, depth + 1)) return false;
  }
  return true;
}

/** The fields that a schema, or a field of one, says. Both ways of authors to write them count. */
function fieldsOf(schema: unknown): Fields | null {
  if (!isObject(schema)) return null;
  if (isObject(schema['properties'])) return schema['properties'];
  if (isObject(schema['fields'])) return schema['fields'];
  return typeof schema['type'] === 'string' ? null : schema;
}

/** A field by its path, whether the document has it or not. */
export interface NamedField extends Pick<Row, 'value' | 'type' | 'says'> {
  /** Why an operation cannot have this path; `null`: it can. */
  readonly problem: string | null;
}

/** What a path names in a document. Members that are missing on the way would be made. */
export function fieldAt(document: unknown, schema: unknown, path: string): NamedField {
  let value: unknown = document;
  let fields = fieldsOf(schema);
  let field: unknown;
  const way: string[] = [];
  for (const name of path.split('.')) {
    if (name === '') return { value: undefined, type: '', says: null, problem: 'Give names with dots between them, such as stats.gold.' };
    if (value !== undefined && !isObject(value))
      return { value: undefined, type: '', says: null, problem: `${way.join('.')} holds no members: it is ${typeOf(value)}.` };
    value = value !== undefined && Object.hasOwn(value, name) ? value[name] : undefined;
    field = fields !== null && Object.hasOwn(fields, name) ? fields[name] : undefined;
    fields = fieldsOf(field);
    way.push(name);
  }
  return {
    value,
    type: value === undefined ? typeIn(field) : typeOf(value),
    says: field === undefined ? null : saysOf(field),
    problem: null,
  };
}

/** The fields of a schema as the declared members of an input, of which a form is made; `null`: it declares none. */
export function declaredBy(schema: unknown): Fields | null {
  const fields = fieldsOf(schema);
  return fields === null || Object.keys(fields).length === 0 ? null : { properties: fields };
}

/** The names of the fields of a schema. */
export function fieldNames(schema: unknown): readonly string[] {
  return Object.keys(fieldsOf(schema) ?? {});
}

/** Paths of texts of which a schema lets one document alone have each value: by these a document is found. */
export function uniqueTexts(schema: unknown, prefix = ''): readonly string[] {
  return Object.entries(fieldsOf(schema) ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isUnique = isObject(field) && field['_unique'] !== undefined && field['_unique'] !== false;
    return isUnique && typeIn(field) === 'string' ? [path] : typeIn(field) === 'object' ? uniqueTexts(field, `${path}.`) : [];
  });
}

function typeIn(field: unknown): string {
  if (typeof field === 'string') return field;
  return isObject(field) && typeof field['type'] === 'string' ? field['type'] : '';
}

const GROWTH: readonly (readonly [string, string])[] = [
  ['_maxPerMin', 'a minute'],
  ['_maxPerHour', 'an hour'],
  ['_maxPerDay', 'a day'],
  ['_maxPerWeek', 'a week'],
  ['_maxPerYear', 'a year'],
];

function saysOf(field: unknown): string {
  if (!isObject(field)) return typeIn(field);
  const parts = [typeIn(field)];
  if (field['required'] === true) parts.push('required');
  if ('default' in field) parts.push(`default ${JSON.stringify(field['default'])}`);
  if ('min' in field || 'minimum' in field) parts.push(`at least ${String(field['min'] ?? field['minimum'])}`);
  if ('max' in field || 'maximum' in field) parts.push(`at most ${String(field['max'] ?? field['maximum'])}`);
  if (Array.isArray(field['enum'])) parts.push(`one of ${field['enum'].map((each) => JSON.stringify(each)).join(', ')}`);
  if (field['_ledger'] === true) parts.push('ledger');
  if (field['_personal'] === true) parts.push('personal');
  if (field['_unique'] !== undefined && field['_unique'] !== false) parts.push('unique');
  for (const [name, span] of GROWTH) if (name in field) parts.push(`grows by ${String(field[name])} ${span} at most`);
  return parts.filter((part) => part !== '').join(' · ');
}
