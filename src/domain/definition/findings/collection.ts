import { access, COLLECTION_TYPES, collection, dailySaves } from '../../../contract/resources/collection.ts';
import { BOUND_PAIRS, field, fieldType, GROWTH_SETTINGS } from '../../../contract/resources/field.ts';
import { namesIn, type Written } from '../../../contract/resources/member.ts';
import { compareNumbers, isArray, isNumber, isObject, type Json, type JsonObject, jsonEquals } from '../../../kernel/json.ts';
import { objectOf, stringOf } from '../../../kernel/json-read.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { member } from '../../../kernel/path.ts';
import { unknownMembers } from '../../../language/validate/members.ts';
import { takenCollection } from '../../document/address.ts';
import { hasType } from '../../document/check.ts';
import type { Findings } from '../../finding.ts';
import { growthWindows } from '../../limit/fields.ts';
import { acceptValue } from '../../wire-names.ts';
import { writtenSchema } from '../model/models.ts';
import { constantsFindings, tablesFindings } from './values.ts';

/** Findings for collections and their schemas. */

const FIELD_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]{0,63}$/;
const TYPES: readonly string[] = fieldType.options;
const BOUNDS = BOUND_PAIRS.flat();

const FLAGS = ['allowRecordDelete', 'requireSaveVersion', 'publicAppend', 'webhookOnRateLimit'] as const;
const PARTS = ['schema', 'fields', 'tables', 'constants'] as const;

export function collectionFindings(definition: Written<typeof collection>, findings: Findings): void {
  const name = stringOf(definition.name);
  if (name !== undefined && !/^[a-z0-9_]+$/.test(name)) {
    findings.add('COLLECTION_NAME_FORMAT', '/name', 'A name should hold only small letters, digits and _.');
  }
  addressFindings(definition, findings);
  const type = stringOf(definition.collectionType);
  if (type !== undefined && !COLLECTION_TYPES.some((known) => known === acceptValue('collectionType', type))) {
    findings.add('COLLECTION_TYPE', '/collectionType', `The type '${type}' is taken for per-platformid.`);
  }
  findings.structure(collection, definition, '', 'accessMode');
  accessFindings(definition, findings);
  findings.structure(collection, definition, '', 'maxRecords', 'rateLimitAction', ...FLAGS, 'rateLimits');
  unknownMembers(objectOf(definition.rateLimits), namesIn(dailySaves), 'INVALID_RATE_LIMITS', '/rateLimits', findings);
  if (PARTS.every((part) => (definition[part] ?? null) === null)) {
    findings.add('EMPTY_COLLECTION_DEFINITION', '', 'This collection has no schema, tables or constants.');
  }
  const schema = writtenSchema(definition);
  if (schema !== undefined && schema !== null) {
    schemaFindings(schema, (definition.schema ?? null) === null ? '/fields' : '/schema', findings);
    misreadFindings(objectOf(schema), findings);
  }
  const constants = definition.constants ?? null;
  if (constants !== null) constantsFindings(constants, '/constants', findings);
  const tables = definition.tables ?? null;
  if (tables !== null) tablesFindings(tables, '/tables', findings);
  const asksToBePublic = stringOf(definition.accessMode) === 'public' && definition.visibility === undefined;
  // The editor's tools write `accessMode`, but not `visibility`. Then games with a public key read no values at all.
  if (asksToBePublic && (constants !== null || tables !== null)) {
    const message = `Games do not see these constants and tables: 'accessMode' is about documents.`;
    findings.add('GAME_VALUES_HIDDEN', '/visibility', message, `Say 'visibility: public', or 'private'.`);
  }
}

/** A new collection with such an id is refused; one that was there before this was known stays, and endpoints may use it. */
function addressFindings({ id, name }: Written<typeof collection>, findings: Findings): void {
  for (const [member, written] of Object.entries({ id, name })) {
    const taken = takenCollection(stringOf(written) ?? '');
    if (taken !== null)
      findings.add('ADDRESS_TAKEN', `/${member}`, taken, 'Games cannot read its documents; endpoints can. Another name can be read.');
  }
}

function accessFindings(definition: Written<typeof collection>, findings: Findings): void {
  const stated = definition.access ?? null;
  if (stated === null) return;
  if (!isObject(stated)) {
    findings.add(
      'ACCESS',
      '/access',
      `'access' must hold 'read' and 'write', each public, owner or endpoints; as it is, the collection is closed to games.`,
    );
    return;
  }
  for (const name of Object.keys(stated)) {
    if (name === 'read' || name === 'write') findings.structure(access, stated, '/access', name);
    else findings.add('ACCESS', `/access/${name}`, `'access' has 'read' and 'write' alone.`);
  }
  const { read, write }: Written<typeof access> = stated;
  if (stringOf(definition.accessMode) === 'public' && [read, write].every((one) => (one ?? 'public') !== 'public')) {
    findings.add('ACCESS', '/accessMode', `'access' counts: what it says of 'read' and 'write' is narrower than 'accessMode: public'.`);
  }
}

