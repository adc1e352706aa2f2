import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import type { EndpointCall } from '../../src/language/expressions/call.ts';
import { refused, run, STILL } from './support.ts';

/** The bounds that a definition sets for itself, and what happens when they are used up. */

const read = (id: string): JsonObject => ({ id, type: 'read', collection: 'c', key: 'k' });
const write = (ops: number): JsonObject => ({
  id: 'w',
  type: 'write',
  collection: 'c',
  key: 'k',
  ops: Array.from({ length: ops }, () => ({ op: 'inc', path: 'n', value: 1 })),
});
const turns = (steps: readonly Json[]): JsonObject => ({ id: 'l', type: 'foreach', from: 'input.list', item: 'i', steps });
const input = { list: [1, 2, 3] };

describe('the budgets of a definition', () => {
  it.each<[string, JsonObject, readonly Json[]]>([
    ['reads', { reads: 2 }, [turns([read('r')])]],
    ['filters', { filters: 2 }, [turns([{ id: 'f', type: 'filter', from: 'input.list', where: { field: 'x', op: 'exists' } }])]],
    ['writes', { writes: 2 }, [turns([write(1)])]],
    ['writeOps', { writeOps: 5 }, [turns([write(2)])]],
    ['maxIterations', { maxIterations: 5 }, [turns([]), { ...turns([]), id: 'm' }]],
    ['nestedCalls', { nestedCalls: 2 }, [turns([{ id: 'c', type: 'call', target: 'one' }])]],
    ['maxWorkflowDepth', { maxWorkflowDepth: 1 }, [{ id: 'c', type: 'call', target: 'two' }]],
    ['maxSleepMs', { maxSleepMs: 5 }, [turns([{ id: 's', type: 'sleep', ms: 2 }])]],
    [
      'maxStepVisits',
      { maxStepVisits: 3 },
      [read('r'), { id: 'g', type: 'condition', check: { expression: '1 == 1' }, onTrue: { action: 'goto', step: 'r' } }],
    ],
  ])('hold in a call: %s', (name, budgets, steps) => {
    const workflows = { one: { returns: {} }, two: { steps: [{ id: 'c', type: 'call', target: 'one' }] } };
    const refusal = refused({ budgets, steps }, { input, workflows });
    expect(refusal).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED', extra: { error: { budgetCategory: name } } });
    if (name === 'maxStepVisits') return;
    const enough = Object.fromEntries(Object.entries(budgets).map(([key, limit]) => [key, Number(limit) * 2]));
    expect(run({ budgets: enough, steps }, { input, workflows }).status).toBe(200);
  });

  it('of a workflow apply to it alone, those of its caller to both', () => {
    const workflows = { w: { budgets: { reads: 1 }, steps: [read('r')] } };
    const call = { id: 'c', type: 'workflow', workflow: 'w' };
    const steps = [read('a'), read('b'), call, { ...call, id: 'd' }];
    expect(run({ steps }, { workflows }).status).toBe(200);
    expect(run({ budgets: { reads: 4 }, steps }, { workflows }).status).toBe(200);
    expect(refused({ budgets: { reads: 3 }, steps }, { workflows }).code).toBe('LIMIT_EXCEEDED');
    expect(refused({ steps: [call] }, { workflows: { w: { budgets: { reads: 0 }, steps: [read('r')] } } }).code).toBe('LIMIT_EXCEEDED');
  });
});

describe('return_on', () => {
  it.each<[string, JsonObject]>([
    ['a check', { check: { field: 'input.n', op: '>', value: 1 } }],
    ['on', { on: { expression: '{{input.n}} > 1' } }],
  ])('leaves with its value where its condition holds: %s', (_name, condition) => {
    const steps = [
      { id: 'r', type: 'return_on', value: { left: '{{input.n}}' }, ...condition },
      { id: 'x', type: 'transform', value: 'went on' },
    ];
    const body = (n: number) => run({ steps, response: { body: { result: '{{x}}' } } }, { input: { n } }).body;
    expect(body(2)).toEqual({ left: 2 });
    expect(body(1)).toEqual({ result: 'went on' });
  });
});

describe('a webhook', () => {
  const hook = { id: 'hook', type: 'webhook', url: 'https://chat.example/', title: 'Hello' };

  function sent(steps: readonly Json[], response: Json = { ok: true }) {
    const [now, later]: [string[], string[]] = [[], []];
    const effects: EndpointCall['effects'] = {
      ...STILL,
      webhook: (_index, url) => {
        now.push(url);
        return { ok: true, status: 204 };
      },
      notify: (url) => {
        later.push(url);
        return { ok: true, queued: true };
      },
    };
    const { body } = run({ steps, response: { body: response } }, { call: { effects } });
    return { now: now.length, later: later.length, body };
  }

  it('is sent after the call, unless the definition reads its result', () => {
    expect(sent([hook])).toEqual({ now: 0, later: 1, body: { ok: true } });
    expect(sent([hook, { id: 'x', type: 'transform', value: 'hook' }])).toMatchObject({ now: 0, later: 1 });
    expect(sent([hook], { told: '{{hook.ok}}' })).toEqual({ now: 1, later: 0, body: { told: true } });
    const check = { id: 'c', type: 'condition', check: { field: 'hook.status', op: '==', value: 204 } };
    expect(sent([hook, check])).toMatchObject({ now: 1, later: 0 });
    expect(sent([{ ...hook, as: 'told' }], { hook: '{{hook|none}}' })).toEqual({ now: 0, later: 1, body: { hook: 'none' } });
  });

  it('counts with the others of the call, whenever it is sent', () => {
    const hooks = Array.from({ length: 6 }, (_, index) => ({ ...hook, id: `h${index}` }));
    expect(refused({ steps: hooks }, { call: { effects: { ...STILL, notify: () => ({ ok: true }) } } }).code).toBe('LIMIT_EXCEEDED');
  });
});
