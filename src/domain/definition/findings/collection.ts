import { compareNumbers, isArray, isNumber, isObject, type Json, type JsonObject, toDouble } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { member } from '../../../kernel/path.ts';
import { GROWTH_SETTINGS, growthWindows } from '../../limit/fields.ts';
import { acceptValue } from '../../wire-names.ts';
import { objectOf, textOf } from '../read.ts';
import { type Findings, isFlag, isWhole, oneOf } from './finding.ts';
import { constantsFindings, tablesFindings } from './values.ts';

/** Collections and their schemas (management 20). */

const FIELD_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]{0,63}$/;
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'player', 'playerSave', 'datetime', 'any', 'null']);
/** What is least and what is most, by their names. */
const RANGES = [
  ['min', 'max'],
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const;
const BOUNDS = RANGES.flat();
const SETTINGS = new Set([
  ...['type', 'description', 'title', 'default', 'enum', 'required', 'properties', 'items', 'additionalProperties', '_ledger', '_unique'],
  ...BOUNDS,
  ...GROWTH_SETTINGS,
]);

export function collectionFindings(definition: JsonObject, findings: Findings): void {
  const name = textOf(member(definition, 'name'));
  if (name !== undefined && !/^[a-z0-9_]+$/.test(name)) {
    findings.add('COLLECTION_NAME_FORMAT', '/name', 'A name should hold only small letters, digits and _.');
  }
  const type = textOf(member(definition, 'collectionType'));
  if (type !== undefined && !['per-platformid', 'global'].includes(acceptValue('collectionType', type))) {
    findings.add('COLLECTION_TYPE', '/collectionType', `The type '${type}' is taken for per-platformid.`);
  }
  findings.member(definition, 'accessMode', '', oneOf('public', 'endpoint', 'private'), 'ACCESS_MODE', 'public, endpoint or private');
  accessFindings(definition, findings);
  findings.member(definition, 'maxRecords', '', (value) => isWhole(value, 1, 50), 'INVALID_MAX_RECORDS', 'a number from 1 to 50');
  findings.member(definition, 'rateLimitAction', '', oneOf('reject', 'clamp'), 'INVALID_RATE_LIMIT_ACTION', 'reject or clamp');
  for (const flag of ['allowRecordDelete', 'requireSaveVersion', 'publicAppend', 'webhookOnRateLimit']) {
    findings.member(definition, flag, '', isFlag, 'INVALID_FLAG', 'true or false');
  }
  findings.member(definition, 'rateLimits', '', isRateLimits, 'INVALID_RATE_LIMITS', 'a mode: none, player or collection with savesPerDay');
  if (['schema', 'fields', 'tables', 'constants'].every((part) => (member(definition, part) ?? null) === null)) {
    findings.add('EMPTY_COLLECTION_DEFINITION', '', 'This collection has no schema, tables or constants.');
  }
  const schema = member(definition, 'schema') ?? member(definition, 'fields');
  if (schema !== undefined && schema !== null) {
    schemaFindings(schema, '/schema', findings);
    misreadFindings(objectOf(schema), findings);
  }
  const constants = member(definition, 'constants') ?? null;
  if (constants !== null) constantsFindings(constants, '/constants', findings);
  const tables = member(definition, 'tables') ?? null;
  if (tables !== null) tablesFindings(tables, '/tables', findings);
  const asksToBePublic = textOf(member(definition, 'accessMode')) === 'public' && member(definition, 'visibility') === undefined;
  // The editor's tools write `accessMode` and no `visibility`; their games then read no values at all (management 2, runtime-storage 17).
  if (asksToBePublic && (constants !== null || tables !== null)) {
    const message = `Games do not see these constants and tables: 'accessMode' is about documents.`;
    findings.add('GAME_VALUES_HIDDEN', '/visibility', message, `Say 'visibility: public', or 'private'.`);
  }
}

const OPEN_TO = oneOf('public', 'owner', 'endpoints');

function accessFindings(definition: JsonObject, findings: Findings): void {
  const access = member(definition, 'access') ?? null;
  if (access === null) return;
  if (!isObject(access)) {
    findings.add(
      'ACCESS',
      '/access',
      `'access' must hold 'read' and 'write', each public, owner or endpoints; as it is, the collection is closed to games.`,
    );
    return;
  }
  for (const name of Object.keys(access)) {
    if (name === 'read' || name === 'write') findings.member(access, name, '/access', OPEN_TO, 'ACCESS', 'public, owner or endpoints');
    else findings.add('ACCESS', `/access/${name}`, `'access' has 'read' and 'write' alone.`);
  }
  if (
    textOf(member(definition, 'accessMode')) === 'public' &&
    ['read', 'write'].every((name) => (member(access, name) ?? 'public') !== 'public')
  ) {
    findings.add('ACCESS', '/accessMode', `'access' counts: what it says of 'read' and 'write' is narrower than 'accessMode: public'.`);
  }
}

/**
 * Fields that make something else of a document, with the types that do: read back, the client library takes them for its failure or
 * for a part of the answer (runtime-storage 4.1); sent, a list `ops` makes it operations (4.3).
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
  const properties = member(schema, 'properties') ?? null;
  const [fields, path] = isObject(properties) ? [properties, '/schema/properties'] : [schema, '/schema'];
  for (const [name, types] of MISREAD) {
    const field = member(fields, name);
    if (field === undefined) continue;
    const type = textOf(isObject(field) ? member(field, 'type') : field) ?? 'any';
    if (type !== 'any' && !types.includes(type)) continue;
    const message =
      name === 'ops'
        ? `A document with a list 'ops' cannot be saved whole: the list is run as operations.`
        : `The client library takes '${name}' in a document that it reads for a part of the answer.`;
    findings.add('FIELD_MISREAD', `${path}/${name}`, message);
  }
}

function isRateLimits(value: Json): boolean {
  if (!isObject(value)) return false;
  const mode = textOf(member(value, 'mode'))?.toLowerCase() ?? 'none';
  const saves = member(value, 'savesPerDay');
  return ['none', 'player', 'collection'].includes(mode) && (saves === undefined || saves === null || isWhole(saves, 1, 10_000_000));
}

/** A flat map of fields, or `{type: object, properties, required}`. */
function schemaFindings(schema: Json, path: string, findings: Findings): void {
  if (!isObject(schema)) {
    findings.add('INVALID_SCHEMA', path, 'A schema must be an object.');
    return;
  }
  if (isObject(member(schema, 'properties') ?? null)) fieldFindings(schema, path, findings);
  else {
    const fields = Object.entries(schema).filter(([name, field]) => !(name === 'type' && typeof field === 'string'));
    for (const [name, field] of fields) namedField(name, field, `${path}/${name}`, findings);
  }
}

function namedField(name: string, field: Json, path: string, findings: Findings): void {
  if (!FIELD_NAME.test(name)) findings.add('INVALID_FIELD_NAME', path, 'This is no name for a field.');
  if (typeof field === 'string') typeFinding(field, path, findings);
  else if (isObject(field)) fieldFindings(field, path, findings);
  else findings.add('INVALID_FIELD', path, 'A field must be an object or the name of a type.');
}

function typeFinding(type: string, path: string, findings: Findings): void {
  if (!TYPES.has(type))
    findings.add('INVALID_FIELD_TYPE', path, `'${type}' is no type of a field.`, didYouMean(type, TYPES) ?? [...TYPES].join(', '));
}

function fieldFindings(field: JsonObject, path: string, findings: Findings): void {
  const type = textOf(member(field, 'type'));
  if (type !== undefined) typeFinding(type, `${path}/type`, findings);
  for (const name of Object.keys(field)) {
    if (!SETTINGS.has(name))
      findings.add('UNKNOWN_FIELD_SETTING', `${path}/${name}`, `'${name}' is no setting of a field.`, didYouMean(name, SETTINGS));
  }
  for (const name of BOUNDS) findings.member(field, name, path, isNumber, 'INVALID_FIELD_BOUND', 'a number');
  for (const [least, most] of RANGES) {
    const [low, high] = [member(field, least), member(field, most)];
    if (!isNumber(low) || !isNumber(high) || compareNumbers(low, high) <= 0) continue;
    findings.add('INVALID_FIELD_BOUND', `${path}/${least}`, `Nothing is at least '${least}' and at most '${most}'.`);
  }
  for (const name of GROWTH_SETTINGS)
    findings.member(field, name, path, (value) => isNumber(value) && toDouble(value) > 0, 'INVALID_RATE_FIELD', 'a number above 0');
  findings.member(field, '_ledger', path, isFlag, 'INVALID_FIELD_FLAG', 'true or false');
  findings.member(field, '_unique', path, isUnique, 'INVALID_FIELD_FLAG', 'true, false or caseless');
  if (type !== undefined && !NUMBERS.has(type) && GROWTH_SETTINGS.some((name) => (member(field, name) ?? null) !== null)) {
    findings.add('INVALID_RATE_FIELD', path, 'Only the growth of numbers can be limited.');
  }
  if (member(field, '_ledger') === true && type !== undefined && !NUMBERS.has(type)) {
    findings.add('INVALID_LEDGER', `${path}/_ledger`, 'A ledger follows numbers only.');
  }
  if (asksUnique(field) && type !== undefined && !['string', 'number', 'integer'].includes(type)) {
    findings.add('INVALID_UNIQUE', `${path}/_unique`, 'Only texts and numbers can be unique.');
  }
  if (asksUnique(field) && (member(field, 'default') ?? null) !== null) {
    findings.add('INVALID_UNIQUE', `${path}/default`, 'Only one document can have this default: the next one without a value is refused.');
  }
  findings.member(field, 'enum', path, (value) => isArray(value) && value.length > 0, 'INVALID_ENUM', 'a list of values');
  defaultFinding(field, type, path, findings);
  nestedFindings(field, type, path, findings);
}

const FITS: ReadonlyMap<string, (value: Json) => boolean> = new Map<string, (value: Json) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', isNumber],
  ['boolean', (value) => typeof value === 'boolean'],
  ['object', isObject],
  ['array', isArray],
]);