/**
 * Names of fields that clients or the server misread, with the types for which they do. In a document that is read, the client library
 * takes them for a failure or for a part of the answer. In one that is sent, a list `ops` makes the body a list of operations.
 */
const MISREAD: ReadonlyMap<string, readonly string[]> = new Map([
  ['ok', ['boolean']],
  ['error', ['string', 'object']],
  ['status', ['number', 'integer']],
  ['body', ['object']],
  ['revision', ['object']],
  ['_revisionStatus', ['object']],
  ['ops', ['array']],
]);

function misreadFindings(schema: JsonObject, findings: Findings): void {
  const { properties }: Written<typeof field> = schema;
  const [fields, path] = isObject(properties) ? [properties, '/schema/properties'] : [schema, '/schema'];
  for (const [name, types] of MISREAD) {
    const written = member(fields, name);
    if (written === undefined) continue;
    const type = stringOf(isObject(written) ? typeIn(written) : written) ?? 'any';
    if (type !== 'any' && !types.includes(type)) continue;
    const message =
      name === 'ops'
        ? `A document with a list 'ops' cannot be saved whole: the list is run as operations.`
        : `The client library takes '${name}' in a document that it reads for a part of the answer.`;
    findings.add('FIELD_MISREAD', `${path}/${name}`, message);
  }
}

function typeIn({ type }: Written<typeof field>): Json | undefined {
  return type;
}

/** A schema is a flat map of fields, or `{type: object, properties, required, additionalProperties}`. */
function schemaFindings(schema: Json, pointer: string, findings: Findings): void {
  if (!findings.expectObject(schema, 'INVALID_SCHEMA', pointer, 'A schema must be an object.')) return;
  const { properties }: Written<typeof field> = schema;
  if (isObject(properties)) fieldFindings(schema, pointer, findings);
  else {
    const fields = Object.entries(schema).filter(([name, field]) => !(name === 'type' && typeof field === 'string'));
    for (const [name, field] of fields) namedField(name, field, `${pointer}/${name}`, findings);
  }
}

function namedField(name: string, written: Json, pointer: string, findings: Findings): void {
  if (!FIELD_NAME.test(name)) findings.add('INVALID_FIELD_NAME', pointer, 'This is no name for a field.');
  if (typeof written === 'string') typeFinding(written, pointer, findings);
  else if (isObject(written)) fieldFindings(written, pointer, findings);
  else findings.add('INVALID_FIELD', pointer, 'A field must be an object or the name of a type.', fixOfMap(name));
}

/** What binds a whole document stands beside `properties`: in a flat map of fields its name is a field's. */
function fixOfMap(name: string): string | undefined {
  if (name !== 'additionalProperties' && name !== 'required') return undefined;
  return `Of the whole document it stands beside the fields: schema: { type: object, ${name}: …, properties: { … } }`;
}

function typeFinding(type: string, pointer: string, findings: Findings): void {
  if (!TYPES.includes(type))
    findings.add('INVALID_FIELD_TYPE', pointer, `'${type}' is no type of a field.`, didYouMean(type, TYPES) ?? TYPES.join(', '));
}

function fieldFindings(written: Written<typeof field>, pointer: string, findings: Findings): void {
  const type = stringOf(written.type);
  if (type !== undefined) typeFinding(type, `${pointer}/type`, findings);
  const settings = namesIn(field);
  for (const name of Object.keys(written)) {
    if (!settings.includes(name))
      findings.add('UNKNOWN_FIELD_SETTING', `${pointer}/${name}`, `'${name}' is no setting of a field.`, didYouMean(name, settings));
  }
  findings.structure(field, written, pointer, ...BOUNDS);
  for (const [least, most] of BOUND_PAIRS) {
    const [low, high] = [written[least], written[most]];
    if (!isNumber(low) || !isNumber(high) || compareNumbers(low, high) <= 0) continue;
    findings.add('INVALID_FIELD_BOUND', `${pointer}/${least}`, `Nothing is at least '${least}' and at most '${most}'.`);
  }
  findings.structure(field, written, pointer, ...GROWTH_SETTINGS, '_ledger', '_currency', '_unique', '_personal');
  if (type !== undefined && !NUMBERS.has(type) && GROWTH_SETTINGS.some((name) => (written[name] ?? null) !== null)) {
    findings.add('INVALID_RATE_FIELD', pointer, 'Only the growth of numbers can be limited.');
  }
  if (written._ledger === true && type !== undefined && !NUMBERS.has(type)) {
    findings.add('INVALID_LEDGER', `${pointer}/_ledger`, 'A ledger follows numbers only.');
  }
  if (written._personal === true && written._ledger === true) {
    const fix = 'Leave one of them out, or keep the number in a field of its own.';
    findings.add('PERSONAL_LEDGER', `${pointer}/_personal`, 'A ledger tells every amount, so its field cannot be masked.', fix);
  }
  if (written._personal === true && hasPersonal(inner(written))) {
    findings.add(
      'PERSONAL_INSIDE',
      `${pointer}/_personal`,
      'All that stands in a personal field is masked; the fields inside need not say it again.',
    );
  }
  if ((written._currency ?? null) !== null && written._ledger !== true) {
    const fix = "Add '_ledger: true' to the field.";
    findings.add('CURRENCY_WITHOUT_LEDGER', `${pointer}/_currency`, 'A currency is counted by its ledger, and this field has none.', fix);
  }
  if (isUnique(written) && type !== undefined && !['string', 'number', 'integer'].includes(type)) {
    findings.add('INVALID_UNIQUE', `${pointer}/_unique`, 'Only texts and numbers can be unique.');
  }
  if (isUnique(written) && (written.default ?? null) !== null) {
    findings.add(
      'INVALID_UNIQUE',
      `${pointer}/default`,
      'Only one document can have this default: the next one without a value is refused.',
    );
  }
  findings.structure(field, written, pointer, 'enum');
  defaultFinding(written, type, pointer, findings);
  nestedFindings(written, type, pointer, findings);
}

