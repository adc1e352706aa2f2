import { describe, expect, it } from 'vitest';
import { layerHash, UNREFERRED_KEPT } from '../../../src/domain/definition/model/evolve.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { EMPTY, fold, push, sha } from './given.ts';

const stored = (text: string, part = 0, parts = 1, hash = sha(text)): DomainEvent => ({
  type: 'source.stored',
  data: { hash, part, parts, text },
});
const published = (target: 'live' | 'next', id: string, hash: string | null): DomainEvent => ({
  type: 'definitions.published',
  data: { target, changes: [{ kind: 'endpoint', id, hash }], hash: 'h' },
});

describe('evolveDefinitions', () => {
  it('puts a text together from its parts, in any order', () => {
    const hash = sha('abc');
    const half = fold(EMPTY, [stored('c', 2, 3, hash), stored('a', 0, 3, hash)]);
    expect(half.sources.size).toBe(0);
    const whole = fold(half, [stored('b', 1, 3, hash)]);
    expect(whole.sources.get(hash)).toBe('abc');
    expect(whole.partial.size).toBe(0);
  });

  it('reports a text that does not have its hash as a corrupt log', () => {
    expect(() => fold(EMPTY, [stored('abc', 0, 1, sha('other'))])).toThrow('Corrupt log');
  });

  it('reports a publish of an unknown text as a corrupt log', () => {
    expect(() => fold(EMPTY, [published('live', 'a', sha('nowhere'))])).toThrow('Corrupt log');
  });

  it('keeps the order and the time of creation when an item is updated', () => {
    const first = push(EMPTY, 'endpoint', [{ id: 'a' }, { id: 'b' }], 'live', 1);
    const second = push(first, 'endpoint', [{ id: 'a', method: 'GET' }], 'live', 2);
    expect([...second.live.endpoint.keys()]).toEqual(['a', 'b']);
    expect(second.live.endpoint.get('a')).toMatchObject({ createdAt: 1, updatedAt: 2 });
    expect(second.live.endpoint.get('b')).toBe(first.live.endpoint.get('b'));
  });

  it('puts an item that is created again after a delete at the end, as new', () => {
    const state = push(EMPTY, 'endpoint', [{ id: 'a' }, { id: 'b' }], 'live', 1);
    const hash = state.live.endpoint.get('a')?.hash ?? '';
    const text = state.live.endpoint.get('a')?.text ?? '';
    const gone = fold(state, [published('live', 'a', null)], 2);
    const back = fold(gone, [stored(text), published('live', 'a', hash)], 3);
    expect([...back.live.endpoint.keys()]).toEqual(['b', 'a']);
    expect(back.live.endpoint.get('a')?.createdAt).toBe(3);
  });

  it('drops a text that no layer refers to any more, and keeps one that was never referred to', () => {
    const state = fold(EMPTY, [stored('{"n":1}'), stored('{"n":2}'), stored('waiting'), published('live', 'a', sha('{"n":1}'))]);
    const next = fold(state, [published('live', 'a', sha('{"n":2}'))]);
    expect([...next.sources.values()]).toEqual(['{"n":2}', 'waiting']);
  });

  it('keeps the newest texts that nothing refers to, up to a bound', () => {
    const waiting = Array.from({ length: UNREFERRED_KEPT + 5 }, (_, i) => stored(`w${i}`));
    const state = fold(EMPTY, [stored('{}'), ...waiting, published('live', 'a', sha('{}'))]);
    expect(state.sources.size).toBe(UNREFERRED_KEPT + 1);
    expect(state.sources.has(sha('w4'))).toBe(false);
    expect(state.sources.has(sha('w5'))).toBe(true);
  });

  it('a text in both layers is kept while one of them refers to it', () => {
    const both = fold(EMPTY, [stored('{}'), published('live', 'a', sha('{}')), published('next', 'a', sha('{}'))]);
    expect(fold(both, [published('live', 'a', null)]).sources.has(sha('{}'))).toBe(true);
  });

  it('promotion moves the changes to live, empties next and starts the generation', () => {
    const state = push(push(EMPTY, 'endpoint', [{ id: 'a' }]), 'endpoint', [{ id: 'b' }], 'next');
    const hash = state.next.endpoint.get('b')?.hash ?? '';
    const promoted = fold(state, [
      { type: 'definitions.promoted', data: { changes: [{ kind: 'endpoint', id: 'b', hash }], hash: 'after', generation: 1 } },
    ]);
    expect([...promoted.live.endpoint.keys()]).toEqual(['a', 'b']);
    expect(promoted.next.endpoint.size).toBe(0);
    expect(promoted).toMatchObject({ generation: 1, liveHash: 'after', nextHash: EMPTY.nextHash });
  });
});

describe('layerHash', () => {
  it('does not depend on the order of publishing, and equals the hash in the event', () => {
    const one = push(push(EMPTY, 'endpoint', [{ id: 'a' }]), 'collection', [{ id: 'c' }]);
    const two = push(push(EMPTY, 'collection', [{ id: 'c' }]), 'endpoint', [{ id: 'a' }]);
    expect(one.liveHash).toBe(two.liveHash);
    expect(one.liveHash).toBe(layerHash(one.live));
    expect(push(one, 'endpoint', [{ id: 'a', x: 1 }]).liveHash).not.toBe(one.liveHash);
  });
});
