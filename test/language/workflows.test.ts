import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/kernel/json.ts';
import { failurePath } from '../../src/language/failure-path.ts';
import { refused, result, run } from './support.ts';

const call = (workflow: string, params: JsonObject = {}): JsonObject => ({ id: 'w', type: 'workflow', workflow, params });

describe('a workflow', () => {
  it('sees params, input and built-ins, and nothing of its caller', () => {
    const workflows = {
      w: { returns: { cost: '{{cost}}', also: '{{params.cost}}', n: '{{input.n}}', hidden: '{{secret|none}}', player: '{{platformId}}' } },
    };
    const steps = [{ id: 'secret', type: 'transform', value: 1 }, call('w', { cost: '{{secret}}' })];
    expect(result(steps, '{{w}}', { workflows, input: { n: 2 } })).toEqual({
      result: { cost: 1, also: 1, n: 2, hidden: 'none', player: '76561198000000001' },
    });
  });

  it('without returns gives every name it bound', () => {
    const workflows = { w: { steps: [{ id: 'a', type: 'transform', expression: '{{x}} + 1' }] } };
    expect(result([call('w', { x: 1 })], '{{w}}', { workflows })).toEqual({ result: { x: 1, a: 2 } });
  });

  it('queues its writes with the call’s', () => {
    const workflows = { w: { steps: [{ id: 'p', type: 'write', collection: 'c', key: 'k', ops: [{ op: 'inc', path: 'a', value: 1 }] }] } };
    expect(run({ steps: [call('w'), call('w')] }, { workflows }).writes).toHaveLength(2);
  });

  it('fails the call with its own failing step', () => {
    const workflows = { w: { steps: [{ id: 'inner', type: 'transform', expression: '{{nope}} + 1' }] } };
    const refusal = refused({ steps: [call('w')] }, { workflows });
    expect(refusal).toMatchObject({ status: 400, code: 'ENDPOINT_ERROR.TRANSFORM' });
    expect(refusal.extra.error).toMatchObject({ step: { id: 'inner' } });
  });

  it('fails the call with the way to its failing step, through whatever it calls', () => {
    const workflows = {
      w: { steps: [{ id: 'pay', type: 'call', target: 'charge' }] },
      charge: { steps: [{ id: 'enough', type: 'condition', check: { expression: '0' }, onFalse: { action: 'run', workflow: 'refuse' } }] },
      refuse: { steps: [{ id: 'no', type: 'condition', check: { expression: '0' } }] },
      guarded: { check: { expression: '0' } },
      thin: { steps: [{ id: 'a', type: 'assert', check: { field: 'x', op: 'exists' } }] },
    };
    const failing = (workflow: string) => refused({ steps: [call(workflow)] }, { workflows });
    expect(failing('w').extra.error).toEqual({
      within: [
        { step: 'w', called: 'w' },
        { step: 'pay', called: 'charge' },
        { step: 'enough', called: 'refuse' },
      ],
    });
    expect(failing('thin').extra.error).toEqual({ step: { id: 'a', type: 'assert' }, within: [{ step: 'w', called: 'thin' }] });
    expect(['w', 'thin', 'guarded'].map((each) => failurePath(failing(each)))).toEqual([
      'w > w > pay > charge > enough > refuse',
      'w > thin > a',
      'w > guarded',
    ]);
    const own = refused({ steps: [{ id: 'a', type: 'assert', check: { field: 'x', op: 'exists' } }] });
    expect(own.extra.error).toEqual({ step: { id: 'a', type: 'assert' } });
    expect(failurePath(own)).toBe('a');
  });

  it('checks its condition before its steps, and fails with onFail', () => {
    const workflows = {
      w: {
        condition: { field: 'gold', op: '>=', value: 5 },
        onFail: { status: 402, errorCode: 'POOR', errorMessage: 'Only {{gold}}.' },
        returns: { ok: true },
      },
    };
    expect(result([call('w', { gold: 5 })], '{{w}}', { workflows })).toEqual({ result: { ok: true } });
    expect(refused({ steps: [call('w', { gold: 1 })] }, { workflows })).toMatchObject({ status: 402, code: 'POOR', message: 'Only 1.' });
  });

  it('used as a condition sees its caller’s names, and its routes are ignored', () => {
    const workflows = { w: { check: { field: 'bag.gold', op: '>=', value: '{{least}}' }, onFail: { error: 'POOR', message: 'No.' } } };
    const steps = (least: number) => [
      { id: 'bag', type: 'object', fields: { gold: 3 } },
      { id: 'c', type: 'condition', workflow: 'w', params: { least }, routes: { false: 'continue' } },
    ];
    expect(result(steps(3), ['{{c}}', '{{least|none}}'], { workflows })).toEqual({ result: [true, 'none'] });
    const refusal = refused({ steps: steps(4) }, { workflows });
    expect(refusal).toMatchObject({ status: 400, code: 'POOR', message: 'No.' });
    expect(refusal.extra.error).toEqual({ step: { id: 'c', type: 'condition' } });
  });

  it('reads older bindings as paths', () => {
    const workflows = { w: { check: { field: 'have', op: '==', value: 3 } } };
    const steps = [
      { id: 'bag', type: 'object', fields: { gold: 3 } },
      { id: 'c', type: 'condition', workflow: 'w', bindings: { have: 'bag.gold' } },
    ];
    expect(result(steps, '{{c}}', { workflows })).toEqual({ result: true });
  });

  it('ignores the routes return, goto and skip', () => {
    const route = { id: 'c', type: 'condition', check: { expression: '1 == 1' }, routes: { true: 'return' } };
    const workflows = { w: { steps: [route, { id: 'a', type: 'transform', value: 1 }], returns: { a: '{{a}}' } } };
    expect(result([call('w')], '{{w.a}}', { workflows })).toEqual({ result: 1 });
  });

  it('may be nested at most five deep', () => {
    const chain = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, n) => [`w${n}`, { steps: n + 1 < length ? [call(`w${n + 1}`)] : [] }]));
    expect(run({ steps: [call('w0')] }, { workflows: chain(5) }).status).toBe(200);
    expect(refused({ steps: [call('w0')] }, { workflows: chain(6) }).message).toContain('depth exceeded (max 5)');
    expect(refused({ steps: [call('w')] }, { workflows: { w: { steps: [call('w')] } } }).code).toBe('ENDPOINT_ERROR.WORKFLOW');
  });
});

