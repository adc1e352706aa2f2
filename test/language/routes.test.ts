import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { refused, result, run } from './support.ts';

/** A computed name, because an object literal with it looks like a promise to linters. */
const THEN = 'then';

const set = (id: string, value: Json): JsonObject => ({ id, type: 'transform', value });
const check = (passes: boolean, more: JsonObject): JsonObject => ({
  id: 'c',
  type: 'condition',
  check: { expression: `1 == ${passes ? 1 : 2}` },
  ...more,
});
const trail = (steps: readonly Json[], world = {}) => result(steps, ['{{a}}', '{{b}}', '{{last}}'], world);

describe('a condition', () => {
  it('continues if it passes and rejects if it fails, by default', () => {
    expect(result([check(true, {})], '{{c}}')).toEqual({ result: true });
    const refusal = refused({ steps: [check(false, {})] });
    expect(refusal).toMatchObject({ status: 400, code: 'CONDITION_FAILED', message: 'Condition check failed.' });
    expect(refusal.extra.body).toEqual({ flagged: false, severity: null, conditionRejection: true, fireWebhook: false });
  });

  it('rejects with the words of the route', () => {
    const route = {
      action: 'reject',
      status: 409,
      errorCode: 'A',
      error: 'B',
      message: 'For {{input.n}}: {{c}}',
      flag: true,
      severity: 'warning',
      webhook: true,
    };
    const refusal = refused({ steps: [check(false, { routes: { false: route } })] }, { input: { n: 2 } });
    expect(refusal).toMatchObject({ status: 409, code: 'A', message: 'For 2: false' });
    expect(refusal.extra.body).toEqual({ flagged: true, severity: 'warning', conditionRejection: true, fireWebhook: true });
  });

  it('may reject with 200, so that the game can read why', () => {
    expect(refused({ steps: [check(false, { routes: { false: { action: 'reject', status: 200 } } })] }).status).toBe(200);
  });

  it.each<[string, JsonObject]>([
    ['routes', { routes: { false: { action: 'goto', step: 'end' } } }],
    ['a word', { routes: { false: 'end' } }],
    ['onFalse', { onFalse: { type: 'step', target: 'end' } }],
    ['routes.fail', { routes: { fail: 'end' } }],
    ['onFail with a step', { onFail: { skip: 'end' } }],
    ['skip', { routes: { false: { action: 'skip', count: 2 } } }],
    ['onFail with a number', { onFail: { action: 'skip', skipSteps: 2 } }],
  ])('leaves out the steps between, by %s', (_name, more) => {
    const end: JsonObject = { ...set('end', 1), as: 'last' };
    expect(trail([check(false, more), set('a', 1), set('b', 1), { ...end, as: 'end' }, set('last', 1)])).toEqual({
      result: [null, null, 1],
    });
  });

  it.each<[string, JsonObject, Json]>([
    ['skip is one step', { routes: { false: 'skip' } }, [null, 1, 1]],
    ['onFail skip is one step', { onFail: 'skip' }, [null, 1, 1]],
    ['onFail next is one step', { onFail: { skip: 'next' } }, [null, 1, 1]],
    ['onFail without rejection continues', { onFail: { reject: false } }, [1, 1, 1]],
    ['return stops', { routes: { false: 'return' } }, [null, null, null]],
    ['continue', { routes: { false: 'continue' } }, [1, 1, 1]],
  ])('%s', (_name, more, expected) => {
    expect(trail([check(false, more), set('a', 1), set('b', 1), set('last', 1)])).toEqual({ result: expected });
  });

  it('refuses to go to a step that does not exist', () => {
    expect(refused({ steps: [check(false, { routes: { false: 'nowhere' } })] })).toMatchObject({
      status: 400,
      code: 'ENDPOINT_ERROR.CONDITION',
    });
  });

  it('runs a workflow and binds its result', () => {
    const workflows = { w: { returns: { double: '{{n}}' } } };
    const steps = [check(true, { params: { n: 4 }, routes: { true: { action: 'run', flow: 'w' } } })];
    expect(result(steps, '{{c_run.double}}', { workflows })).toEqual({ result: 4 });
  });

  it('leaves a block by a route, which acts on the list around it', () => {
    const block = { id: 'box', type: 'block', steps: [check(false, { routes: { false: { action: 'skip', count: 1 } } }), set('a', 1)] };
    expect(trail([block, set('b', 1), set('last', 1)])).toEqual({ result: [null, null, 1] });
  });

  it('runs the steps under then and else', () => {
    const branches = { [THEN]: [set('a', 1)], else: [set('b', 1)] };
    expect(trail([check(true, branches)])).toEqual({ result: [1, null, null] });
    expect(trail([check(false, branches)])).toEqual({ result: [null, 1, null] });
  });

  it('takes its clause from the step itself', () => {
    expect(result([{ id: 'c', type: 'condition', field: 'input.n', operator: '==', value: 1 }], '{{c}}', { input: { n: 1 } })).toEqual({
      result: true,
    });
  });

  it('visits a step a hundred times at most', () => {
    const steps = [set('a', 1), check(true, { routes: { true: 'a' } })];
    expect(refused({ steps })).toMatchObject({ status: 400, code: 'ENDPOINT_ERROR.TRANSFORM' });
  });
});

describe('a return route', () => {
  it('keeps the writes before it', () => {
    const write = { id: 'w', type: 'write', collection: 'c', key: 'k', ops: [{ op: 'set', path: 'a', value: 1 }] };
    const { writes, body } = run({
      steps: [write, check(true, { routes: { true: 'return' } }), set('a', 1)],
      response: { body: { a: '{{a|none}}' } },
    });
    expect(body).toEqual({ a: 'none' });
    expect(writes).toHaveLength(1);
  });
});
