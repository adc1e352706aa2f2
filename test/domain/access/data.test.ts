import { describe, expect, it } from 'vitest';
import { type AccessContext, accessContext } from '../../../src/domain/access/context.ts';
import type { Credential } from '../../../src/domain/access/credential.ts';
import { dataAccess, type Operation, recordAccess } from '../../../src/domain/access/data.ts';
import { EMPTY_DEFINITIONS } from '../../../src/domain/definition/model/evolve.ts';
import type { ApiKey } from '../../../src/domain/states.ts';
import { accepted, Refusal } from '../../../src/kernel/errors.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { keyNamed } from '../../support/keys.ts';
import { push } from '../definition/given.ts';

const OPEN_TO = ['public', 'owner', 'endpoints'] as const;
const OPERATIONS: readonly Operation[] = [
  ...(['document.read', 'document.write', 'document.delete', 'slots.read', 'slots.write', 'slots.delete'] as const),
  ...(['ledger.read', 'record.append'] as const),
];

const apiKey = (kind: ApiKey['kind'], permissions: ApiKey['permissions'] = null): ApiKey => keyNamed(kind, kind, permissions);

/** The access context of a project with one collection, `c`. */
function given(definition: JsonObject, settings: JsonObject, key: ApiKey): AccessContext {
  const keys = new Map([[key.keyId, key]]);
  const authority = { projectId: 'p', name: 'p', createdAt: 0, deleted: false, settings, keys, gamePackage: null };
  const state = push(EMPTY_DEFINITIONS, 'collection', [{ id: 'c', ...definition }]);
  return accepted(accessContext(authority, state, key, 'live'));
}

const nobody: Credential = { isSecret: false, extraSecret: null, platformId: null, onBehalfOf: null, revision: null };
const ada: Credential = { ...nobody, platformId: 'ada' };
const server: Credential = { ...nobody, isSecret: true };
const CALLERS = [nobody, ada, { ...ada, verified: 'ada' }, { ...ada, platformId: 'bob', verified: 'bob' }, server];

const told = (answer: ReturnType<typeof dataAccess>) =>
  answer instanceof Refusal ? answer.code : answer.isUnproven ? 'once proven' : 'allowed';

/** Every operation of every caller, in every collection. */
const QUESTIONS = [false, true].flatMap((requirePlayerAuth) =>
  ['per-platformid', 'global'].flatMap((collectionType) =>
    OPEN_TO.flatMap((read) =>
      OPEN_TO.flatMap((write) => {
        const definition = { collectionType, access: { read, write }, publicAppend: true, allowRecordDelete: true };
        const [secret, game] = (['secret', 'public'] as const).map((kind) => given(definition, { requirePlayerAuth }, apiKey(kind)));
        return OPERATIONS.flatMap((operation) =>
          CALLERS.map((who) => {
            const access = who.isSecret ? secret : game;
            if (access === undefined) throw new Error('no access');
            return { access, operation, who, collectionType, open: operation.endsWith('read') ? read : write };
          }),
        );
      }),
    ),
  ),
);

describe('data of a collection', () => {
  it('that are open to endpoints alone are reached with a secret key, and by no player', () => {
    for (const { access, operation, who, collectionType, open } of QUESTIONS) {
      if (open !== 'endpoints' || (operation === 'record.append' && collectionType !== 'global')) continue;
      const answer = told(dataAccess(access, who, operation, { collection: 'c', key: 'ada' }));
      const closed = operation === 'record.append' ? 'FORBIDDEN' : 'ENDPOINT_ONLY';
      expect([operation, who, answer]).toEqual([operation, who, who.isSecret ? 'allowed' : closed]);
    }
  });

  it('that are open to owners alone are never open to another player, proven or only named', () => {
    for (const { access, operation, who, open } of QUESTIONS) {
      if (open !== 'owner' || operation === 'record.append' || who.isSecret) continue;
      expect(told(dataAccess(access, who, operation, { collection: 'c', key: 'eve' }))).not.toBe('allowed');
    }
  });

  it('are open to nobody unproven where the project demands proof', () => {
    for (const { access, operation, who } of QUESTIONS) {
      if (!access.settings.requirePlayerAuth || who.isSecret || who.verified !== undefined) continue;
      expect(told(dataAccess(access, who, operation, { collection: 'c', key: 'ada' }))).not.toBe('allowed');
    }
  });

  it('are open to whoever is proven, or not at all: nobody proven is asked for a proof again', () => {
    for (const { access, operation, who } of QUESTIONS)
      if (who.verified !== undefined || who.isSecret)
        expect(told(dataAccess(access, who, operation, { collection: 'c', key: 'ada' }))).not.toBe('once proven');
  });

  it.each([
    ['document.read', 'eve', 'allowed'],
    ['document.write', 'eve', 'FORBIDDEN'],
    ['document.write', 'ada', 'allowed'],
    ['document.write', 'ada_2', 'allowed'],
    ['document.write', 'adam', 'FORBIDDEN'],
    ['slots.read', 'eve', 'FORBIDDEN'],
    ['ledger.read', 'eve', 'FORBIDDEN'],
  ] as const)('%s of %s by the proven player ada, where games have access: %s', (operation, key, answer) => {
    const access = given({ accessMode: 'public' }, { requirePlayerAuth: true }, apiKey('public'));
    expect(told(dataAccess(access, { ...ada, verified: 'ada' }, operation, { collection: 'c', key }))).toBe(answer);
  });

  it.each([
    ['document.delete', nobody, 'RECORD_DELETE_DISABLED'],
    ['document.delete', server, 'allowed'],
    ['slots.delete', server, 'RECORD_DELETE_DISABLED'],
  ] as const)('%s without allowRecordDelete: a server may delete documents, and nobody slots', (operation, who, answer) => {
    const access = given({ accessMode: 'public' }, {}, apiKey(who.isSecret ? 'secret' : 'public'));
    expect(told(dataAccess(access, who, operation, { collection: 'c', key: 'ada' }))).toBe(answer);
  });

  it('take the permission of a secret key; ledgers are open to any key', () => {
    const access = given({ collectionType: 'global' }, {}, apiKey('secret', { collections: 'r' }));
    for (const operation of OPERATIONS) {
      const answer = told(dataAccess(access, server, operation, { collection: 'c', key: 'ada' }));
      if (operation !== 'slots.delete')
        expect([operation, answer]).toEqual([operation, operation === 'ledger.read' ? 'allowed' : 'FORBIDDEN']);
    }
  });
});

describe('a record', () => {
  it.each([
    ['public', nobody, 'allowed'],
    ['owner', nobody, 'MISSING_PLATFORM_ID'],
    ['owner', ada, 'allowed'],
    ['owner', { ...ada, platformId: 'bob' }, 'FORBIDDEN'],
    ['owner', server, 'allowed'],
    ['endpoints', ada, 'ENDPOINT_ONLY'],
    ['endpoints', server, 'allowed'],
  ] as const)('of ada that is open to %s: %j is told %s', (read, who, answer) => {
    const access = given({ collectionType: 'global', access: { read } }, {}, apiKey(who.isSecret ? 'secret' : 'public'));
    const [collection] = access.definitions.collections;
    if (collection === undefined) throw new Error('no collection');
    expect(told(recordAccess(access, who, collection, () => 'ada'))).toBe(answer);
  });
});
