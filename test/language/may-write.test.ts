import { describe, expect, it } from 'vitest';
import type { EndpointModel } from '../../src/domain/model.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { mayWrite } from '../../src/language/writes.ts';
import { endpointModel } from './support.ts';

const WRITE = { id: 'w', type: 'write', collection: 'players', key: 'k', ops: [] };

function writes(
  definition: JsonObject,
  workflows: Readonly<Record<string, JsonObject>> = {},
  endpoints: Readonly<Record<string, JsonObject>> = {},
) {
  const model = (id: string, from: Readonly<Record<string, JsonObject>>): EndpointModel | undefined => {
    const found = from[id];
    return found && { ...endpointModel(id, found), internal: true };
  };
  const self = model('self', { self: definition });
  if (!self) throw new Error('made above');
  return mayWrite(self, { workflow: (id) => model(id, workflows), endpoint: (id) => model(id, endpoints) });
}

const steps = (...list: readonly Json[]): JsonObject => ({ steps: list });

describe('an endpoint may write', () => {
  it.each<[string, JsonObject]>([
    ['with a write step', steps({ type: 'read' }, WRITE)],
    ['with a delete step', steps({ type: 'delete', collection: 'a', key: 'b' })],
    ['inside a loop', steps({ type: 'foreach', from: 'list', body: [{ type: 'block', steps: [WRITE] }] })],
    ['in a block of its own', { ...steps({ type: 'call', target: 'pay' }), blocks: { pay: { body: [WRITE] } } }],
  ])('%s', (_, definition) => {
    expect(writes(definition)).toBe(true);
  });

  it('through what it calls, and what that calls', () => {
    const call = { type: 'workflow', workflow: 'a' };
    expect(writes(steps(call), { a: steps({ type: 'workflow', workflow: 'b' }), b: steps(WRITE) })).toBe(true);
    expect(writes(steps({ type: 'call', target: 'inner' }), {}, { inner: steps(WRITE) })).toBe(true);
    expect(writes(steps({ type: 'call', target: 'lib.pay' }), { lib: { blocks: { pay: steps(WRITE) } } })).toBe(true);
  });

  it('through the routes of a condition', () => {
    const run = { type: 'condition', check: {}, routes: { false: { action: 'run', flow: 'a' } } };
    expect(writes(steps(run), { a: steps(WRITE) })).toBe(true);
  });
});

describe('an endpoint only reads', () => {
  it.each<[string, JsonObject]>([
    ['without a step that writes', steps({ type: 'read', collection: 'a', key: 'b' }, { type: 'transform', expression: '1' })],
    ['whatever its input and response look like', { ...steps(), input: { type: 'write' }, response: { body: { type: 'delete' } } }],
    ['without any steps', {}],
  ])('%s', (_, definition) => {
    expect(writes(definition)).toBe(false);
  });

  it('through workflows that call themselves', () => {
    const call = { type: 'workflow', workflow: 'a' };
    expect(writes(steps(call), { a: steps({ type: 'read' }, call) })).toBe(false);
  });
});
