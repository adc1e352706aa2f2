import { describe, expect, it } from 'vitest';
import { MAX_DEFINITIONS, tooManyItems } from '../../../src/domain/definition/push/capacity.ts';
import { decideUpsertMany, decideUpsertOne } from '../../../src/domain/definition/push/decide-kind.ts';
import { decideSync } from '../../../src/domain/definition/push/decide-sync.ts';
import { preflight } from '../../../src/domain/definition/push/preflight.ts';
import { accepted, EMPTY, push, refused } from './given.ts';

const endpoints = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ id: `e${from + i}`, steps: [] }));
const FULL = push(push(EMPTY, 'endpoint', endpoints(MAX_DEFINITIONS - 2)), 'workflow', [{ id: 'w', steps: [] }], 'next');
const many = (items: readonly object[], target: 'live' | 'next' = 'live', replaceAll = false) =>
  decideUpsertMany(FULL, 'endpoint', JSON.parse(JSON.stringify(items)), { target, replaceAll });

describe('how many definitions a project may have', () => {
  it('counts definitions of all kinds and of both targets together', () => {
    accepted(many([{ id: 'last', steps: [] }]));
    const { code, message } = refused(
      many(
        [
          { id: 'last', steps: [] },
          { id: 'more', steps: [] },
        ],
        'next',
      ),
    );
    expect([code, message]).toEqual([
      'VALIDATION_FAILED',
      `A project may have at most ${MAX_DEFINITIONS} definitions, live and staged; with this push it would have ${MAX_DEFINITIONS + 1}.`,
    ]);
  });

  it('allows existing definitions to be changed, staged and replaced', () => {
    const full = push(FULL, 'endpoint', [{ id: 'last', steps: [] }]);
    accepted(decideUpsertMany(full, 'endpoint', [{ id: 'e1', steps: [], notes: 'x' }], { target: 'live', replaceAll: false }));
    accepted(decideUpsertMany(full, 'endpoint', [{ id: 'e1', steps: [], notes: 'x' }], { target: 'next', replaceAll: false }));
    accepted(decideUpsertMany(full, 'endpoint', [{ id: 'other', steps: [] }], { target: 'live', replaceAll: true }));
    expect(refused(decideUpsertOne(full, 'library', { id: 'l', blocks: {} }, 'live')).code).toBe('VALIDATION_FAILED');
  });

  it('refuses a sync and its preflight alike', () => {
    const body = { endpoints: endpoints(2, MAX_DEFINITIONS) };
    const said = [decideSync(FULL, body, 'next', 0), preflight(FULL, body, 'next')].map((each) => refused(each).message);
    expect(said[0]).toBe(said[1]);
  });

  it('refuses a push of too many items before it reads them', () => {
    expect(tooManyItems(MAX_DEFINITIONS)).toBeNull();
    expect(refused(tooManyItems(1_000_000)).code).toBe('VALIDATION_FAILED');
  });
});
