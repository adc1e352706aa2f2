import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { refused, run } from './support.ts';

const steps: Json[] = [
  { id: 'bag', type: 'object', fields: { gold: 3 } },
  { id: 'inf', type: 'transform', expression: '1 / 0' },
];
const answer = (response?: JsonObject) => {
  const { status, body } = run(response === undefined ? { steps } : { steps, response });
  return { status, body };
};

describe('a response', () => {
  it.each<[string, JsonObject | undefined, number, Json]>([
    ['none is 200 ok', undefined, 200, { ok: true }],
    ['without body is ok', { status: 201 }, 201, { ok: true }],
    ['with status 0 is 200', { status: 0 }, 200, { ok: true }],
    ['with status 204 is the 200 that a caller gets, also in a test', { status: 204 }, 200, { ok: true }],
    ['is sent as it is', { body: { gold: '{{bag.gold}}' } }, 200, { gold: 3 }],
    ['may be one token', { body: '{{bag}}' }, 200, { gold: 3 }],
    ['omits missing members, and lists them as null', { body: { a: '{{nope}}', b: ['{{nope}}'], c: null } }, 200, { b: [null], c: null }],
    ['has no infinite numbers', { body: { a: { b: ['{{inf}}'] } } }, 200, { a: { b: [null] } }],
    ['echoes tokens by their last name', { body: { a: 1 }, echo: ['{{bag.gold}}', '{{bag.silver|0}}'] }, 200, { a: 1, gold: 3, silver: 0 }],
    ['echoes alone', { echo: ['{{bag.gold}}'] }, 200, { gold: 3 }],
  ])('%s', (_name, response, status, body) => {
    expect(answer(response)).toEqual({ status, body });
  });

  it('that fails refuses the call, and nothing is written', () => {
    expect(refused({ steps, response: { body: '{{-bag}}' } })).toMatchObject({ status: 400, code: 'ENDPOINT_ERROR.RESPONSE' });
  });
});
