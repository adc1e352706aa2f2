import type { field as fieldSchema } from '../../contract/resources/field.ts';
import type { Written } from '../../contract/resources/member.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { listOf, longForm, objectOf, stringOf } from '../../kernel/json-read.ts';
import { growthWindows } from '../limit/fields.ts';
import type { FieldModel, PersonalPath, SchemaModel } from '../model.ts';
import { boundsOf } from './bounds.ts';

type WrittenField = Written<typeof fieldSchema>;

/**
 * Compiles a collection's `schema` in either form: a flat map of field → definition, or `{type: object, properties, required, …}`. A
 * definition is an object or a bare type name. Unknown parts are ignored, so a stored definition never stops a game.
 */
export function compileSchema(raw: Json | undefined): SchemaModel {
  const written = objectOf(raw);
  const root = Object.keys(written).length === 0 ? null : compileField(membersMarked(rooted(written)));
  const fields = root === null ? [] : [...namedFields(root)];
  return {
    root,
    hasDefaults: root?.defaultsBelow === true,
    hasLedger: root?.ledgerBelow === true,
    growth: fields.flatMap(([path, { growth: windows }]) => (windows.length === 0 ? [] : [{ path, windows }])),
    personal: root === null ? [] : [...personalPaths(root)],
    unique: fields.flatMap(([path, { unique }]) => (unique === null ? [] : [{ path, ...unique }])),
  };
}

/** Fields with a fixed path. Members under `additionalProperties` and items of lists have none. */
function* namedFields(parent: FieldModel, prefix = ''): Generator<readonly [path: string, field: FieldModel]> {
  for (const [name, field] of parent.properties ?? []) {
    if (!isPathPart(name)) continue;
    yield [prefix + name, field];
    yield* namedFields(field, `${prefix}${name}.`);
  }
}

/** Where personal values stand. What stands inside of one is part of it. */
function* personalPaths({ properties, items, additional }: FieldModel, path: PersonalPath = []): Generator<PersonalPath> {
  const children = [...(properties ?? []), ...[items, additional].map((child) => [ANY, child] as const)];
  for (const [name, child] of children) {
    if (typeof child !== 'object') continue;
    if (child.personal) yield [...path, name];
    else yield* personalPaths(child, [...path, name]);
  }
}

/** In a path: any member, or any item of a list. */
const ANY = '*';

const UNIQUE_TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'any']);

function uniqueOf({ _unique: unique, default: value }: WrittenField, type: string): FieldModel['unique'] {
  if (!UNIQUE_TYPES.has(type) || (unique !== true && unique !== CASELESS)) return null;
  return { caseless: unique === CASELESS, default: value === undefined ? '' : stringifyJson(value) };
}

const CASELESS = 'caseless';

/** The schema under which every document reads as it is stored. */
export const WITHOUT_DEFAULTS: SchemaModel = { root: null, hasDefaults: false, hasLedger: false, personal: [], growth: [], unique: [] };

/** The flat form, turned into the object form. */
function rooted(schema: JsonObject): WrittenField {
  const { properties }: WrittenField = schema;
  if (isObject(properties)) return schema;
  const { own, fields } = flatForm(schema);
  return { ...own, type: 'object', properties: fields };
}

/**
 * Separates the fields of a schema in the flat form from the schema's own members. A text under `type` is its own. A value that is neither
 * text nor object is not a field, and neither is what `isKeyword` names.
 */
export function flatForm(
  schema: JsonObject,
  isKeyword: (name: string) => boolean = () => false,
): { readonly own: JsonObject; readonly fields: JsonObject } {
  const fields: Record<string, Json> = {};
  const own: Record<string, Json> = {};
  for (const [name, written] of Object.entries(schema)) {
    const isField = !isKeyword(name) && (isObject(written) || (typeof written === 'string' && name !== 'type'));
    (isField ? fields : own)[name] = written;
  }
  return { own, fields };
}

/** A mark of the whole document is one of each of its members. */
function membersMarked(schema: WrittenField): WrittenField {
  if (schema._personal !== true) return schema;
  const { properties, additionalProperties: more = true } = schema;
  const marked = (field: Json): Json => (field === false ? field : { ...longForm(field, 'type'), _personal: true });
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(objectOf(properties)).map(([name, field]) => [name, marked(field)])),
    additionalProperties: marked(more),
  };
}

/** Types whose fields may have a ledger. A field without a type counts wherever it holds a number. */
const LEDGER_TYPES: ReadonlySet<string> = new Set(['number', 'integer', 'any']);

