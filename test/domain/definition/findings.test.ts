import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definitionFindings } from '../../../src/domain/definition/findings/definition.ts';
import { gameValuesFindings } from '../../../src/domain/definition/findings/values.ts';
import { decideSync } from '../../../src/domain/definition/push/decide-sync.ts';
import { strictly } from '../../../src/domain/definition/push/strict.ts';
import { compileItem } from '../../../src/domain/definition/source/compile.ts';
import { Findings, type Known } from '../../../src/domain/finding.ts';
import type { ListedKind } from '../../../src/domain/kinds.ts';
import { type Json, type JsonObject, parseJson } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, NOTHING_KNOWN } from './given.ts';

const EVERYTHING: Known = {
  ...NOTHING_KNOWN,
  collection: () => true,
  playersCollection: (name) => name !== 'towns',
  endpoint: () => true,
  callable: () => true,
  table: () => true,
  value: () => true,
};

function codes(kind: ListedKind, definition: JsonObject, known = EVERYTHING): string[] {
  return definitionFindings(kind, definition, known).map(({ code, pointer }) => `${code} ${pointer}`);
}

const step = (json: JsonObject): JsonObject => ({ id: 'e', steps: [{ id: 's', ...json }] });
const field = (json: Json): JsonObject => ({ id: 'c', schema: { f: json } });
const read = { type: 'read', collection: 'c', key: 'k' };
const condition = { type: 'condition', check: { expression: '1' } };
const routed = (onFalse: Json): JsonObject => step({ ...condition, onFalse });
const SOURCE = { collectionId: 'c' };
const top = (json: JsonObject, config: JsonObject = {}): JsonObject => ({
  id: 'q',
  sources: [SOURCE],
  config: { field: 'gold', ...config },
  ...json,
});
const table = (json: JsonObject): JsonObject => ({ tables: { t: { columns: [{ key: 'k', type: 'number' }], rows: [], ...json } } });
const op = (json: JsonObject): JsonObject => step({ type: 'write', collection: 'c', key: 'k', ops: [json] });