describe('an internal endpoint', () => {
  const endpoints = {
    inner: {
      exposure: 'internal',
      steps: [{ id: 'a', type: 'transform', expression: '{{params.n}} + {{n}}' }],
      response: { body: { sum: '{{a}}' } },
    },
    open: { response: { body: 1 } },
  };

  it('is logic that gives its response body', () => {
    expect(result([call('inner', { n: 2 })], '{{w.sum}}', { endpoints })).toEqual({ result: 4 });
  });

  it('comes after a workflow with its name; a public one cannot be called', () => {
    expect(result([call('inner')], '{{w}}', { endpoints, workflows: { inner: { returns: { flow: true } } } })).toEqual({
      result: { flow: true },
    });
    expect(refused({ steps: [call('open')] }, { endpoints }).message).toContain('not found');
  });
});

describe('call and return', () => {
  it('calls a block of a library, whose value is what it returns', () => {
    const library = {
      blocks: {
        double: {
          steps: [
            { id: 'r', type: 'return', value: { x: '{{n}}{{n}}' } },
            { id: 'never', type: 'teleport' },
          ],
        },
      },
    };
    const steps = [{ id: 'c', type: 'call', target: 'lib.double', params: { n: 2 } }];
    expect(result(steps, '{{c.x}}', { workflows: { lib: library } })).toEqual({ result: '22' });
  });

  it('return answers the call with its value', () => {
    const steps = [
      { id: 'r', type: 'return', value: { n: '{{input.n}}' } },
      { id: 'never', type: 'teleport' },
    ];
    expect(run({ steps, response: { status: 201, body: 1 } }, { input: { n: 3 } })).toMatchObject({ status: 201, body: { n: 3 } });
  });

  it('return without a value answers with the response', () => {
    expect(
      run({
        steps: [
          { id: 'r', type: 'return' },
          { id: 'never', type: 'teleport' },
        ],
        response: { body: { a: 1 } },
      }).body,
    ).toEqual({ a: 1 });
  });
});