/** `required`: the parent's list names the field. */
function compileField(raw: Json, required = false): FieldModel {
  const written: WrittenField = longForm(raw, 'type');
  const properties = compileProperties(written);
  const items = fieldIn(written.items);
  const type = typeof written.type === 'string' ? written.type : 'any';
  const additional = fieldIn(written.additionalProperties) ?? written.additionalProperties !== false;
  const kept = [...(properties ?? [])].filter(([, child]) => isTracked(child));
  const field: { -readonly [Name in keyof FieldModel]: FieldModel[Name] } = {
    type,
    about: stringOf(written.description) ?? stringOf(written.title),
    default: undefined,
    required: required || written.required === true,
    ledger: written._ledger === true && LEDGER_TYPES.has(type),
    personal: written._personal === true,
    currency: stringOf(written._currency) ?? null,
    ...boundsOf(written),
    properties,
    items,
    additional,
    growth: LEDGER_TYPES.has(type) ? growthWindows(written) : [],
    unique: uniqueOf(written, type),
    needed: neededOf(properties),
    filled: filledOf(properties),
    defaultsBelow: hasDefaultsBelow(properties, items, additional),
    tracked: kept.filter(([name]) => isPathPart(name)),
    ledgerBelow: kept.length > 0 || isTracked(additional),
    opensLedger: isTracked(additional) || kept.some(([name, child]) => !isPathPart(name) || child.opensLedger),
  };
  field.default = effectiveDefault(field, written.default);
  return field;
}

function compileProperties({ properties, required }: WrittenField): ReadonlyMap<string, FieldModel> | undefined {
  if (!isObject(properties)) return undefined;
  const names = new Set(listOf(required));
  return new Map(Object.entries(properties).map(([name, written]) => [name, compileField(written, names.has(name))]));
}

/** A field, where the member may also hold other values. `undefined`: it is neither an object nor the name of a type. */
function fieldIn(raw: Json | undefined): FieldModel | undefined {
  return isObject(raw) || typeof raw === 'string' ? compileField(raw) : undefined;
}

function isTracked(field: FieldModel | boolean): boolean {
  return typeof field === 'object' && (field.ledger || field.ledgerBelow);
}

/** Whether a dotted path can name this member. */
export function isPathPart(name: string): boolean {
  return name !== '' && !name.includes('.');
}

/**
 * What a missing field reads as: its default, completed with the defaults of its children. An object without a default reads as the
 * defaults of its children, if there are any. The value is frozen, because all documents without the field share it.
 */
function effectiveDefault(field: FieldModel, own: Json | undefined): Json | undefined {
  if (own !== undefined) return frozen(fillField(field, own));
  if (field.type !== 'object' && field.properties === undefined) return undefined;
  const filled = fillField(field, {});
  return isObject(filled) && Object.keys(filled).length > 0 ? frozen(filled) : undefined;
}

function frozen(value: Json): Json {
  if (isArray(value)) return Object.freeze(value.map(frozen));
  if (!isObject(value)) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, item]) => [name, frozen(item)])));
}

function hasDefaultsBelow(
  properties: ReadonlyMap<string, FieldModel> | undefined,
  items: FieldModel | undefined,
  additional: FieldModel | boolean,
): boolean {
  return items?.defaultsBelow === true || filledOf(properties).length > 0 || isFilled(additional);
}

/** Whether a member described only by `additionalProperties` may have members with defaults. */
function isFilled(additional: FieldModel | boolean): additional is FieldModel {
  return typeof additional === 'object' && additional.defaultsBelow;
}

function filledOf(properties: ReadonlyMap<string, FieldModel> | undefined): (readonly [string, FieldModel])[] {
  return [...(properties ?? [])].filter(([, child]) => child.default !== undefined || child.defaultsBelow);
}

function neededOf(properties: ReadonlyMap<string, FieldModel> | undefined): string[] {
  return [...(properties ?? [])].flatMap(([name, child]) => (child.required && child.default === undefined ? [name] : []));
}

/**
 * The document with defaults for missing members, at any depth where the parent object exists. Null stays null. If nothing is missing, the
 * same object is returned.
 */
export function fillDefaults(schema: SchemaModel, document: JsonObject): JsonObject {
  if (!schema.hasDefaults || schema.root === null) return document;
  return fillObject(schema.root, document);
}

function fillField(field: FieldModel, value: Json): Json {
  if (!field.defaultsBelow) return value;
  if (isArray(value)) return field.items === undefined ? value : fillItems(field.items, value);
  return isObject(value) ? fillObject(field, value) : value;
}

function fillObject(field: FieldModel, object: JsonObject): JsonObject {
  let filled: Record<string, Json> | null = null;
  for (const [name, child] of field.filled) {
    const old = Object.hasOwn(object, name) ? object[name] : undefined;
    const value = old === undefined ? child.default : fillField(child, old);
    if (value === old || value === undefined) continue;
    filled ??= { ...object };
    filled[name] = value;
  }
  return isFilled(field.additional) ? fillAdditional(field.additional, field, filled ?? object) : (filled ?? object);
}

function fillAdditional(additional: FieldModel, { properties }: FieldModel, object: JsonObject): JsonObject {
  let filled: Record<string, Json> | null = null;
  for (const [name, old] of Object.entries(object)) {
    if (properties?.has(name)) continue;
    const value = fillField(additional, old);
    if (value === old) continue;
    filled ??= { ...object };
    filled[name] = value;
  }
  return filled ?? object;
}

function fillItems(item: FieldModel, list: readonly Json[]): readonly Json[] {
  const filled = list.map((value) => fillField(item, value));
  return filled.some((value, index) => value !== list[index]) ? filled : list;
}

/** A field that allows anything. */
export const ANY_FIELD: FieldModel = compileField('any');