describe('the validator', () => {
  it.each<[string, ListedKind, JsonObject]>([
    ['UNKNOWN_TOP_LEVEL_FIELD /colour', 'endpoint', { steps: [read], colour: 1 }],
    ['INVALID_METHOD /method', 'endpoint', { method: 'PUT' }],
    ['INVALID_CONSOLE /console', 'endpoint', { console: 'player' }],
    ['INVALID_CONSOLE_PAGE /console/page', 'endpoint', { console: { page: 'shop', label: 'Go' } }],
    ['INVALID_CONSOLE_PAGE /console/page', 'endpoint', { console: { label: 'Go' } }],
    ['INVALID_CONSOLE_LABEL /console/label', 'endpoint', { console: { page: 'home', label: ' ' } }],
    ['INVALID_CONSOLE_LABEL /console/label', 'endpoint', { console: { page: 'home', label: 'x'.repeat(61) } }],
    ['INVALID_CONSOLE_CONFIRM /console/confirm', 'endpoint', { console: { page: 'home', label: 'Go', confirm: true } }],
    ['UNKNOWN_CONSOLE_MEMBER /console/colour', 'endpoint', { console: { page: 'home', label: 'Go', colour: 'red' } }],
    ['INVALID_FLAG /enabled', 'endpoint', { enabled: 'perhaps' }],
    ['INVALID_EXPOSURE /exposure', 'endpoint', { exposure: 'secret' }],
    ['INVALID_LET /let', 'endpoint', { let: { a: 1 } }],
    ['INVALID_INPUT /input', 'endpoint', { input: [] }],
    ['INPUT_REQUIRED_UNKNOWN /input/required/0', 'endpoint', { input: { required: ['a'] } }],
    ['INVALID_RESPONSE /response', 'endpoint', { response: 'x' }],
    ['INVALID_STATUS /response/status', 'endpoint', { response: { status: 700 } }],
    ['INVALID_ECHO /response/echo', 'endpoint', { response: { echo: [1] } }],
    ['RESPONSE_FIELD_IGNORED /response/code', 'endpoint', { response: { code: 1 } }],
    ['FIELD_MISREAD /response/body', 'endpoint', { response: { body: ['{{a}}'] } }],
    ['FIELD_MISREAD /response/body/body', 'endpoint', { response: { body: { ok: true, body: { a: 1 } } } }],
    ['FIELD_MISREAD /response/body/status', 'endpoint', { response: { body: { ok: true, status: 404 } } }],
    ['FIELD_MISREAD /response/body/error', 'endpoint', { response: { body: { ok: true, error: 'none' } } }],
    ['NO_STEPS /steps', 'endpoint', {}],
    ['NO_STEPS /steps', 'workflow', {}],
    ['INVALID_PARAMS /params', 'workflow', { params: 1 }],
    ['INVALID_RETURNS /returns', 'workflow', { returns: [] }],
    ['INVALID_ON_FAIL /onFail', 'workflow', { onFail: 1 }],
    ['INVALID_STEPS /steps', 'endpoint', { steps: {} }],
    ['INVALID_STEP /steps/0', 'endpoint', { steps: [1] }],
    ['MISSING_STEP_ID /steps/0/id', 'endpoint', { steps: [read] }],
    [
      'DUPLICATE_STEP_ID /steps/1/id',
      'endpoint',
      {
        steps: [
          { id: 'a', ...read },
          { id: 'a', ...read },
        ],
      },
    ],
    ['STEP_ID_FORMAT /steps/0/id', 'endpoint', { steps: [{ ...read, id: 'a-b' }] }],
    ['RESERVED_INPUT /input/properties/slug', 'endpoint', { ...step({}), input: { properties: { slug: { type: 'string' } } } }],
    ['RESERVED_INPUT /input/properties/args', 'endpoint', { ...step({}), input: { properties: { args: { type: 'object' } } } }],
    ['RESERVED_STEP_ID /steps/0/id', 'endpoint', { steps: [{ ...read, id: 'platformId' }] }],
    ['MISSING_STEP_TYPE /steps/0', 'endpoint', step({})],
    ['INVALID_STEP_TYPE /steps/0/type', 'endpoint', step({ type: 'explode' })],
    ['MISSING_COLLECTION /steps/0', 'endpoint', step({ type: 'read', key: 'k' })],
    ['ADDRESS_TAKEN /steps/0/key', 'endpoint', step({ type: 'write', collection: 'c', key: 'list', ops: [] })],
    ['MISSING_KEY /steps/0', 'endpoint', step({ type: 'delete', collection: 'c' })],
    ['MISSING_KEY /steps/0', 'endpoint', step({ type: 'read', collection: 'towns' })],
    ['MISSING_KEY /steps/0', 'endpoint', step({ type: 'read', collection: 'c', key: '' })],
    ['INVALID_REQUIRED /steps/0/required', 'endpoint', step({ ...read, required: 7 })],
    ['INVALID_ON_MISSING /steps/0/onMissing', 'endpoint', step({ ...read, onMissing: 'x' })],
    ['MISSING_VALUES_TABLE /steps/0', 'endpoint', step({ type: 'filter', source: 'values', where: { field: 'a', op: 'exists' } })],
    ['INVALID_SCAN_SOURCE /steps/0/source', 'endpoint', step({ type: 'lookup', source: 'web', where: { field: 'a', op: 'exists' } })],
    ['WHERE_REQUIRED /steps/0', 'endpoint', step({ type: 'lookup', collection: 'c' })],
    ['INVALID_WHERE /steps/0/where', 'endpoint', step({ type: 'lookup', collection: 'c', where: [] })],
    ['MISSING_LOOKUP_KEYS /steps/0', 'endpoint', step({ type: 'lookup_many', collection: 'c' })],
    ['MISSING_CHECK /steps/0', 'endpoint', step({ type: 'condition' })],
    ['MISSING_CHECK /steps/0', 'endpoint', step({ type: 'condition', field: 'a', op: 'is_null' })],
    ['INVALID_CONDITION_OP /steps/0/op', 'endpoint', step({ type: 'condition', field: 'a', op: 'nil' })],
    ['MISSING_CHECK /steps/0', 'endpoint', step({ type: 'assert' })],
    ...(
      [
        ['UNKNOWN_INPUT_MEMBER /input/properties/a/requird', { a: { requird: true } }],
        ['UNKNOWN_INPUT_MEMBER /input/properties/a/properties/b/format', { a: { properties: { b: { format: 'email' } } } }],
        ['INVALID_FIELD_BOUND /input/properties/a/maxLength', { a: { maxLength: '24' } }],
        ['INVALID_ENUM /input/properties/a/enum', { a: { enum: 'x' } }],
        ['INVALID_PATTERN /input/properties/a/pattern', { a: { pattern: '(?=x)' } }],
        ['INVALID_PATTERN /input/properties/a/pattern', { a: { pattern: 5 } }],
        ['INVALID_INPUT_DEFAULT /input/properties/a/default', { a: { type: 'number', default: 'x' } }],
        ['INVALID_ADDITIONAL_PROPERTIES /input/properties/a/additionalProperties', { a: { additionalProperties: 1 } }],
      ] satisfies [string, JsonObject][]
    ).map(([code, properties]): [string, ListedKind, JsonObject] => [code, 'endpoint', { ...step(read), input: { properties } }]),
    ['UNKNOWN_INPUT_MEMBER /input/requried', 'endpoint', { ...step(read), input: { properties: {}, requried: [] } }],
    ['RESERVED_INPUT /input/properties/V', 'endpoint', { ...step(read), method: 'get', input: { properties: { V: {} } } }],
    ['RESERVED_INPUT /input/properties/steamId', 'endpoint', { ...step(read), method: 'GET', input: { properties: { steamId: {} } } }],
    ['INPUT_UNCHECKED /input', 'endpoint', { ...step(read), input: { text: { type: 'string', required: true } } }],
    ['INVALID_CONDITION /steps/0/check', 'endpoint', step({ type: 'assert', check: 7 })],
    ['INVALID_CONDITION_GROUP /steps/0/check/all', 'endpoint', step({ type: 'assert', check: { all: [] } })],
    ['CONDITION_FIELD_REQUIRED /steps/0/check', 'endpoint', step({ type: 'assert', check: { op: '==', value: 1 } })],
    ['CONDITION_OP_REQUIRED /steps/0/check', 'endpoint', step({ type: 'assert', check: { field: 'a' } })],
    ['INVALID_CONDITION_OP /steps/0/check/op', 'endpoint', step({ type: 'assert', check: { field: 'a', op: '~', value: 1 } })],
    [
      'CONDITION_EXPRESSION_JOINED /steps/0/check/expression',
      'endpoint',
      step({ type: 'assert', check: { expression: '{{input.a}} > 1 && {{input.b}} < 9' } }),
    ],
    ['CONDITION_VALUE_MISSING /steps/0/check', 'endpoint', step({ type: 'assert', check: { field: 'a', op: '==' } })],
    [
      'CONDITION_WITHOUT_ORDER /steps/0/check/value',
      'endpoint',
      step({ type: 'assert', check: { field: 'input.at', op: '>', value: 'tomorrow' } }),
    ],
    ['CONDITION_WITHOUT_ORDER /steps/0/check/value', 'endpoint', step({ type: 'assert', check: { field: 'now', op: 'gte', value: 5 } })],
    [
      'CONDITION_WITHOUT_ORDER /steps/0/check/expression',
      'endpoint',
      step({ type: 'assert', check: { expression: '{{input.at}} < 2026-03-29' } }),
    ],
    [
      'CONDITION_WITHOUT_ORDER /steps/0/check/left',
      'endpoint',
      step({ type: 'assert', check: { left: '{{_dateUTC}}', op: '<', right: '{{input.at}}' } }),
    ],
    [
      'CONDITION_WITHOUT_ORDER /steps/0/where/value',
      'endpoint',
      step({ type: 'lookup', collection: 'c', where: { field: 'at', op: '<', value: '2026-02-30T00:00:00Z' } }),
    ],
    [
      'CONDITION_WITHOUT_ORDER /config/conditionValue',
      'query',
      { sources: ['c'], type: 'count', config: { field: 'at', condition: 'gt', conditionValue: 'May' } },
    ],
    ['INVALID_ROUTES /steps/0/routes', 'endpoint', step({ type: 'condition', check: { expression: '1' }, routes: 1 })],
    [
      'UNKNOWN_ROUTE /steps/0/routes/maybe',
      'endpoint',
      step({ type: 'condition', check: { expression: '1' }, routes: { maybe: 'return' } }),
    ],
    ['INVALID_ROUTE /steps/0/routes/false', 'endpoint', step({ type: 'condition', check: { expression: '1' }, routes: { false: 7 } })],
    [
      'ROUTE_ACTION_REQUIRED /steps/0/routes/true',
      'endpoint',
      step({ type: 'condition', check: { expression: '1' }, routes: { true: {} } }),
    ],
    [
      'INVALID_ROUTE_ACTION /steps/0/routes/true/action',
      'endpoint',
      step({ type: 'condition', check: { expression: '1' }, routes: { true: { action: 'fly' } } }),
    ],
    [
      'ROUTE_TARGET_REQUIRED /steps/0/routes/true',
      'endpoint',
      step({ type: 'condition', check: { expression: '1' }, routes: { true: { action: 'goto' } } }),
    ],
    ['ROUTE_TARGET_MISSING /steps/0/onFalse', 'endpoint', step({ type: 'condition', check: { expression: '1' }, onFalse: 'nowhere' })],
    ['ROUTE_FLOW_REQUIRED /steps/0/onFalse', 'endpoint', routed({ action: 'run' })],
    ['INVALID_SKIP_COUNT /steps/0/onFalse/count', 'endpoint', routed({ action: 'skip', count: 0 })],
    ['ROUTE_BACKWARD_JUMP /steps/0/onFalse', 'endpoint', routed('s')],
    [
      'ROUTE_FROM_BLOCK /steps/0/steps/0/onFalse',
      'endpoint',
      step({ type: 'block', steps: [{ id: 'i', ...condition, onFalse: 'return' }] }),
    ],
    ['ROUTE_IGNORED_IN_WORKFLOW /steps/0/onFalse', 'workflow', routed({ action: 'skip' })],
    ['CLAMP_NOT_SUPPORTED /steps/0/onFail/clamp', 'endpoint', step({ ...condition, onFail: { clamp: 5 } })],
    ['INVALID_ON_FAIL /steps/0/onFail', 'endpoint', step({ ...condition, onFail: 7 })],
    ['RECURSIVE_WORKFLOW /steps/0/workflow', 'workflow', { id: 'w', steps: [{ id: 's', type: 'workflow', workflow: 'w' }] }],
    ['INVALID_AS_MAP /steps/0/asMap', 'endpoint', step({ type: 'lookup_many', collection: 'c', keys: ['a'], asMap: 'perhaps' })],
    ['INVALID_KEY_FIELD /steps/0/keyField', 'endpoint', step({ type: 'lookup_many', collection: 'c', keys: ['a'], keyField: 7 })],
    ['INVALID_SLEEP_MS /steps/0', 'endpoint', step({ type: 'sleep', ms: -1 })],
    ['MISSING_WEBHOOK_URL /steps/0', 'endpoint', step({ type: 'webhook' })],
    ['INVALID_WEBHOOK_URL /steps/0/url', 'endpoint', step({ type: 'webhook', url: 'chat' })],
    ['INVALID_WEBHOOK_FIELDS /steps/0/fields', 'endpoint', step({ type: 'webhook', url: '{{input.url}}', fields: [{ name: 'a' }] })],
    ['WEBHOOK_COLOR /steps/0/color', 'endpoint', step({ type: 'webhook', url: '{{input.url}}', color: 'red' })],
    ['INVALID_OP_WHEN /steps/0/ops/0/when', 'endpoint', op({ op: 'set', path: 'a', value: 1, when: 'x' })],
    ['CONDITION_OP_REQUIRED /steps/0/ops/0/if', 'endpoint', op({ op: 'set', path: 'a', value: 1, if: { field: 'a' } })],
    ['MISSING_TRANSFORM_VALUE /steps/0', 'endpoint', step({ type: 'transform' })],
    ['MISSING_TRANSFORM_VALUE /steps/0', 'endpoint', step({ type: 'transform', set: {} })],
    ['MISSING_TRANSFORM_VALUE /steps/0', 'endpoint', step({ type: 'transform', append: 'queue' })],
    ['INVALID_TRANSFORM_TARGET /steps/0/set', 'endpoint', step({ type: 'transform', value: 1, set: ['a'] })],
    ['INVALID_TRANSFORM_TARGET /steps/0/set/a[', 'endpoint', step({ type: 'transform', set: { 'a[': 1 } })],
    ['INVALID_TRANSFORM_TARGET /steps/0/append/{{a}}.b', 'endpoint', step({ type: 'transform', append: { '{{a}}.b': 1 } })],
    ['INVALID_TRANSFORM_TARGET /steps/0/set', 'endpoint', step({ type: 'transform', value: 1, set: 'a.__proto__' })],
    ['RESERVED_STEP_ID /steps/0/set/input.x', 'endpoint', step({ type: 'transform', set: { 'input.x': 1 } })],
    ['INVALID_EXPRESSION /steps/0/value', 'endpoint', step({ type: 'transform', value: 'so {{visited[current}}' })],
    ['INVALID_EXPRESSION /steps/0/value/0', 'endpoint', step({ type: 'array', value: ['{{a[i + 1]}}'] })],
    ['INVALID_EXPRESSION /steps/0/value', 'endpoint', step({ type: 'transform', value: '{{list.includes(current)}}' })],
    ['INVALID_EXPRESSION /steps/0/value', 'endpoint', step({ type: 'transform', value: '{{a.{{b.keys()}}|1}}' })],
    ['INVALID_EXPRESSION /steps/0/value', 'endpoint', step({ type: 'transform', value: '{{length(a)}}' })],
    ['INVALID_EXPRESSION /steps/0/key', 'endpoint', step({ ...read, key: '{{a.constructor}}' })],
    ['INVALID_EXPRESSION /steps/0/from', 'endpoint', step({ type: 'lookup', from: 'a[', key: 'k' })],
    ['INVALID_EXPRESSION /steps/0/check/field', 'endpoint', step({ type: 'condition', check: { field: 'a]b[', op: 'exists' } })],
    ['INVALID_EXPRESSION /response/body', 'endpoint', { steps: [{ id: 's', ...read }], response: { body: '{{s.toString()}}' } }],
    ['WHERE_REQUIRED /steps/0', 'endpoint', step({ type: 'lookup', from: 'list' })],
    ['WHERE_REQUIRED /steps/0', 'endpoint', step({ type: 'filter', from: '{{list}}' })],
    ['INVALID_EXPRESSION /steps/0/expression', 'endpoint', step({ type: 'transform', expression: {} })],
    ['INVALID_EXPRESSION /steps/0/expression', 'endpoint', step({ type: 'transform', expression: 'max({{a}}, ' })],
    ['INVALID_EXPRESSION /steps/0/ops/0/valueExpression', 'endpoint', op({ op: 'inc', path: 'a', valueExpression: '2 +' })],
    ['INVALID_EXPRESSION /config/valueExpression', 'query', top({}, { valueExpression: '{{gold}} * (' })],
    ['MISSING_OBJECT_FIELDS /steps/0', 'endpoint', step({ type: 'object' })],
    ['INVALID_ARRAY_ITEMS /steps/0', 'endpoint', step({ type: 'array', items: 1 })],
    ['MISSING_MERGE_SOURCES /steps/0', 'endpoint', step({ type: 'merge' })],
    ['MISSING_SORT_SOURCE /steps/0', 'endpoint', step({ type: 'sort' })],
    ['INVALID_SORT_DIRECTION /steps/0/direction', 'endpoint', step({ type: 'sort', source: '{{a}}', direction: 'up' })],
    ['MISSING_SWITCH_CASES /steps/0', 'endpoint', step({ type: 'switch' })],
    ['INVALID_SWITCH_CASE /steps/0/cases/0', 'endpoint', step({ type: 'switch', cases: [{}] })],
    ['SWITCH_CASE_THEN /steps/0/cases/0', 'endpoint', step({ type: 'switch', cases: [{ when: { expression: '1' } }] })],
    ['MISSING_COMPUTE_VALUES /steps/0', 'endpoint', step({ type: 'compute' })],
    ['COMPUTE_OUTPUT /steps/0/output', 'endpoint', step({ type: 'compute', values: {}, output: 'list' })],
    ['INVALID_RANDOM_MODE /steps/0/mode', 'endpoint', step({ type: 'random', mode: 'dice' })],
    ['MISSING_RANDOM_ITEMS /steps/0', 'endpoint', step({ type: 'random', mode: 'weighted' })],
    ['MISSING_BLOCK_STEPS /steps/0', 'endpoint', step({ type: 'block' })],
    ['MISSING_STEP_TYPE /steps/0/steps/0', 'endpoint', step({ type: 'block', steps: [{ id: 'x' }] })],
    ['MISSING_MAX_ITERATIONS /steps/0', 'endpoint', step({ type: 'while', body: [] })],
    ['MISSING_LOOP_BODY /steps/0', 'endpoint', step({ type: 'until', maxIterations: 3 })],
    ['MISSING_FOREACH_FIELD /steps/0', 'endpoint', step({ type: 'foreach', maxIterations: 3, body: [], from: 'a' })],
    ['MISSING_WORKFLOW_TARGET /steps/0', 'endpoint', step({ type: 'workflow' })],
    ['MISSING_CALL_TARGET /steps/0', 'endpoint', step({ type: 'call' })],
    ['MISSING_WRITE_OPS /steps/0', 'endpoint', step({ type: 'write', collection: 'c', key: 'k' })],
    ['INVALID_WRITE_OP /steps/0/ops/0/op', 'endpoint', op({ op: 'unset', path: 'a' })],
    ['MISSING_OP_PATH /steps/0/ops/0', 'endpoint', op({ op: 'set', value: 1 })],
    ['MISSING_OP_VALUE /steps/0/ops/0', 'endpoint', op({ op: 'set', path: 'a' })],
    ['INC_VALUE_NOT_NUMERIC /steps/0/ops/0/value', 'endpoint', op({ op: 'inc', path: 'a', value: '5' })],
    ['RESERVED_SOURCE /steps/0/ops/0/source', 'endpoint', op({ op: 'inc', path: 'a', value: 5, source: 'correction' })],
    ['RESERVED_SOURCE /steps/0/ops/0/source', 'endpoint', op({ op: 'inc', path: 'a', value: 5, source: 'default' })],
    ['INVALID_CURRENCY /schema/a/_currency', 'collection', { schema: { a: { type: 'number', _ledger: true, _currency: '1' } } }],
    ['INVALID_FIELD_FLAG /schema/a/_personal', 'collection', { schema: { a: { type: 'string', _personal: 'yes' } } }],
    ['PERSONAL_LEDGER /schema/a/_personal', 'collection', { schema: { a: { type: 'number', _personal: true, _ledger: true } } }],
    [
      'PERSONAL_INSIDE /schema/a/_personal',
      'collection',
      { schema: { a: { type: 'object', _personal: true, properties: { b: { type: 'string', _personal: true } } } } },
    ],
    ['CURRENCY_WITHOUT_LEDGER /schema/a/_currency', 'collection', { schema: { a: { type: 'number', _currency: 'gold' } } }],
    ['MERGE_VALUE_NOT_OBJECT /steps/0/ops/0/value', 'endpoint', op({ op: 'merge', path: 'a', value: 5 })],
    ['PULL_REQUIRES_MATCH /steps/0/ops/0', 'endpoint', op({ op: 'pull', path: 'a', value: 5 })],
    ['COLLECTION_NAME_FORMAT /name', 'collection', { name: 'My Camp' }],
    ['COLLECTION_TYPE /collectionType', 'collection', { collectionType: 'shared' }],
    ['ACCESS_MODE /accessMode', 'collection', { accessMode: 'open' }],
    ['INVALID_MAX_RECORDS /maxRecords', 'collection', { maxRecords: 51 }],
    ['INVALID_RATE_LIMIT_ACTION /rateLimitAction', 'collection', { rateLimitAction: 'flag' }],
    ['INVALID_RATE_LIMITS /rateLimits', 'collection', { rateLimits: { mode: 'always' } }],
    ['EMPTY_COLLECTION_DEFINITION ', 'collection', { id: 'c' }],
    ['GAME_VALUES_HIDDEN /visibility', 'collection', { accessMode: 'public', constants: { shop: { axe: 5 } } }],
    ['INVALID_SCHEMA /schema', 'collection', { schema: [] }],
    ['INVALID_FIELD_NAME /schema/1a', 'collection', { schema: { '1a': 'string' } }],
    ['INVALID_FIELD /schema/f', 'collection', field(7)],
    ['FIELD_MISREAD /schema/error', 'collection', { schema: { error: 'string' } }],
    ['FIELD_MISREAD /schema/body', 'collection', { schema: { body: { properties: {} } } }],
    ['FIELD_MISREAD /schema/properties/ops', 'collection', { schema: { properties: { ops: { type: 'array', items: 'string' } } } }],
    ['INVALID_FIELD_TYPE /schema/f/type', 'collection', field({ type: 'text' })],
    ['INVALID_FIELD_BOUND /schema/f/min', 'collection', field({ type: 'number', min: 'x' })],
    ['INVALID_FIELD_BOUND /schema/f/minItems', 'collection', field({ type: 'array', minItems: 2, maxItems: 1 })],
    ['INVALID_LEDGER /schema/f/_ledger', 'collection', field({ type: 'string', _ledger: true })],
    [
      'INVALID_LEDGER /schema/f/items',
      'collection',
      field({ type: 'array', items: { properties: { n: { type: 'number', _ledger: true } } } }),
    ],
    [
      'INVALID_FIELD_TYPE /schema/f/additionalProperties/type',
      'collection',
      field({ type: 'object', additionalProperties: { type: 'text' } }),
    ],
    ['INVALID_UNIQUE /schema/f/_unique', 'collection', field({ type: 'object', _unique: true })],
    ['INVALID_RATE_FIELD /schema/f/_maxPerDay', 'collection', field({ type: 'number', _maxPerDay: 0 })],
    ['INVALID_ENUM /schema/f/enum', 'collection', field({ type: 'string', enum: [] })],
    ['INVALID_DEFAULT /schema/f/default', 'collection', field({ type: 'number', default: 'x' })],
    ['INVALID_DEFAULT /schema/f/default', 'collection', field({ type: 'integer', default: '100' })],
    ['INVALID_DEFAULT /schema/f/default', 'collection', field({ type: 'integer', default: 1.5 })],
    ['REQUIRED_FIELD_MISSING /schema/f/required', 'collection', field({ type: 'object', required: ['a'] })],
    ['INVALID_REQUIRED /schema/f/required', 'collection', field({ type: 'string', required: 7 })],
    ['ARRAY_ITEMS /schema/f', 'collection', field({ type: 'array' })],
    ['UNKNOWN_FIELD_SETTING /schema/f/colour', 'collection', field({ type: 'string', colour: 1 })],
    ['INVALID_GROUP_ENTRIES /constants/g', 'collection', { constants: { g: 7 } }],
    ['INVALID_GROUP_ENTRIES /constants/0/entries', 'collection', { constants: [{ id: 'g' }] }],
    ['UNKNOWN_GAME_VALUE_MEMBER /constants/0/entires', 'collection', { constants: [{ group: 'g', values: {}, entires: {} }] }],
    [
      'UNKNOWN_GAME_VALUE_MEMBER /constants/0/entries/0/valeu',
      'collection',
      { constants: [{ id: 'g', entries: [{ key: 'a', value: 1, valeu: 2 }] }] },
    ],
    ['UNKNOWN_GAME_VALUE_MEMBER /tables/t/row', 'collection', table({ row: [] })],
    ['UNKNOWN_GAME_VALUE_MEMBER /tables/t/columns/0/tpye', 'collection', table({ columns: [{ key: 'k', tpye: 'number' }] })],
    ['UNKNOWN_QUERY_MEMBER /config/columns/0/pth', 'query', top({}, { columns: [{ name: 'a', pth: 'gold' }] })],
    ['UNKNOWN_QUERY_MEMBER /config/joins/0/foregnKey', 'query', top({}, { joins: [{ collectionId: 'c', foregnKey: 'a' }] })],
    ['UNKNOWN_QUERY_MEMBER /config/joins/0/on/rigth', 'query', top({}, { joins: [{ collectionId: 'c', on: { rigth: 'a' } }] })],
    ['UNKNOWN_QUERY_MEMBER /config/computed/0/exprssion', 'query', top({}, { computed: [{ name: 'a', exprssion: '1' }] })],
    ['UNKNOWN_QUERY_MEMBER /config/enrichment/field', 'query', top({}, { enrichment: { field: [] } })],
    ['UNKNOWN_QUERY_MEMBER /sources/0/colection', 'query', { ...top({}), sources: [{ ...SOURCE, colection: 'd' }] }],
    ['INVALID_RATE_LIMITS /rateLimits/savePerDay', 'collection', { schema: {}, rateLimits: { mode: 'player', savePerDay: 5 } }],
    ['UNKNOWN_BLOCK_MEMBER /blocks/b/check', 'library', { blocks: { b: { steps: [], check: true } } }],
    ['UNKNOWN_PARAM_MEMBER /blocks/b/params/p/default', 'library', { blocks: { b: { steps: [], params: { p: { default: 1 } } } } }],
    ['UNKNOWN_PARAM_MEMBER /params/p/requird', 'workflow', { ...step(read), params: { p: { type: 'number', requird: true } } }],
    ['INVALID_PARAM_TYPE /params/p/type', 'workflow', { ...step(read), params: { p: 'numbr' } }],
    ['UNKNOWN_STEP_MEMBER /onFail/mesage', 'workflow', { ...step(read), onFail: { mesage: 'no' } }],
    ['GROUP_ENTRY_SHAPE /constants/0/entries/0', 'collection', { constants: [{ group: 'g', values: [{ key: 'a' }] }] }],
    ['INVALID_GAME_VALUE_ID /constants/a.b', 'collection', { constants: { 'a.b': {} } }],
    ['INVALID_GAME_VALUES /tables', 'collection', { tables: 'x' }],
    ['INVALID_TABLE_COLUMNS /tables/t/columns', 'collection', table({ columns: 1 })],
    ['INVALID_TABLE_COLUMN /tables/t/columns/0', 'collection', table({ columns: [{ key: 'k', type: 'date' }] })],
    ['INVALID_TABLE_COLUMN /tables/t/columns/1', 'collection', table({ columns: ['k', 'k'] })],
    ['INVALID_TABLE_ROWS /tables/t/rows', 'collection', table({ rows: {} })],
    ['INVALID_TABLE_ROW /tables/t/rows/0', 'collection', table({ rows: [7] })],
    ['TABLE_CELL_TYPE /tables/t/rows/1/k', 'collection', table({ rows: [{ k: 1 }, { k: '1' }] })],
    [
      'TABLE_CELL_RANGE /tables/t/rows/1/k',
      'collection',
      table({ columns: [{ key: 'k', type: 'number', min: 0, max: 9 }], rows: [{ k: 9 }, { k: 10 }] }),
    ],
    ['TABLE_CELL_RANGE /tables/t/rows/0/0', 'collection', table({ columns: [{ key: 'k', min: 0 }], rows: [[-1], [0]] })],
    ['UNKNOWN_TABLE_CELL /tables/t/rows/0/1', 'collection', table({ rows: [[1, 2]] })],
    ['INVALID_QUERY_TYPE /type', 'query', top({ type: 'median' })],
    ['QUERY_SOURCES_REQUIRED /sources', 'query', top({ sources: [] })],
    ['SOURCE_COLLECTION_REQUIRED /sources/0', 'query', top({ sources: [{}] })],
    ['DUPLICATE_SOURCE_ALIAS /sources/1', 'query', top({ sources: [SOURCE, { ...SOURCE, name: 'other' }] })],
    ['INVALID_QUERY_CONFIG /config', 'query', top({ config: [] })],
    ['QUERY_FIELD_REQUIRED /config/field', 'query', top({ type: 'sum', config: {} })],
    ['INVALID_QUERY_LIMIT /config/limit', 'query', top({}, { limit: 1001 })],
    ['INVALID_QUERY_ORDER /config/order', 'query', top({}, { order: 'DESC' })],
    ['INVALID_COUNT_CONDITION /config/condition', 'query', top({ type: 'count' }, { condition: '>' })],
    ['INVALID_QUERY_FIELDS /config/fields', 'query', top({}, { fields: 'a' })],
    ['INVALID_QUERY_FIELDS /config/columns/0', 'query', top({}, { columns: [{ label: 'a' }] })],
    ['WHOLE_DOCUMENTS /config/columns', 'query', top({})],
    ['INVALID_QUERY_JOINS /config/joins', 'query', top({}, { joins: {} })],
    ['INVALID_QUERY_JOINS /sources/0/join', 'query', top({ sources: [{ ...SOURCE, join: 1 }] })],
    ['JOIN_COLLECTION_REQUIRED /config/joins/0', 'query', top({}, { joins: [{ localKey: 'a' }] })],
    ['JOIN_KEY_REQUIRED /config/joins/0', 'query', top({}, { joins: [{ sourceCollectionId: 'c' }] })],
    ['INVALID_JOIN_TYPE /config/joins/0/type', 'query', top({}, { joins: [{ alias: 'c', type: 'outer' }] })],
    ['INVALID_CACHE_TTL /cache/ttlSeconds', 'query', top({ cache: { ttlSeconds: 86_401 } })],
    ['INVALID_FLAG /requiresSecretKey', 'query', top({ requiresSecretKey: 'perhaps' })],
  ])('%s', (expected, kind, definition) => {
    expect(codes(kind, definition)).toContain(expected);
  });

  it.each<[string, ListedKind, JsonObject]>([
    ['INVALID_MEMBER /input/required', 'endpoint', { input: { required: 'item', properties: { item: 'string' } } }],
    ['INVALID_MEMBER /input/properties/item/type', 'endpoint', { input: { properties: { item: { type: 7 } } } }],
    ['INVALID_STATUS /steps/0/status', 'endpoint', step({ type: 'assert', check: { expression: '1' }, status: 4090 })],
    ['INVALID_STATUS /steps/0/onFalse/status', 'endpoint', routed({ action: 'reject', status: '{{input.status}}' })],
    ['INVALID_STATUS /steps/0/onMissing/status', 'endpoint', step({ ...read, onMissing: { status: 4090 } })],
    ['INVALID_MEMBER /steps/0/onMissing/errorCode', 'endpoint', step({ ...read, onMissing: { errorCode: 4090 } })],
    ['INVALID_MEMBER /steps/0/ops/0/reason', 'endpoint', op({ op: 'inc', path: 'gold', value: 1, reason: ['x'] })],
    ['INVALID_MEMBER /steps/0/from', 'endpoint', step({ type: 'foreach', from: [1], item: 'i', maxIterations: 1, steps: [] })],
    ['MISSING_CHECK /steps/0', 'endpoint', step({ type: 'while', maxIterations: 1, steps: [] })],
    ['CONDITION_OP_REQUIRED /steps/0/check', 'endpoint', step({ type: 'until', check: { field: 'a' }, maxIterations: 1, steps: [] })],
    ['INVALID_EXPRESSION /steps/0/expression', 'endpoint', step({ type: 'sort', source: '{{input.a}}', expression: '1 +' })],
    [
      'UNKNOWN_STEP_MEMBER /steps/0/fields/0/inlin',
      'endpoint',
      step({ type: 'webhook', url: 'https://x', fields: [{ name: 'a', value: 1, inlin: true }] }),
    ],
    ['CONDITION_FIELD_REQUIRED /check', 'workflow', { check: { feld: 'gold', op: '>', value: 1 }, steps: [] }],
    ['INVALID_MEMBER /visibility', 'collection', { schema: {}, visibility: 'open' }],
    ['INVALID_MEMBER /history', 'collection', { schema: {}, history: 'players' }],
    ['INVALID_MEMBER /schema/f/type', 'collection', field({ type: ['string', 'null'] })],
    ['INVALID_MEMBER /tables/0/columns/0/min', 'collection', { tables: [{ id: 't', columns: [{ key: 'k', min: 'low' }], rows: [] }] }],
    ['INVALID_MEMBER /config/joins/0/required', 'query', top({}, { joins: [{ collectionId: 'd', localKey: 'a', required: 'often' }] })],
    ['INVALID_MEMBER /config/columns/0/template', 'query', top({}, { columns: [{ name: 'a', template: {} }] })],
  ])('finds a value that would be left out without a word: %s', (expected, kind, definition) => {
    expect(codes(kind, definition)).toContain(expected);
  });

  it('says what a value of another form must be, and says it once', () => {
    const messages = (definition: JsonObject) => definitionFindings('endpoint', definition, EVERYTHING).map(({ message }) => message);
    expect(messages({ steps: [{ id: 'a', ...read }], input: { required: 'item', properties: { item: 'string' } } })).toEqual([
      `'required' must be a list of texts.`,
    ]);
    expect(messages(step({ type: 'assert', check: { expression: '1' }, status: 4090, errorCode: {} }))).toEqual([
      `'status' must be a number from 200 to 599; it is 400.`,
      `'errorCode' must be a text.`,
    ]);
    expect(messages(step({ ...read, onMissing: 'x' }))).toHaveLength(1);
  });

  it('has nothing to say where tools write nothing, a blank text, or a number for an id', () => {
    const nothing = {
      slug: 7,
      input: null,
      response: null,
      steps: [{ id: 'a', ...read, onMissing: null, as: '' }],
    };
    expect(codes('endpoint', nothing)).toEqual([]);
    expect(codes('query', top({}, { columns: [{ name: 7, path: 'gold' }] }))).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['of every type', top({ type: 'count', config: {} })],
    ['without a type', top({}, { limit: 1, order: 'asc', fields: ['name', { path: 'gold', label: 'Gold' }] })],
    [
      'with joins',
      top(
        { sources: [SOURCE, { collection: 'd', as: 'b', join: { left: 'x', type: 'inner' } }] },
        { joins: [{ index: 1 }], columns: ['name'] },
      ),
    ],
    [
      'by an expression',
      top({ cache: { ttlSeconds: 0 }, requiresSecretKey: true }, { field: { expression: '{{gold}} + 1' }, condition: '>' }),
    ],
  ])('has nothing to say about a usable query %s', (_, definition) => {
    expect(codes('query', definition)).toEqual([]);
    expect(codes('query', definition, NOTHING_KNOWN).every((code) => code.startsWith('COLLECTION_NOT_FOUND /sources/'))).toBe(true);
  });

  it.each<[string[], Json]>([
    [
      [],
      {
        items: [
          { id: 'g', type: 'group', entries: { a: 1 } },
          { id: 't', type: 'table', columns: [{ key: 'k', type: 'number' }], rows: [{ k: 1 }] },
        ],
      },
    ],
    [['EMPTY_GAME_VALUES '], {}],
    [['EMPTY_GAME_VALUES '], { items: [] }],
    [['INVALID_GAME_VALUES /items'], { items: 'x' }],
    [['INVALID_GAME_VALUES /0'], [1]],
    [['INVALID_GAME_VALUE_ID /items/0/id'], { items: [{ type: 'group', entries: {} }] }],
    [
      ['DUPLICATE_GAME_VALUE_ID /1/id'],
      [
        { id: 'g', type: 'group', entries: {} },
        { id: 'g', type: 'group', entries: {} },
      ],
    ],
    [['INVALID_GAME_VALUE_TYPE /0/type'], [{ id: 'g', entries: {} }]],
    [['INVALID_GROUP_ENTRIES /0/entries'], [{ id: 'g', type: 'group' }]],
    [['GAME_VALUE_IGNORED /0'], [{ id: 'taken', type: 'group', entries: {} }]],
    [['LEGACY_GAME_VALUES '], { groups: { g: { a: 1 } }, tables: {} }],
  ])('finds %j in game values', (expected, document) => {
    const findings = new Findings(EVERYTHING);
    gameValuesFindings(document, (id) => id === 'taken', findings);
    expect(findings.all.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(expected);
  });

  it('does not look into tokens that are deeper in one another than a call takes, however many', () => {
    const deep = (levels: number) => step({ type: 'transform', value: `${'{{absent.'.repeat(levels)}x${'}}'.repeat(levels)}` });
    expect(codes('endpoint', deep(8))).toContain('UNKNOWN_NAME /steps/0/value');
    for (const levels of [9, 20_000]) expect(codes('endpoint', deep(levels))).toEqual(['INVALID_EXPRESSION /steps/0/value']);
  });

  it('finds a workflow that calls itself, also through others, but not a step with its name', () => {
    const charge: JsonObject = {
      id: 'charge',
      steps: [{ id: 'b', type: 'block', steps: [{ id: 'w', type: 'workflow', workflow: 'tax' }] }],
    };
    const tax = (target: string): JsonObject => ({ id: 'tax', steps: [{ id: 'c', type: 'call', target }] });
    const known = (target: string): Known => ({ ...EVERYTHING, workflow: (id) => (id === 'tax' ? tax(target) : undefined) });
    expect(codes('workflow', charge, known('charge'))).toEqual(['RECURSIVE_WORKFLOW /steps/0/steps/0/workflow']);
    expect(codes('workflow', charge, known('tax'))).toEqual([]);
    const route = { id: 'x', type: 'condition', check: { expression: '1' }, routes: { true: { action: 'goto', target: 'charge' } } };
    const step = { id: 'charge', type: 'transform', expression: '1' };
    expect(codes('workflow', { id: 'charge', steps: [route, step] }).filter((code) => code.startsWith('RECURSIVE'))).toEqual([]);
  });

  it('knows what a definition may refer to, and does not judge templates', () => {
    const found = codes(
      'endpoint',
      {
        steps: [
          { id: 'a', ...read },
          { id: 'b', type: 'workflow', workflow: 'w' },
          { id: 'c', type: 'lookup', source: 'values', table: 't', where: { field: 'a', op: 'exists' } },
          { id: 'd', type: 'read', collection: '{{input.c}}', key: 'k' },
          { id: 'e', type: 'call', target: 'library.block' },
        ],
      },
      NOTHING_KNOWN,
    );
    expect(found).toEqual([
      'COLLECTION_NOT_FOUND /steps/0/collection',
      'WORKFLOW_NOT_FOUND /steps/1/workflow',
      'VALUES_TABLE_NOT_FOUND /steps/2/table',
      'BLOCK_NOT_FOUND /steps/4/target',
    ]);
  });

  it('finds a param that a workflow does not declare, and none where it declares nothing', () => {
    const calls = step({ type: 'workflow', workflow: 'w', params: { coast: 1, why: 2 } });
    const declaring = (params: JsonObject): Known => ({ ...EVERYTHING, workflow: () => ({ params, requires: { why: {} } }) });
    expect(codes('endpoint', calls, declaring({ cost: {} }))).toEqual(['UNKNOWN_PARAM /steps/0/params/coast']);
    expect(codes('endpoint', calls, declaring({}))).toEqual([]);
  });

  it('finds types of an input that do not exist, at any depth, and what requires nothing', () => {
    const properties = {
      a: { type: 'int' },
      b: { type: 'numbr', required: 'yes' },
      c: { type: 'object', required: ['d'], properties: { d: 'strin' } },
      e: { type: 'array', items: { type: ['string', 'nul'] } },
      f: { type: 'any' },
    };
    expect(codes('endpoint', { id: 'e', input: { properties }, steps: [{ id: 'a', type: 'transform', value: 1 }] })).toEqual([
      'INVALID_INPUT_TYPE /input/properties/b/type',
      'INVALID_REQUIRED /input/properties/b/required',
      'INVALID_INPUT_TYPE /input/properties/c/properties/d',
      'INVALID_INPUT_TYPE /input/properties/e/items/type',
    ]);
  });

  it('finds a default that is no listed value, and says where under `fields`', () => {
    expect(codes('collection', { fields: { rank: { type: 'string', enum: ['low', 'high'], default: 'mid' } } })).toEqual([
      'INVALID_DEFAULT /fields/rank/default',
    ]);
    expect(codes('collection', { schema: { rank: { type: 'number', enum: [1, 2], default: 2 } } })).toEqual([]);
  });

  it('finds what calculates nothing, or cannot: an operator in a token, names without braces in an expression', () => {
    const steps = [
      { id: 'a', type: 'transform', value: '{{input.n * 2}} {{input.a-b}} {{-input.n}} {{input.n | 2}}' },
      { id: 'b', type: 'compute', values: { wrong: 'input.n + 1', fine: '{{input.n}} + 1', also: 'sum(list, "n")' } },
      { id: 'c', type: 'compute', mode: 'template', values: { fine: 'input.n + 1' } },
      { id: 'd', type: 'condition', check: { expression: 'input.n > 1' } },
      { id: 'e', type: 'condition', check: { expression: '{{input.n}} > gold' } },
    ];
    expect(codes('endpoint', { id: 'e', input: { properties: { n: {}, 'a-b': {}, list: {} } }, steps })).toEqual([
      'INVALID_EXPRESSION /steps/1/values/wrong',
      'INVALID_EXPRESSION /steps/3/check/expression',
      'CONDITION_WITHOUT_ORDER /steps/4/check/expression',
      'INVALID_EXPRESSION /steps/0/value',
    ]);
  });

  it('finds game values that are not there: a group, a table, an entry of a group', () => {
    const known: Known = { ...EVERYTHING, value: (path) => ['shop', 'shop.sword', 'prices', 'prices.0'].includes(path) };
    const steps = [
      { id: 'a', type: 'compute', values: { fine: '{{values.shop.sword}} + {{values.prices.0.price}} + {{values.shop}}' } },
      { id: 'b', type: 'compute', values: { wrong: '{{values.shop.find}}' } },
      { id: 'c', type: 'lookup', from: 'values.nowhere.list', key: 'x' },
    ];
    const found = ['VALUE_NOT_FOUND /steps/1/values/wrong', 'VALUE_NOT_FOUND /steps/2/from'];
    expect(codes('endpoint', { id: 'e', steps }, known)).toEqual(found);
    const inside = [
      { id: 'a', type: 'transform', value: '{{values.prices[0].price}} {{max(values.shop.sword, 2)}} {{a[input.n]}}' },
      { id: 'b', type: 'transform', value: '{{values.pricez[0].price}}' },
      { id: 'c', type: 'transform', value: '{{max(2, values.shop.swrd)}}' },
      { id: 'd', type: 'transform', value: '{{itms[0]}}' },
    ];
    expect(codes('endpoint', { id: 'e', steps: inside }, known)).toEqual([
      'VALUE_NOT_FOUND /steps/1/value',
      'VALUE_NOT_FOUND /steps/2/value',
      'UNKNOWN_NAME /steps/3/value',
    ]);
    const own = { id: 'values', type: 'compute', values: { shop: '1' } };
    expect(codes('endpoint', { id: 'e', steps: [own, ...steps] }, known)).toEqual(['RESERVED_STEP_ID /steps/0/id']);
  });

  it.each<[string, JsonObject]>([
    ['UNKNOWN_NAME /steps/0/check/left', { type: 'assert', check: { left: 'x', operator: '>', right: 1 } }],
    ['INVALID_CONDITION_OP /steps/0/condition/operator', { type: 'condition', condition: { left: 'input.x', operator: 'nope', right: 1 } }],
    ['MISSING_STEP_TYPE /steps/0/body/0', { type: 'block', body: [{ id: 'a' }] }],
    ['ROUTE_TARGET_MISSING /steps/0/onTrue', { ...condition, onTrue: { action: 'goto', target: 'away' } }],
    ['WORKFLOW_NOT_FOUND /steps/0/routes/pass/flow', { ...condition, routes: { pass: { action: 'flow', flow: 'w' } } }],
    ['WORKFLOW_NOT_FOUND /steps/0/target', { type: 'call', target: 'w' }],
    ['INVALID_OP_WHEN /steps/0/ops/0/if', { ...read, type: 'write', ops: [{ op: 'set', path: 'a', value: 1, if: 'x' }] }],
    ['INVALID_EXPRESSION /steps/0/fields/a', { type: 'compute', fields: { a: '(' } }],
  ])('stands where its author wrote it, under the name that the author chose: %s', (expected, json) => {
    const known = { ...EVERYTHING, callable: () => false, workflow: () => undefined };
    expect(codes('endpoint', { ...step(json), response: { body: '{{s}}' } }, known)).toContain(expected);
    expect(codes('endpoint', step({ type: 'switch', cases: [{ when: true, value: 1 }] }))).toEqual([]);
  });

  it('allows fields named like parts of an answer where no client misreads them', () => {
    const schema = { ok: 'string', status: { type: 'string' }, body: { type: 'number' }, error: 'boolean', ops: 'number', nothing: 'null' };
    expect(codes('collection', { schema })).toEqual([]);
  });

  it('has no findings for routes that continue, nor for the editor’s words for operations', () => {
    const steps = [
      {
        id: 'a',
        type: 'condition',
        check: { field: 'input.x', operator: 'equals', value: 1 },
        routes: { true: 'b', false: { action: 'skip', count: 2 } },
      },
      { id: 'b', type: 'sleep', delayMs: 5 },
      { id: 'c', type: 'condition', check: { expression: '1' }, onFail: 'skip' },
    ];
    expect(codes('endpoint', { id: 'e', steps })).toEqual([]);
  });

  it('has no finding for a step without a key in a collection of players: it means the caller’s own document', () => {
    expect(codes('endpoint', step({ type: 'read', collection: 'c' }))).toEqual([]);
    expect(codes('endpoint', step({ type: 'write', collection: 'c', ops: [{ op: 'inc', path: 'gold', value: 1 }] }))).toEqual([]);
  });

  const GAME = new URL('../../../infra/demo/game/', import.meta.url);
  const files = readdirSync(GAME).filter((file) => /\.(endpoint|collection|workflow)\.yml$/.test(file));
  it.each(files)('has no findings for %s of the example game', (file) => {
    const kind = file.includes('.endpoint.') ? 'endpoint' : file.includes('.workflow.') ? 'workflow' : 'collection';
    const sourceText = readFileSync(new URL(file, GAME), 'utf8');
    const compiled = compileItem({ kind, id: file.split('.')[0] ?? '', sourceFormat: 'yaml', sourceText }, kind);
    expect(compiled).toMatchObject({ ok: true, warnings: [] });
    if (compiled.ok) expect(codes(kind, compiled.definition)).toEqual([]);
  });

  it('has no findings for the queries and game values of the example game', () => {
    const game = (file: string): Json => parseJson(readFileSync(new URL(file, GAME), 'utf8'));
    const findings = new Findings(EVERYTHING);
    gameValuesFindings(game('values.json'), () => false, findings);
    expect(findings.all).toEqual([]);
    for (const query of Object.values(Object(game('queries.json')))) expect(codes('query', Object(query))).toEqual([]);
  });

  it('accepts all of the example game as its own tool pushes it, in a strict push', () => {
    const game = (file: string): Json => parseJson(readFileSync(new URL(file, GAME), 'utf8'));
    const sources = (kind: string) =>
      files
        .filter((file) => file.includes(`.${kind}.`))
        .map((file) => ({ kind, id: file.split('.')[0] ?? '', sourcePath: file, sourceText: readFileSync(new URL(file, GAME), 'utf8') }));
    let state = EMPTY;
    const push = (body: Json) => {
      state = fold(state, accepted(strictly(decideSync(state, body, 'live', 0, { strict: true }))).events);
    };
    push({ collections: sources('collection') });
    push({ workflows: sources('workflow') });
    push({ gameValues: game('values.json') });
    push({ rateLimitRules: game('rules.json') });
    push({ queries: game('queries.json') });
    push({ endpoints: sources('endpoint') });
    expect(state.live.endpoint.size).toBeGreaterThan(0);
  });

  it('has a bounded number of findings for any input, and never throws', () => {
    const name = fc.constantFrom(
      'steps',
      'type',
      'id',
      'check',
      'routes',
      'ops',
      'schema',
      'properties',
      'items',
      'where',
      'cases',
      'body',
      'all',
      'f',
      'sources',
      'config',
      'joins',
      'columns',
      'rows',
      'tables',
      'constants',
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom('read', 'write', 'condition', 'block', 'foreach', 'switch', '{{x}}', 'array', '', 7, true, null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.constantFrom<ListedKind>('endpoint', 'workflow', 'collection', 'query'), fc.dictionary(name, value), (kind, made) => {
        const definition = parseJson(JSON.stringify(made));
        expect(definitionFindings(kind, Object(definition), NOTHING_KNOWN).length).toBeLessThanOrEqual(100);
        gameValuesFindings(definition, () => false, new Findings(NOTHING_KNOWN));
      }),
    );
  });
});