function defaultFinding(field: JsonObject, type: string | undefined, path: string, findings: Findings): void {
  const fits = FITS.get(type ?? '');
  if (fits !== undefined) findings.member(field, 'default', path, fits, 'INVALID_DEFAULT', `of the type ${type}`);
}

function nestedFindings(field: JsonObject, type: string | undefined, path: string, findings: Findings): void {
  const properties = member(field, 'properties');
  if (properties !== undefined && !isObject(properties))
    findings.add('INVALID_FIELD', `${path}/properties`, `'properties' must be an object.`);
  for (const [name, inner] of Object.entries(objectOf(properties))) namedField(name, inner, `${path}/properties/${name}`, findings);
  const required = member(field, 'required');
  if (isArray(required)) {
    for (const name of required) {
      if (typeof name === 'string' && Object.hasOwn(objectOf(properties), name)) continue;
      findings.add('REQUIRED_FIELD_MISSING', `${path}/required`, `'${String(name)}' is required but no field.`);
    }
  } else if (required !== undefined && typeof required !== 'boolean') {
    findings.add('INVALID_REQUIRED', `${path}/required`, `'required' is true, false or a list of names.`);
  }
  const items = member(field, 'items');
  const additional = member(field, 'additionalProperties');
  if (isObject(additional ?? null) || typeof additional === 'string') {
    namedField('additionalProperties', additional ?? null, `${path}/additionalProperties`, findings);
  } else if (additional !== undefined && typeof additional !== 'boolean') {
    findings.add('INVALID_FIELD', `${path}/additionalProperties`, `'additionalProperties' is true, false, or a field.`);
  }
  if (items !== undefined && tracksNumbers(items)) {
    findings.add('INVALID_LEDGER', `${path}/items`, 'A ledger follows nothing inside a list: its items have no lasting names.');
  }
  for (const [name, inner] of [
    ['items', items],
    ['additionalProperties', additional],
  ] as const) {
    if (inner === undefined || !hasGrowth(inner)) continue;
    findings.add('INVALID_RATE_FIELD', `${path}/${name}`, 'Only fields with a name of their own are limited, and none inside a list.');
  }
  if ([items, additional].some((inner) => inner !== undefined && hasUnique(inner))) {
    findings.add('INVALID_UNIQUE', path, 'Only fields with a name of their own are unique, and none inside a list.');
  }
  if (items !== undefined) namedField('items', items, `${path}/items`, findings);
  else if (type === 'array') findings.add('ARRAY_ITEMS', path, 'The items of this list are not described.');
}

const NUMBERS: ReadonlySet<string> = new Set(['number', 'integer', 'any']);

function isUnique(value: Json): boolean {
  return isFlag(value) || value === 'caseless';
}

function asksUnique(field: JsonObject): boolean {
  const asked = member(field, '_unique');
  return asked === true || asked === 'caseless';
}

function hasUnique(field: Json): boolean {
  if (!isObject(field)) return false;
  const inner = [...Object.values(objectOf(member(field, 'properties'))), member(field, 'additionalProperties'), member(field, 'items')];
  return asksUnique(field) || inner.some((one) => one !== undefined && hasUnique(one));
}

function hasGrowth(field: Json): boolean {
  if (!isObject(field)) return false;
  const inner = [...Object.values(objectOf(member(field, 'properties'))), member(field, 'additionalProperties'), member(field, 'items')];
  return growthWindows(field).length > 0 || inner.some((one) => one !== undefined && hasGrowth(one));
}

function tracksNumbers(field: Json): boolean {
  if (!isObject(field)) return false;
  const inner = [...Object.values(objectOf(member(field, 'properties'))), member(field, 'additionalProperties')];
  return member(field, '_ledger') === true || inner.some((one) => one !== undefined && tracksNumbers(one));
}
