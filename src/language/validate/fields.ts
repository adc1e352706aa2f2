import { compileSchema } from '../../domain/document/schema.ts';
import { type Findings, isTemplated } from '../../domain/finding.ts';
import type { FieldModel } from '../../domain/model.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { listOf, objectOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Clause } from '../expressions/condition.ts';
import type { NormalStep } from '../normal/logic.ts';

/** Findings for fields that no document can have, because the schema allows only those that it names (`additionalProperties: false`). */

const compiled = new WeakMap<JsonObject, FieldModel>();
const closed = new WeakMap<FieldModel, boolean>();

/** The compiled fields of a schema, cached by the schema as written; `null`: nothing is said of them. */
export function fieldsOf(schema: Json | undefined): FieldModel | null {
  if (!isObject(schema)) return null;
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const { root } = compileSchema(schema);
  if (root !== null) compiled.set(schema, root);
  return root;
}

/** The schema, if at some depth it allows no other fields; else `undefined`: any name may be a field. */
export function closedSchema(schema: Json | undefined): JsonObject | undefined {
  const root = fieldsOf(schema);
  return isObject(schema) && root !== null && isClosed(root) ? schema : undefined;
}

function isClosed(field: FieldModel): boolean {
  const known = closed.get(field);
  if (known !== undefined) return known;
  const inner = [field.additional, field.items, ...(field.properties?.values() ?? [])];
  const found = field.additional === false || inner.some((each) => typeof each === 'object' && isClosed(each));
  closed.set(field, found);
  return found;
}

/** The documents that a step works on, of a collection whose schema allows no other fields at some depth. */
export interface ClosedDocuments {
  readonly collection: string;
  readonly root: FieldModel;
}

/** `null`: any name may be a field, or the name is a template. */
export function documentsOf(collection: Json | undefined, findings: Findings): ClosedDocuments | null {
  if (typeof collection !== 'string' || isTemplated(collection)) return null;
  const schema = findings.known.closedSchema(collection);
  const root = fieldsOf(schema);
  return root === null ? null : { collection, root };
}

/** As {@link documentsOf}, for a step that looks through rows. These need not be documents. */
export function rowsOf({ collection, from, source }: NormalStep<'lookup_many'>, findings: Findings): ClosedDocuments | null {
  return from === undefined && source === undefined ? documentsOf(collection, findings) : null;
}

const lists = new WeakMap<FieldModel, FieldModel>();

/** A list of such documents, as a search answers it. */
export function listOfDocuments({ collection, root }: ClosedDocuments): ClosedDocuments {
  const known = lists.get(root);
  if (known !== undefined) return { collection, root: known };
  const list: FieldModel = { ...root, type: 'array', properties: undefined, additional: true, items: root };
  lists.set(root, list);
  return { collection, root: list };
}

/** The items of a list; `null`: nothing is known of them. */
export function itemsOf({ collection, root: { items } }: ClosedDocuments): ClosedDocuments | null {
  return items === undefined ? null : { collection, root: items };
}

/** What a path in a document leads to; `null`: nothing is known of it. */
export function documentsAt({ collection, root }: ClosedDocuments, path: readonly string[]): ClosedDocuments | null {
  let field: FieldModel = root;
  for (const name of path) {
    const next = memberOf(field, name);
    if (typeof next === 'boolean') return null;
    field = next;
  }
  return { collection, root: field };
}

/** Whether no such document has a member of this name. */
export function hasNo({ root }: ClosedDocuments, name: string): boolean {
  return memberOf(root, name) === false;
}

/** The name of a member, in the letter case of the schema; `undefined`: no member has this name, or nothing is known of them. */
export function nameIgnoringCase({ root: { properties } }: ClosedDocuments, name: string): string | undefined {
  const lower = name.toLowerCase();
  return [...(properties?.keys() ?? [])].find((each) => each.toLowerCase() === lower);
}

/** Findings for the fields of a `where`, which are paths in a document. */
export function whereFieldFindings(documents: ClosedDocuments, where: Json, pointer: string, findings: Findings): void {
  const { all, any, field }: Clause = objectOf(where);
  for (const [name, group] of [
    ['all', all],
    ['any', any],
  ] as const) {
    for (const [index, inner] of listOf(group).entries()) whereFieldFindings(documents, inner, `${pointer}/${name}/${index}`, findings);
  }
  if (typeof field === 'string') pathFinding(documents, field.split('[', 1)[0] ?? '', `${pointer}/field`, findings);
}

/** The names of a path before its first template. */
function writtenNames(path: string): readonly string[] {
  const template = path.indexOf('{{');
  return template < 0 ? path.split('.') : path.slice(0, template).split('.').slice(0, -1);
}

/** Adds a finding for a path in a document that leads to no field. Returns the field that it leads to; `null`: nothing is known of it. */
export function pathFinding(documents: ClosedDocuments, path: string, pointer: string, findings: Findings): FieldModel | null {
  let field: FieldModel = documents.root;
  for (const name of writtenNames(path)) {
    const next = memberOf(field, name);
    if (next === false) unknownField(documents, name, field, pointer, findings);
    if (typeof next === 'boolean') return null;
    field = next;
  }
  return isTemplated(path) ? null : field;
}

/** Findings for names in a value that is written to a field: `{gld: 1}`. */
export function valueFindings(documents: ClosedDocuments, field: FieldModel, value: Json, pointer: string, findings: Findings): void {
  if (isArray(value)) {
    const { items } = field;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) valueFindings(documents, items, item, `${pointer}/${index}`, findings);
    return;
  }
  for (const [name, inner] of isObject(value) ? Object.entries(value) : []) {
    const next = memberOf(field, name);
    if (next === false) unknownField(documents, name, field, `${pointer}/${name}`, findings);
    else if (next !== true) valueFindings(documents, next, inner, `${pointer}/${name}`, findings);
  }
}

/** The field with this name; `true`: it may be anything. Names that begin with `_` belong to the server or to tools. */
function memberOf({ type, properties, items, additional }: FieldModel, name: string): FieldModel | boolean {
  if (items !== undefined || type === 'array' || name === '' || name.startsWith('_') || isTemplated(name)) return true;
  return properties?.get(name) ?? additional;
}

/** Most names in a fix. More are of no help. */
const MAX_NAMES = 20;

function unknownField(
  { collection }: ClosedDocuments,
  name: string,
  { properties }: FieldModel,
  pointer: string,
  findings: Findings,
): void {
  if (findings.isFull) return;
  const names = [...(properties?.keys() ?? [])];
  const fix = didYouMean(name, names) ?? (names.length === 0 ? 'There are none.' : `There are ${names.slice(0, MAX_NAMES).join(', ')}.`);
  const message = `The schema of '${collection}' has no field '${name}' there, and admits no others.`;
  findings.add('UNKNOWN_FIELD', pointer, message, fix);
}
