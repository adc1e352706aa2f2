import { describe, expect, it } from 'vitest';
import { definitionFindings } from '../../src/domain/definition/findings/definition.ts';
import { blockIn } from '../../src/domain/definition/findings/known.ts';
import { compileItem } from '../../src/domain/definition/source/compile.ts';
import type { Known } from '../../src/domain/finding.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { compileEndpoint } from '../../src/language/compile.ts';
import { mayWrite } from '../../src/language/writes.ts';
import { NOTHING_KNOWN } from '../domain/definition/given.ts';
import { callOf, endpointModel, NO_READS, ran, refusalOf } from './support.ts';

/** Libraries of blocks, as authors write them. */

const LIBRARY = source(
  'library',
  `
sourceVersion: 1
kind: library
id: economy
blocks:
  profile_exists:
    params:
      profile: { type: object }
    steps:
      - { id: there, type: condition, check: { field: profile, op: exists }, onTrue: continue,
          else: [ { id: no, type: return, value: false } ] }
      - { id: yes, type: return, value: true }
  price_of:
    params:
      level: { type: number }
    steps:
      - { id: base, type: call, target: base_price }
      - { id: price, type: transform, expression: "{{base}} * {{level}}" }
    returns:
      price: "{{price}}"
      by: "{{level}}"
  base_price:
    steps:
      - { id: done, type: return, value: 7 }
  pay:
    params:
      player: { type: string }
    steps:
      - { id: take, type: write, collection: purses, key: "{{player}}", ops: [ { op: inc, path: gold, value: -5 } ] }
`,
);

const ENDPOINT = `
sourceVersion: 1
kind: endpoint
id: start
imports: [ economy ]
steps:
  - { id: known, type: call, target: economy.profile_exists, params: { profile: "{{input.profile}}" } }
  - { id: cost, type: call, target: economy.price_of, params: { level: 3 } }
response:
  body: { known: "{{known}}", price: "{{cost.price}}", by: "{{cost.by}}" }
`;

function source(kind: 'library' | 'endpoint', sourceText: string): JsonObject {
  const compiled = compileItem({ kind, sourceFormat: 'yaml', sourceText }, kind);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.definition;
}

const definitions = {
  workflow: () => undefined,
  endpoint: () => undefined,
  library: (id: string) => (id === 'economy' ? { id, hash: '', definition: LIBRARY } : undefined),
  values: {},
};

function body(definition: JsonObject, input: JsonObject = {}): Json {
  return ran(compileEndpoint(definition, definitions), callOf({ input }), NO_READS).body;
}

const KNOWN: Known = {
  ...NOTHING_KNOWN,
  collection: () => true,
  playersCollection: () => true,
  library: (id) => id === 'economy',
  block: (name) => blockIn(name, (id) => definitions.library(id)?.definition),
  table: () => true,
  value: () => true,
};

const found = (definition: JsonObject, known = KNOWN) =>
  definitionFindings('endpoint', definition, known).map(({ code, pointer }) => `${code} ${pointer}`);

describe('a block of a library', () => {
  it('is run by a call of library.block, with its params, and gives its value or what it returns', () => {
    expect(body(source('endpoint', ENDPOINT), { profile: { name: 'Ada' } })).toEqual({ known: true, price: 21, by: 3 });
    expect(body(source('endpoint', ENDPOINT))).toEqual({ known: false, price: 21, by: 3 });
  });

  it('that does not exist fails when it is reached, and is a finding', () => {
    const call = { id: 'c', type: 'call', target: 'economy.nothing' };
    const other = { id: 'd', type: 'call', target: 'trade.sell' };
    expect(refusalOf(() => body({ steps: [call] }))).toMatchObject({ status: 400, code: 'ENDPOINT_ERROR.CALL' });
    expect(found({ id: 'e', slug: 'e', steps: [call, other] })).toEqual([
      'BLOCK_NOT_FOUND /steps/0/target',
      'BLOCK_NOT_FOUND /steps/1/target',
    ]);
    expect(body({ steps: [{ ...call, when: false }], response: { body: { ok: true } } })).toEqual({ ok: true });
  });

  it('has its params checked where it is called', () => {
    const steps = [{ id: 'c', type: 'call', target: 'economy.price_of', params: { level: 1, levle: 2 } }];
    expect(found({ id: 'e', slug: 'e', imports: ['economy'], steps })).toEqual(['UNKNOWN_PARAM /steps/0/params/levle']);
  });

  it('is found where its library is not among the imports', () => {
    const steps = [{ id: 'c', type: 'call', target: 'economy.price_of', params: { level: 1 } }];
    expect(found({ id: 'e', slug: 'e', steps })).toEqual(['LIBRARY_NOT_IMPORTED /steps/0/target']);
  });

  it('that may write makes the endpoint that calls it one that may write', () => {
    const endpoint = endpointModel('e', { steps: [{ id: 'c', type: 'call', target: 'economy.pay' }] });
    expect(mayWrite(endpoint, definitions)).toBe(true);
  });
});

describe('the validator', () => {
  it('finds nothing in a library and an endpoint that imports it', () => {
    expect(definitionFindings('library', LIBRARY, KNOWN)).toEqual([]);
    expect(found(source('endpoint', ENDPOINT))).toEqual([]);
  });

  it('finds imports that do not exist, are repeated, or are not a list', () => {
    const none = { ...KNOWN, library: () => false };
    expect(found({ id: 'e', slug: 'e', imports: ['economy', 'economy'], steps: [{ id: 'r', type: 'return' }] }, none)).toEqual([
      'UNRESOLVED_IMPORT /imports/0',
      'DUPLICATE_IMPORT /imports/1',
    ]);
    expect(found({ id: 'e', slug: 'e', imports: 'economy', steps: [{ id: 'r', type: 'return' }] })).toEqual(['INVALID_IMPORTS /imports']);
  });

  it('checks the blocks of a library', () => {
    const library = { id: 'l', name: 'l', blocks: { 'a.b': { steps: [{ id: 'x', type: 'nope' }] }, empty: {}, none: 3 } };
    expect(definitionFindings('library', library, KNOWN).map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'INVALID_BLOCK_NAME /blocks/a.b',
      'INVALID_STEP_TYPE /blocks/a.b/steps/0/type',
      'MISSING_BLOCK_STEPS /blocks/empty',
      'INVALID_BLOCK /blocks/none',
    ]);
    expect(definitionFindings('library', { id: 'l', name: 'l' }, KNOWN).map(({ code }) => code)).toEqual(['NO_BLOCKS']);
  });
});
