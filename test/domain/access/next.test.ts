import { describe, expect, it } from 'vitest';
import { endpointAccess, queryAccess, visibleValues } from '../../../src/domain/access/calls.ts';
import { type AccessContext, accessContext } from '../../../src/domain/access/context.ts';
import type { Credential } from '../../../src/domain/access/credential.ts';
import { closedList, dataAccess } from '../../../src/domain/access/data.ts';
import { closedNext, collectionIn, nextNeedsProof } from '../../../src/domain/access/next.ts';
import type { ListedKind } from '../../../src/domain/kinds.ts';
import { projectSettings } from '../../../src/domain/project/settings.ts';
import type { ApiKey, DefinitionsState } from '../../../src/domain/states.ts';
import { accepted, Refusal } from '../../../src/kernel/errors.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { keyNamed } from '../../support/keys.ts';
import { EMPTY, push, put } from '../definition/given.ts';

const KEY = keyNamed('k', 'public');
const nobody: Credential = { isSecret: false, extraSecret: null, platformId: null, onBehalfOf: null, revision: null };
const ada: Credential = { ...nobody, platformId: 'ada' };
const server: Credential = { ...nobody, isSecret: true };
const STEPS = [{ id: 's', type: 'sleep', ms: 1 }];

/** The access of a public key, or of a secret one, to `next`. */
function inNext(state: DefinitionsState, settings: JsonObject = {}, kind: ApiKey['kind'] = 'public'): AccessContext {
  const key = keyNamed('k', kind);
  const keys = new Map([[key.keyId, key]]);
  const authority = { projectId: 'p', name: 'p', createdAt: 0, deleted: false, settings, keys, gamePackage: null };
  return accepted(accessContext(authority, state, key, 'next'));
}

/** Definitions of one kind: in live, then staged. */
function staged(kind: ListedKind, live: JsonObject[], next: JsonObject[], before = EMPTY): DefinitionsState {
  return push(push(before, kind, live), kind, next, 'next');
}

const told = (answer: unknown) => (answer instanceof Refusal ? answer.code : 'allowed');

describe('a collection in next', () => {
  const opened = { id: 'c', accessMode: 'public', publicAppend: true };

  it.each([
    ['closed', { id: 'c' }, 'ENDPOINT_ONLY'],
    ['its owner’s', { id: 'c', access: { read: 'owner', write: 'owner' } }, 'FORBIDDEN'],
    ['open', { id: 'c', accessMode: 'public' }, 'allowed'],
  ])('that live has %s opens nothing more before its promotion', (_name, live, answer) => {
    const access = inNext(staged('collection', [live], [opened]));
    for (const operation of ['document.read', 'document.write', 'slots.read'] as const)
      expect([operation, told(dataAccess(access, ada, operation, { collection: 'c', key: 'eve' }))]).toEqual([operation, answer]);
    const secret = inNext(staged('collection', [live], [opened]), {}, 'secret');
    expect(told(dataAccess(secret, server, 'document.read', { collection: 'c', key: 'eve' }))).toBe('allowed');
  });

  it('is as closed as it is staged, too', () => {
    const access = inNext(
      staged('collection', [{ id: 'c', accessMode: 'public' }], [{ id: 'c', access: { read: 'owner', write: 'endpoints' } }]),
    );
    expect(told(dataAccess(access, ada, 'document.read', { collection: 'c', key: 'eve' }))).toBe('FORBIDDEN');
    expect(told(dataAccess(access, ada, 'document.write', { collection: 'c', key: 'ada' }))).toBe('ENDPOINT_ONLY');
  });

  it('that is new is open as it is staged', () => {
    const access = inNext(staged('collection', [{ id: 'other' }], [opened]));
    expect(told(dataAccess(access, ada, 'document.read', { collection: 'c', key: 'eve' }))).toBe('allowed');
  });

  it('keeps ledgers, lists and appends as closed as live has them', () => {
    const live = { id: 'c', collectionType: 'global', access: { read: 'endpoints', write: 'public' } };
    const access = inNext(
      staged('collection', [live], [{ ...opened, collectionType: 'global', access: { read: 'public', write: 'public' } }]),
    );
    expect(told(dataAccess(access, ada, 'ledger.read', { collection: 'c', key: 'eve' }))).toBe('ENDPOINT_ONLY');
    expect(told(dataAccess(access, ada, 'record.append', { collection: 'c' }))).toBe('FORBIDDEN');
    const collection = collectionIn(access, 'c');
    expect(collection && told(closedList(collection, ada))).toBe('ENDPOINT_ONLY');
  });

  it('that is staged with another type lists no documents of players', () => {
    const access = inNext(staged('collection', [{ id: 'c' }], [{ id: 'c', collectionType: 'global' }]));
    const collection = collectionIn(access, 'c');
    expect(collection && told(closedList(collection, ada))).toBe('ENDPOINT_ONLY');
  });

  it('on shared data deletes only what live would', () => {
    const state = staged('collection', [{ id: 'c', accessMode: 'public' }], [{ id: 'c', accessMode: 'public', allowRecordDelete: true }]);
    const asked = (settings: JsonObject) =>
      told(dataAccess(inNext(state, settings), ada, 'document.delete', { collection: 'c', key: 'ada' }));
    expect(asked({ nextData: 'shared' })).toBe('RECORD_DELETE_DISABLED');
    expect(asked({})).toBe('allowed');
  });
});