/** Types whose default is of that type. */
const PLAIN: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array'];

function defaultFinding(written: Written<typeof field>, type: string | undefined, pointer: string, findings: Findings): void {
  const initial = written.default ?? null;
  if (initial === null) return;
  if (type !== undefined && PLAIN.includes(type) && !hasType(type, initial))
    findings.add('INVALID_DEFAULT', `${pointer}/default`, `'default' must be of the type ${type}.`);
  else if (isArray(written.enum) && written.enum.length > 0 && !written.enum.some((value) => jsonEquals(value, initial)))
    findings.add('INVALID_DEFAULT', `${pointer}/default`, `'default' must be one of 'enum'.`);
}

function nestedFindings(written: Written<typeof field>, type: string | undefined, pointer: string, findings: Findings): void {
  const { properties, required, items, additionalProperties: additional } = written;
  if (properties !== undefined && !isObject(properties))
    findings.add('INVALID_FIELD', `${pointer}/properties`, `'properties' must be an object.`);
  for (const [name, inner] of Object.entries(objectOf(properties))) namedField(name, inner, `${pointer}/properties/${name}`, findings);
  if (isArray(required)) {
    for (const name of required) {
      if (typeof name === 'string' && Object.hasOwn(objectOf(properties), name)) continue;
      findings.add('REQUIRED_FIELD_MISSING', `${pointer}/required`, `'${String(name)}' is required but no field.`);
    }
  } else if (required !== undefined && typeof required !== 'boolean') {
    findings.add('INVALID_REQUIRED', `${pointer}/required`, `'required' is true, false or a list of names.`);
  }
  if (isObject(additional ?? null) || typeof additional === 'string') {
    namedField('additionalProperties', additional ?? null, `${pointer}/additionalProperties`, findings);
  } else if (additional !== undefined && typeof additional !== 'boolean') {
    findings.add('INVALID_FIELD', `${pointer}/additionalProperties`, `'additionalProperties' is true, false, or a field.`);
  }
  if (items !== undefined && tracksNumbers(items)) {
    findings.add('INVALID_LEDGER', `${pointer}/items`, 'A ledger follows nothing inside a list: its items have no lasting names.');
  }
  for (const [name, inner] of [
    ['items', items],
    ['additionalProperties', additional],
  ] as const) {
    if (inner === undefined || !hasGrowth(inner)) continue;
    findings.add('INVALID_RATE_FIELD', `${pointer}/${name}`, 'Only fields with a name of their own are limited, and none inside a list.');
  }
  if ([items, additional].some((inner) => inner !== undefined && hasUnique(inner))) {
    findings.add('INVALID_UNIQUE', pointer, 'Only fields with a name of their own are unique, and none inside a list.');
  }
  if (items !== undefined) namedField('items', items, `${pointer}/items`, findings);
  else if (type === 'array') findings.add('ARRAY_ITEMS', pointer, 'The items of this list are not described.');
}

const NUMBERS: ReadonlySet<string> = new Set(['number', 'integer', 'any']);

function isUnique({ _unique: unique }: Written<typeof field>): boolean {
  return unique === true || unique === 'caseless';
}

/** Fields inside a field, also those of list items. */
function inner({ properties, additionalProperties, items }: Written<typeof field>): readonly (Json | undefined)[] {
  return [...Object.values(objectOf(properties)), additionalProperties, items];
}

function hasUnique(written: Json | undefined): boolean {
  return isObject(written) && (isUnique(written) || inner(written).some(hasUnique));
}

function hasGrowth(written: Json | undefined): boolean {
  return isObject(written) && (growthWindows(written).length > 0 || inner(written).some(hasGrowth));
}

function isPersonal({ _personal: personal }: Written<typeof field>): boolean {
  return personal === true;
}

function hasPersonal(fields: readonly (Json | undefined)[]): boolean {
  return fields.some((each) => isObject(each) && (isPersonal(each) || hasPersonal(inner(each))));
}

function tracksNumbers(written: Json | undefined): boolean {
  if (!isObject(written)) return false;
  const { _ledger, ...others }: Written<typeof field> = written;
  const { items: _, ...named } = others;
  return _ledger === true || inner(named).some(tracksNumbers);
}
