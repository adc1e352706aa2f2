import { describe, expect, it } from 'vitest';
import { applyOperations } from '../../src/domain/document/operations.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import type { PendingWrite } from '../../src/language/run.ts';
import { callOf, refused, run } from './support.ts';

const BREW: JsonObject = {
  id: 'brew',
  slug: 'brew',
  let: { herbs: 'bag.items.herb' },
  steps: [
    { id: 'bag', type: 'read', collection: 'bags', key: '{{platformId}}' },
    {
      id: 'recipe',
      type: 'lookup',
      source: 'values',
      table: 'potions',
      where: { field: 'name', op: '==', value: '{{input.potion}}' },
      required: true,
      onMissing: { status: 404, errorCode: 'NO_RECIPE', message: 'No recipe {{input.potion}}.' },
    },
    { id: 'need', type: 'transform', expression: 'max({{input.count|1}}, 1) * {{recipe.herbs}}' },
    {
      id: 'enough',
      type: 'condition',
      check: { field: 'herbs|0', op: '>=', value: '{{need}}' },
      routes: { false: { action: 'reject', status: 409, error: 'TOO_FEW_HERBS', message: 'Need {{need}}.' } },
    },
    {
      id: 'pay',
      type: 'write',
      collection: 'bags',
      key: '{{platformId}}',
      ops: [
        { op: 'inc', path: 'items.herb', value: '{{-need}}', source: 'brew', reason: '{{recipe.name}}' },
        { op: 'push', path: 'log', value: { at: '{{now}}', what: '{{recipe.name}}' } },
      ],
    },
  ],
  response: { status: 200, body: { ok: true, used: '{{need}}', text: 'Used {{need}} herbs' } },
};

const values = { potions: [{ name: 'red', herbs: 3 }] };
const key = `bags/${callOf({}).platformId}`;
const full = { [key]: { items: { herb: 7 } } };

function stored(document: JsonObject, writes: readonly PendingWrite[]): JsonObject {
  return writes.reduce((before, write) => (write.kind === 'write' ? applyOperations(before, write.ops).document : {}), document);
}

describe('a worked example', () => {
  it('brews two potions and keeps the number a number', () => {
    const { status, body, writes } = run(BREW, { values, documents: full, input: { potion: 'red', count: 2 } });
    expect({ status, body }).toEqual({ status: 200, body: { ok: true, used: 6, text: 'Used 6 herbs' } });
    expect(stored({ items: { herb: 7 } }, writes)).toEqual({
      items: { herb: 1 },
      log: [{ at: '2023-11-14T22:13:20.000Z', what: 'red' }],
    });
    expect(writes[0]).toMatchObject({ target: { collection: 'bags' }, stepId: 'pay', ops: [{ source: 'brew', reason: 'red' }, {}] });
  });

  it('rejects with the route when herbs are short', () => {
    const refusal = refused(BREW, { values, documents: { [key]: { items: { herb: 1 } } }, input: { potion: 'red', count: 2 } });
    expect(refusal).toMatchObject({ status: 409, code: 'TOO_FEW_HERBS', message: 'Need 6.' });
    expect(refusal.extra).toEqual({ body: { flagged: false, severity: null, conditionRejection: true, fireWebhook: false } });
  });

  it('fails the lookup with the words of onMissing', () => {
    const refusal = refused(BREW, { values, documents: full, input: { potion: 'blue' } });
    expect(refusal).toMatchObject({ status: 404, code: 'NO_RECIPE', message: 'No recipe blue.' });
    expect(refusal.extra.error).toEqual({ step: { id: 'recipe', type: 'lookup', table: 'potions' } });
  });

  it('refuses arithmetic over a text', () => {
    const refusal = refused(BREW, { values, documents: full, input: { potion: 'red', count: 'x' } });
    expect(refusal).toMatchObject({ status: 400, code: 'ENDPOINT_ERROR.TRANSFORM' });
    expect(refusal.extra.error).toEqual({
      step: { id: 'need', type: 'transform', expression: 'max({{input.count|1}}, 1) * {{recipe.herbs}}' },
    });
  });

  it('reads a missing document as an empty bag', () => {
    expect(refused(BREW, { values, input: { potion: 'red' } })).toMatchObject({ status: 409, code: 'TOO_FEW_HERBS' });
  });
});
