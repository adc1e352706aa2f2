import { expect, it } from 'vitest';
import { wideningsOf } from '../../../src/domain/access/widened.ts';
import { decideUpsertMany } from '../../../src/domain/definition/push/decide-kind.ts';
import { strictly } from '../../../src/domain/definition/push/strict.ts';
import { diffDefinitions, wideningFindings } from '../../../src/domain/definition/release/promote.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, push } from '../definition/given.ts';

const NAMED = { id: 'it', name: 'it', slug: 'it' };

it.each<readonly [kind: string, before: JsonObject, after: JsonObject, members: readonly string[]]>([
  ['collection', {}, { accessMode: 'public' }, ['accessMode', 'accessMode']],
  ['collection', { accessMode: 'public' }, {}, []],
  ['collection', { access: { read: 'owner', write: 'owner' } }, { access: { read: 'public', write: 'owner' } }, ['access', 'access']],
  ['collection', { access: { read: 'owner' } }, {}, ['access']],
  [
    'collection',
    { collectionType: 'global', accessMode: 'public' },
    { collectionType: 'global', accessMode: 'public', publicAppend: true },
    ['publicAppend'],
  ],
  ['collection', {}, { allowRecordDelete: true }, ['allowRecordDelete']],
  ['collection', {}, { visibility: 'public' }, ['visibility']],
  ['collection', {}, { collectionType: 'global' }, ['collectionType']],
  ['endpoint', { requiresSecretKey: true }, { requiresSecretKey: false }, ['requiresSecretKey']],
  ['endpoint', { exposure: 'internal' }, { exposure: 'public' }, ['exposure']],
  ['endpoint', { exposure: 'internal' }, { requiresSecretKey: true }, []],
  ['endpoint', {}, { console: { page: 'home', label: 'Go' } }, ['console']],
  ['endpoint', { console: { page: 'nowhere', label: 'Go' } }, { console: { page: 'home', label: 'Go' } }, ['console']],
  ['endpoint', {}, { console: { page: 'nowhere', label: 'Go' } }, []],
  ['query', { requiresSecretKey: 'true' }, {}, ['requiresSecretKey']],
  ['workflow', {}, { accessMode: 'public' }, []],
])('a %s %j that becomes %j opens: %j', (kind, before, after, members) => {
  const found = wideningsOf(kind, { ...NAMED, ...before }, { ...NAMED, ...after });
  expect(found.map(({ member }) => member)).toEqual(members);
});

it('what was not there opens nothing', () => {
  expect(wideningsOf('collection', {}, { ...NAMED, accessMode: 'public' })).toEqual([]);
});

it('a push names what it opens, to next as to live, and strictness does not refuse what was meant', () => {
  const state = push(EMPTY, 'query', [{ ...NAMED, requiresSecretKey: true, sources: ['c'], config: { field: 'a', columns: ['a'] } }]);
  const opened = [{ ...NAMED, requiresSecretKey: false, sources: ['c'], config: { field: 'a', columns: ['a'] } }];
  for (const target of ['live', 'next'] as const) {
    const decision = decideUpsertMany(push(state, 'collection', [{ id: 'c' }]), 'query', opened, {
      target,
      replaceAll: false,
      strict: true,
    });
    const { answer } = accepted(strictly(accepted(decision)));
    expect(answer['results']).toMatchObject([
      { diagnostics: [{ severity: 'warning', code: 'ACCESS_WIDENED', sourcePointer: '/requiresSecretKey' }] },
    ]);
  }
});

it('a push to next opens nothing by what it leaves out, since it lies over live', () => {
  const state = push(EMPTY, 'collection', [{ id: 'c', access: { read: 'owner' } }]);
  const told = (target: 'live' | 'next') =>
    JSON.stringify(accepted(decideUpsertMany(state, 'collection', [{ id: 'c', description: 'd' }], { target, replaceAll: false })).answer);
  expect(told('next')).not.toContain('ACCESS_WIDENED');
  expect(told('live')).toContain('ACCESS_WIDENED');
});

it('the difference and the promotion name what would be opened', () => {
  const state = push(push(EMPTY, 'collection', [{ id: 'c' }]), 'collection', [{ id: 'c', accessMode: 'public' }], 'next');
  const read = 'Documents may be read by every game; until now by secret keys and endpoints alone.';
  const write = 'Documents may be written by every game; until now by secret keys and endpoints alone.';
  expect(diffDefinitions(state).changes).toMatchObject([{ id: 'c', opens: [read, write] }]);
  expect(wideningFindings(state)).toEqual(
    [read, write].map((message) => ({ code: 'ACCESS_WIDENED', kind: 'collection', id: 'c', message })),
  );
});