describe('a query in next', () => {
  const CLOSED = push(EMPTY, 'collection', [{ id: 'c' }]);
  const OPEN = push(EMPTY, 'collection', [{ id: 'c', accessMode: 'public' }]);
  const query = { id: 'q', name: 'top', sources: [{ collectionId: 'c' }], config: { field: 'gold' } };
  const secret = { ...query, requiresSecretKey: true };
  const run = (state: DefinitionsState, name = 'q', who = ada) => told(queryAccess(inNext(state), who, name));

  it('takes a secret key if it does so in live, by whatever name it is called', () => {
    expect(run(staged('query', [secret], [{ ...query, requiresSecretKey: false }], OPEN))).toBe('SECRET_KEY_REQUIRED');
    expect(run(staged('query', [secret], [{ ...query, name: 'best', requiresSecretKey: false }], OPEN), 'best')).toBe(
      'SECRET_KEY_REQUIRED',
    );
    const both = { ...ada, extraSecret: { ...KEY, kind: 'secret' as const } };
    expect(run(staged('query', [secret], [{ ...query, requiresSecretKey: false }], OPEN), 'q', both)).toBe('allowed');
  });

  it('that is new or changed shows no documents that games may not read in live', () => {
    expect(run(staged('query', [], [query], CLOSED))).toBe('SECRET_KEY_REQUIRED');
    expect(run(staged('query', [query], [{ ...query, config: { field: 'secret' } }], CLOSED))).toBe('SECRET_KEY_REQUIRED');
    expect(run(staged('query', [], [query], OPEN))).toBe('allowed');
    expect(run(push(staged('query', [], [query]), 'collection', [{ id: 'c' }], 'next'))).toBe('allowed');
  });

  it('that is as it is in live shows what it shows there', () => {
    expect(run(staged('query', [query], [{ ...query, id: 'other', name: 'other' }], CLOSED))).toBe('allowed');
    const renamed = push(push(EMPTY, 'collection', [{ id: 'c' }, { id: 'd', name: 'secrets' }]), 'query', [
      { ...query, sources: [{ collectionId: 'board' }] },
    ]);
    expect(run(push(renamed, 'collection', [{ id: 'd', name: 'board' }], 'next'))).toBe('SECRET_KEY_REQUIRED');
  });
});

