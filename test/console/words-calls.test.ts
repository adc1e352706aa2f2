import { expect, it } from 'vitest';
import {
  calledText,
  conditionOf,
  nameSought,
  rateText,
  refusalSaid,
  shorterReach,
  spanMs,
  stepOf,
  stepRefusing,
} from '../../src/console/words/calls.ts';
import { exactJson, sentJson } from '../../src/console/words/exact.ts';
import { fieldsOfInput, inputOf, WHOLE } from '../../src/console/words/input.ts';

const SCHEMA = {
  required: ['item', 'amount'],
  properties: {
    item: { type: 'string', title: 'Item', maxLength: 20 },
    amount: { type: 'int', min: 1, max: 9 },
    gift: 'boolean',
    size: { enum: ['small', 'large', 3] },
    price: { type: ['number', 'null'], required: true },
    tags: { type: 'list' },
    mode: { type: 'string', required: true, default: 'fast' },
    any: { type: ['string', 'number'] },
  },
};

it('names what was called: an endpoint, another request, or what the node itself tells', () => {
  const request = { slug: null, method: 'GET', path: '/v3/x' };
  expect(calledText({ ...request, slug: 'buy' })).toBe('buy');
  expect(calledText(request)).toBe('GET /v3/x');
  expect(calledText({ ...request, method: 'ALARM' })).toBe('An alarm was raised');
});

it('makes fields of every way in which an input is declared', () => {
  const fields = fieldsOfInput(SCHEMA) ?? [];
  const brief = fields.map(({ name, label, kind, isRequired }) => [name, label, kind, isRequired]);
  expect(brief).toEqual([
    ['item', 'Item', 'text', true],
    ['amount', 'amount', 'number', true],
    ['gift', 'gift', 'flag', false],
    ['size', 'size', 'choice', false],
    ['price', 'price', 'number', true],
    ['tags', 'tags', 'json', false],
    ['mode', 'mode', 'text', false],
    ['any', 'any', 'json', false],
  ]);
  expect(fields.find(({ name }) => name === 'amount')?.says).toBe('a whole number · at least 1 · at most 9');
  expect(fields.find(({ name }) => name === 'mode')?.says).toBe('text · "fast" where left out');
  for (const none of [undefined, null, 'text', {}, { properties: {} }]) expect(fieldsOfInput(none)).toBeNull();
});

it('sends what was typed by its type, leaves out what is empty, and names each field that is wrong', () => {
  const fields = fieldsOfInput(SCHEMA);
  const typed = { item: '7', amount: '3', gift: 'false', size: '2', price: '2.50', tags: '[1, "a"]', any: '"x"' };
  const input = { item: '7', amount: 3, gift: false, size: 3, price: 2.5, tags: [1, 'a'], any: 'x' };
  expect(inputOf(fields, typed)).toEqual({ ok: true, input });
  expect(inputOf(fields, { amount: '1.5', price: 'cheap', tags: '[1,' })).toMatchObject({
    ok: false,
    problems: { amount: expect.stringContaining('whole'), price: expect.stringContaining('number'), tags: expect.stringContaining('JSON') },
  });
  expect(inputOf(null, {})).toEqual({ ok: true, input: {} });
  expect(inputOf(null, { [WHOLE]: '{"a": 1}' })).toEqual({ ok: true, input: { a: 1 } });
  for (const text of ['[1]', '3', '{']) expect(inputOf(null, { [WHOLE]: text })).toMatchObject({ ok: false });
});

it('keeps the digits of numbers that a page could not hold, on the way to the server, too', () => {
  const entered = inputOf(fieldsOfInput({ properties: { id: 'integer', at: 'object' } }), {
    id: '76561198000000001234',
    at: '{"x": 0.12345678901234567890}',
  });
  expect(exactJson(entered.ok ? entered.input : null)).toBe('{"id":76561198000000001234,"at":{"x":0.12345678901234567890}}');
  expect(sentJson('{"a":"\uE000\\",\\"b\\":1"}')).toBe('{"a":"\uE000\\",\\"b\\":1"}');
});

it('finds the step that refused a call, and its condition', () => {
  const step = { id: 'enough', type: 'assert', check: 'gold >= price' };
  const definition = { id: 'buy', steps: [{ id: 'each', type: 'forEach', do: [step] }], response: { id: 'enough' } };
  expect(stepOf(definition, 'each > enough')).toEqual(step);
  expect(conditionOf(step)).toBe('gold >= price');
  expect(conditionOf({ id: 'a', type: 'assert', condition: { gte: ['gold', 1] } })).toBe('{"gte":["gold",1]}');
  const refusing = { id: 'rich', type: 'condition', check: 'a', onFail: { error: 'TOO_POOR' } };
  expect(stepRefusing({ steps: [step, refusing] }, 'TOO_POOR')).toEqual(refusing);
  expect(stepRefusing({ steps: [refusing, { ...refusing, id: 'other' }] }, 'TOO_POOR')).toBeNull();
  expect([stepOf(definition, 'other'), stepOf(null, 'x'), conditionOf({ id: 'a' })]).toEqual([null, null, null]);
});

it('says rates and reaches as people read them', () => {
  expect([600, 60, 7.26, 0.5, 0.0001].map(rateText)).toEqual(['10/s', '1/s', '7.3/min', '30/h', 'rare']);
  expect([spanMs(undefined), spanMs('15m')]).toEqual([3_600_000, 900_000]);
  const at = (from: string) => ({ from });
  expect(shorterReach({ from: 'a', counted: { succeeded: at('a'), failed: at('a') } })).toBeNull();
  expect(shorterReach({ from: 'a', counted: { succeeded: at('b'), failed: at('a') } })).toEqual({ succeeded: 'b', failed: null });
});

it('a refusal is told as the game words it, and what went through is none', () => {
  const refused = (body: unknown) => refusalSaid({ result: { ok: false, status: 409, body } });
  expect(refused({ ok: false, error: { code: 'TOO_POOR', message: 'This costs 40 gold.' } })).toEqual({
    why: 'This costs 40 gold.',
    code: 'TOO_POOR',
  });
  expect(refused('no')).toEqual({ why: 'It says no more.', code: '' });
  expect(refusalSaid({ result: { ok: true, status: 200, body: {} } })).toBe(null);
});

it('what may be a name is looked for, an id of digits and one that is offered are not', () => {
  const guest = 'guest-19352811d61d835e59bd30aa535686a2';
  const sought = (typed: string) => nameSought(typed, [guest]);
  expect(['Bo', ' Ada', 'bot-1', 'guest-1'].map(sought)).toEqual(['Bo', 'Ada', 'bot-1', 'guest-1']);
  expect(['', 'A', '76561198000000001', '7up', guest, ` ${guest} `].map(sought)).toEqual(['', '', '', '', '', '']);
});