describe('an endpoint in next', () => {
  const endpoint = { id: 'e', slug: 'e', steps: STEPS };
  const PLAYERS = push(EMPTY, 'collection', [{ id: 'c' }]);
  const call = (state: DefinitionsState, settings: JsonObject = {}) => told(endpointAccess(inNext(state, settings), ada, 'e'));

  it('takes a secret key if it does so in live, or if it is internal there', () => {
    expect(call(staged('endpoint', [{ ...endpoint, requiresSecretKey: true }], [{ ...endpoint, requiresSecretKey: false }]))).toBe(
      'SECRET_KEY_REQUIRED',
    );
    expect(call(staged('endpoint', [{ ...endpoint, exposure: 'internal' }], [{ ...endpoint, exposure: 'public' }]))).toBe(
      'SECRET_KEY_REQUIRED',
    );
    const renamed = staged(
      'endpoint',
      [{ ...endpoint, slug: 'old', requiresSecretKey: true }],
      [{ ...endpoint, requiresSecretKey: false }],
    );
    expect(call(renamed)).toBe('SECRET_KEY_REQUIRED');
  });

  it('that is new or changed runs for players on data of its own, and never on those that players own in live', () => {
    const changed = staged('endpoint', [endpoint], [{ ...endpoint, description: 'new' }], PLAYERS);
    expect(call(changed)).toBe('allowed');
    expect(call(changed, { nextData: 'shared' })).toBe('SECRET_KEY_REQUIRED');
    expect(call(staged('endpoint', [], [endpoint], PLAYERS), { nextData: 'shared' })).toBe('SECRET_KEY_REQUIRED');
    expect(call(staged('endpoint', [], [endpoint]), { nextData: 'shared' })).toBe('allowed');
  });

  it('that is as it is in live runs on shared data, as long as what it may call does', () => {
    const same = staged('endpoint', [endpoint], [{ ...endpoint, id: 'other', slug: 'other' }], PLAYERS);
    expect(call(same, { nextData: 'shared' })).toBe('allowed');
    expect(call(push(same, 'workflow', [{ id: 'w', name: 'w', steps: STEPS }], 'next'), { nextData: 'shared' })).toBe(
      'SECRET_KEY_REQUIRED',
    );
  });
});

describe('game values in next', () => {
  it('that live has and does not show are shown to nobody but secret keys', () => {
    const secrets = { id: 'c', visibility: 'private', constants: { odds: { drop: 0.1 } } };
    const state = put(
      staged('collection', [secrets], [{ ...secrets, visibility: 'public' }]),
      'game-values',
      { groups: { fresh: { a: 1 } } },
      'next',
    );
    expect(visibleValues(inNext(state), ada)).toMatchObject({ isWhole: false, values: { constants: { fresh: { a: 1 } } } });
    expect(JSON.stringify(visibleValues(inNext(state), ada))).not.toContain('odds');
    expect(visibleValues(inNext(state, {}, 'secret'), server)).toMatchObject({ values: { constants: { odds: { drop: 0.1 } } } });
  });
});

describe('nextAccess', () => {
  const asked = (nextAccess: string, who: Credential, kind: ApiKey['kind'] = 'public') =>
    told(closedNext(projectSettings({ nextAccess }), { kind }, who, 'next') ?? 'open');

  it.each([
    ['anyone', nobody, 'allowed'],
    ['players', nobody, 'MISSING_PLATFORM_ID'],
    ['players', ada, 'allowed'],
    ['keys', ada, 'FORBIDDEN'],
    ['keys', { ...ada, extraSecret: { ...KEY, kind: 'secret' as const } }, 'allowed'],
  ] as const)('%s and a public key of %j: %s', (nextAccess, who, answer) => {
    expect(asked(nextAccess, who)).toBe(answer);
    expect(told(closedNext(projectSettings({ nextAccess }), KEY, who, 'live') ?? 'open')).toBe('allowed');
  });

  it('closes nothing to secret keys, and is anyone where nothing is said', () => {
    for (const nextAccess of ['anyone', 'players', 'keys']) expect(asked(nextAccess, server, 'secret')).toBe('allowed');
    expect(projectSettings({}).nextAccess).toBe('anyone');
  });

  it('players are proven where the project demands it', () => {
    const settings = projectSettings({ nextAccess: 'players', requirePlayerAuth: true });
    expect(nextNeedsProof(settings, ada, 'next')).toBe(true);
    expect(nextNeedsProof(settings, { ...ada, verified: 'ada' }, 'next')).toBe(false);
    expect(nextNeedsProof(settings, ada, 'live')).toBe(false);
    expect(nextNeedsProof(projectSettings({ nextAccess: 'players' }), ada, 'next')).toBe(false);
  });
});
