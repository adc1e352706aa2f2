import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../../src/contract/credentials.ts';
import type { Permissions } from '../../../src/domain/events.ts';
import {
  changeKey,
  changeSettings,
  createProject,
  deleteProject,
  issueKey,
  type ProjectDecision,
  revokeKey,
  unknownSettings,
} from '../../../src/domain/project/decide.ts';
import { evolveAuthority } from '../../../src/domain/project/evolve.ts';
import { displayKey, formatKey, hashKey, isProjectId } from '../../../src/domain/project/keys.ts';
import { allows, DEFAULT_PERMISSIONS, readPermissions, scopesOf } from '../../../src/domain/project/permissions.ts';
import { projectSettings, SETTING_RULES, settingRule, settingsBody } from '../../../src/domain/project/settings.ts';
import type { AuthorityState } from '../../../src/domain/states.ts';
import { wireNames } from '../../../src/domain/wire-names.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { keyNamed } from '../../support/keys.ts';
import { EMPTY, fold, recorded } from '../definition/given.ts';

function applied(state: AuthorityState | null, decision: ProjectDecision | Refusal): AuthorityState {
  if (decision instanceof Refusal) throw new Error(`${decision.code}: ${decision.message}`);
  const result = decision.events.reduce((folded, event) => evolveAuthority(folded, recorded(event, 5)), state);
  if (result === null) throw new Error('no project');
  return result;
}

const project = applied(null, createProject(null, { projectId: 'demo', name: 'Demo' }));
const key = (keyId: string, value = keyId) => ({ keyId, kind: 'secret' as const, label: 'CI', key: value });

describe('projects', () => {
  it('ids are safe in paths and leave the canary route free', () => {
    for (const id of ['a', 'Demo-1', '0_x', 'x'.repeat(64)]) expect(isProjectId(id)).toBe(true);
    for (const id of ['', '-a', '_a', 'a.b', 'a/b', 'x'.repeat(65), 'deploy-canary']) expect(isProjectId(id)).toBe(false);
  });

  it('are created once; a deleted one keeps its id', () => {
    expect(project).toMatchObject({ projectId: 'demo', name: 'Demo', createdAt: 5, deleted: false, settings: {} });
    expect(createProject(project, { projectId: 'demo', name: '' })).toMatchObject({ status: 409, code: 'PROJECT_EXISTS' });
    const gone = applied(project, deleteProject(project));
    expect(gone.deleted).toBe(true);
    expect(deleteProject(gone)).toEqual({ events: [] });
    expect(createProject(gone, { projectId: 'demo', name: '' })).toBeInstanceOf(Refusal);
    expect(createProject(null, { projectId: 'a b', name: '' })).toMatchObject({ status: 400 });
  });

  it('events before the creation are a corrupt log', () => {
    expect(() => evolveAuthority(null, recorded({ type: 'settings.changed', data: { changes: {} } }))).toThrow('Corrupt log');
    expect(() => evolveAuthority(project, recorded({ type: 'key.changed', data: { keyId: 'x' } }))).toThrow('Corrupt log');
  });
});

describe('keys', () => {
  const random = Uint8Array.from({ length: 64 }, (_, i) => (i * 37 + 11) % 256);

  it('have the prefix of their kind and 48 characters of letters and digits', () => {
    expect(formatKey('public', 'platform_', random)).toMatch(/^platform_ns_[0-9A-Za-z]{48}$/);
    expect(formatKey('secret', 'platform_', random)).toMatch(/^platform_sk_[0-9A-Za-z]{48}$/);
    expect(formatKey('secret', '', random)).toBe(formatKey('secret', '', random));
    expect(() => formatKey('secret', '', random.slice(1))).toThrow(RangeError);
  });

  it('a secret one is shown by its ends only, a public one whole', () => {
    expect(displayKey('secret', 'platform_sk_ABCDxxxxxxxxxxxxWXYZ')).toBe('platform_sk_ABCD...WXYZ');
    expect(displayKey('secret', 'short')).toBe('...');
    expect(displayKey('public', 'platform_ns_ABC')).toBe('platform_ns_ABC');
  });

  it('are stored as a hash, with the default permissions', () => {
    const state = applied(project, issueKey(project, key('k1', 'platform_sk_raw-secret-value')));
    expect(state.keys.get('k1')).toMatchObject({
      hash: hashKey('platform_sk_raw-secret-value'),
      enabled: true,
      permissions: DEFAULT_PERMISSIONS,
    });
    expect(JSON.stringify([...state.keys])).not.toContain('raw-secret-value');
  });

  it('a project has at most 100 of them, each once', () => {
    let state = project;
    for (let i = 0; i < 100; i += 1) state = applied(state, issueKey(state, key(`k${i}`)));
    expect(issueKey(state, key('one more'))).toMatchObject({ status: 400 });
    const room = applied(state, revokeKey(state, { keyId: 'k0' }));
    expect(issueKey(room, key('k1', 'other'))).toMatchObject({ status: 409 });
    expect(issueKey(room, key('other', 'k1'))).toMatchObject({ status: 409 });
    expect(applied(room, issueKey(room, key('one more'))).keys.size).toBe(100);
  });

  it('change only in what differs', () => {
    const state = applied(project, issueKey(project, key('k')));
    expect(changeKey(state, { keyId: 'k', enabled: true })).toEqual({ events: [] });
    const off = applied(state, changeKey(state, { keyId: 'k', enabled: false, permissions: { endpoints: 'r' } }));
    expect(off.keys.get('k')).toMatchObject({ enabled: false, permissions: { endpoints: 'r' } });
    expect(applied(off, changeKey(off, { keyId: 'k', permissions: null })).keys.get('k')?.permissions).toBeNull();
    expect(changeKey(state, { keyId: 'x' })).toMatchObject({ status: 404 });
    const more = applied(off, changeKey(off, { keyId: 'k', added: { endpoints: 'x', players: 'r' } }));
    expect(more.keys.get('k')?.permissions).toEqual({ endpoints: 'rx', players: 'r' });
    expect(changeKey(more, { keyId: 'k', added: { players: 'r' } })).toEqual({ events: [] });
    const all = applied(off, changeKey(off, { keyId: 'k', permissions: null }));
    expect(changeKey(all, { keyId: 'k', added: { players: 'r' } })).toEqual({ events: [] });
  });

  it('a public key is revoked by its value; revoking a missing key succeeds', () => {
    const state = applied(project, issueKey(project, { ...key('p', 'platform_ns_1'), kind: 'public' }));
    expect(applied(state, revokeKey(state, { publicKey: 'platform_ns_1' })).keys.size).toBe(0);
    expect(revokeKey(state, { publicKey: 'other' })).toEqual({ events: [] });
    expect(revokeKey(state, {})).toEqual({ events: [] });
  });
});

describe('permissions', () => {
  it.each<[Permissions, string, 'r' | 'rw' | 'x', boolean]>([
    [null, 'endpoints', 'x', true],
    [{}, 'endpoints', 'r', false],
    [{ endpoints: 'r' }, 'endpoints', 'r', true],
    [{ endpoints: 'r' }, 'endpoints', 'rw', false],
    [{ endpoints: 'w' }, 'endpoints', 'rw', false],
    [{ endpoints: 'rw' }, 'endpoints', 'rw', true],
    [{ endpoints: 'rw' }, 'endpoints', 'x', false],
    [{ endpoints: 'x' }, 'endpoints', 'x', true],
    [{ endpoints: '' }, 'endpoints', 'r', false],
    [{ endpoints: 'none' }, 'endpoints', 'r', false],
    [{ endpoints: 'rwx' }, 'collections', 'r', false],
    [{ endpoints: 'rwx' }, 'toString', 'r', false],
  ])('%j grants %s:%s %s', (permissions, scope, level, granted) => {
    expect(allows(keyNamed('k', 'secret', permissions), scope, level)).toBe(granted);
  });

  it('public keys are never permission-gated', () => {
    expect(allows(keyNamed('k', 'public', {}), 'endpoints', 'x')).toBe(true);
  });

  it.each<[Json, Permissions | undefined]>([
    [null, null],
    [{ endpoints: 'RW', other: 'r' }, { endpoints: 'rw' }],
    ['{"endpoints":"rx"}', { endpoints: 'rx' }],
    ['{"endpoints":"none"}', { endpoints: 'none' }],
    ['not json', undefined],
    [5, undefined],
    [{ endpoints: 'all' }, undefined],
    [{ endpoints: true }, undefined],
  ])('a stored map %j reads as %j', (raw, permissions) => {
    expect(readPermissions(raw)).toEqual(permissions);
  });

  it('tests need all seven scopes, everything else its own', () => {
    expect(scopesOf('tests')).toEqual(SCOPES);
    expect(scopesOf('game-values')).toEqual(['game_values']);
  });
});

describe('settings', () => {
  const change = (body: Json, state = project) => changeSettings(state, { generation: 3, nextHash: 'n' }, body);

  it('have their defaults where nothing, or nothing usable, is stored', () => {
    const defaults = projectSettings({});
    expect(defaults).toMatchObject({
      enabled: true,
      requirePlayerAuth: false,
      inputValidation: 'enforce',
      validateEndpointWrites: false,
      strictComparisons: false,
      strictSaveVersion: false,
      nextData: 'isolated',
      fillDefaults: true,
      encryptedRequestWindowSeconds: 120,
      authSessionTtlSeconds: 3600,
      revisionGracePeriodMinutes: null,
    });
    expect(projectSettings({ enabled: 5, inputValidation: 'maybe', authSessionTtlSeconds: 1e9 })).toEqual(defaults);
  });

  it('every default is a value its own rule accepts', () => {
    for (const rule of Object.values(SETTING_RULES)) expect(rule.accept(rule.fallback)).toEqual(rule.fallback);
  });

  it('are taken flat or wrapped, under either name, and only what changes is recorded', () => {
    for (const body of [
      { [wireNames('published').member('requirePlayerAuth')]: true },
      { settings: { requirePlatformAuth: 'true' } },
      { config: { requirePlayerAuth: true } },
    ]) {
      expect(change(body)).toEqual({ events: [{ type: 'settings.changed', data: { changes: { requirePlayerAuth: true } } }] });
    }
    const state = applied(project, change({ enabled: false }));
    expect(projectSettings(state.settings).enabled).toBe(false);
    expect(change({ enabled: false, unknown: 1 }, state)).toEqual({ events: [] });
  });

  it('another value of nextData starts a new generation of staged data, and the same one does not', () => {
    const decision = change({ nextData: 'shared' });
    if (decision instanceof Refusal) throw decision;
    expect(decision.events).toEqual([
      { type: 'settings.changed', data: { changes: { nextData: 'shared' } } },
      { type: 'definitions.nextRenewed', data: { generation: 4, hash: 'n' } },
    ]);
    expect(fold(EMPTY, decision.events)).toEqual({ ...EMPTY, generation: 4 });
    const shared = applied(project, change({ nextData: 'shared' }));
    expect(change({ nextData: 'shared' }, shared)).toEqual({ events: [] });
    expect(change({ nextData: 'isolated' }, shared)).toMatchObject({ events: [{}, { data: { generation: 4 } }] });
    expect(change({ nextData: 'isolated' })).toMatchObject({ events: [{ type: 'settings.changed' }] });
    expect(change({ nextData: 'isolated' })).not.toMatchObject({ events: [{}, {}] });
  });

  it('unknown settings are reported with their position and a suggestion; answers that are sent back whole are accepted', () => {
    expect(unknownSettings({ nextdata: 'shared', enabled: true })).toEqual([
      { code: 'UNKNOWN_SETTING', pointer: '/nextdata', message: expect.stringContaining(`'nextdata'`), fix: `Did you mean 'nextData'?` },
    ]);
    expect(unknownSettings({ settings: { whatever: 1 }, enabled: true, colour: 2 }).map(({ pointer }) => pointer)).toEqual([
      '/enabled',
      '/colour',
      '/settings/whatever',
    ]);
    expect(unknownSettings({ settings: { enabled: true }, config: { enabled: false } }).map(({ pointer }) => pointer)).toEqual(['/config']);
    expect(unknownSettings({ analytics: { captureSesions: false, _own: 1 } })).toEqual([
      expect.objectContaining({ pointer: '/analytics/captureSesions', fix: `Did you mean 'captureSessions'?` }),
    ]);
    expect(unknownSettings(settingsBody('demo', project))).toEqual([]);
    expect(unknownSettings({ [wireNames('published').member('requirePlayerAuth')]: true, strict: true })).toEqual([]);
  });

  it('the project’s name is changed like a setting, and is not one', () => {
    const renamed = applied(project, change({ name: ' Dawn ', description: 'A camp' }));
    expect([renamed.name, renamed.settings]).toEqual(['Dawn', { description: 'A camp' }]);
    expect(change({ name: 'Dawn' }, renamed)).toEqual({ events: [] });
    expect(settingsBody('demo', renamed)).toMatchObject({ settings: { name: 'Dawn', description: 'A camp' } });
    for (const name of ['', '  ', 'x'.repeat(65), 5]) expect(change({ name })).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(change({ description: 'x'.repeat(257) })).toMatchObject({ status: 400 });
  });

  it('a known setting with an unusable value refuses the whole change', () => {
    expect(change({ enabled: false, inputValidation: 'maybe' })).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(change([])).toMatchObject({ status: 400 });
    expect(change({ authSessionTtlSeconds: 59 })).toBeInstanceOf(Refusal);
  });

  it('retention is in whole days: a fraction is refused, because 0 means for ever', () => {
    const kept = (retentionDays: Json) => change({ analytics: { retentionDays } });
    for (const days of [0.5, -1, '7', null])
      expect(kept(days)).toMatchObject({ status: 400, message: expect.stringContaining('whole number of days') });
    for (const days of [0, 7, 5000]) expect(kept(days)).toHaveProperty('events');
  });

  it('grace periods are clamped to their range, or switched off', () => {
    const minutes = (value: Json) =>
      projectSettings(applied(project, change({ revisionGracePeriodMinutes: value })).settings).revisionGracePeriodMinutes;
    expect([minutes(1), minutes(9999), minutes(60), minutes(0), minutes('disabled')]).toEqual([5, 1440, 60, null, null]);
    expect([minutes(0.5), minutes(60.9), minutes(-0.5)]).toEqual([5, 60, null]);
  });

  it('the player key mode of the published service is read as one document per player', () => {
    expect(settingRule('playerKeyMode')?.accept('public')).toBe('player');
    expect(settingRule('playerKeyMode')?.accept('playerSave')).toBe('playerSave');
    expect(settingRule('playerKeyMode')?.accept('toString')).toBeUndefined();
  });

  it('the older word block_saves means block_writes', () => {
    expect(projectSettings({ revisionPostGraceAction: 'block_saves' }).revisionPostGraceAction).toBe('block_writes');
  });

  it('the action allow_readonly implies the mode allow_continue', () => {
    const asked = { revisionPostGraceAction: 'allow_readonly', revisionEnforcementMode: 'force_upgrade' };
    const { settings } = applied(project, change(asked));
    expect(projectSettings(settings)).toMatchObject({ revisionPostGraceAction: 'block_writes', revisionEnforcementMode: 'allow_continue' });
  });

  it('an object of settings is bounded: every node holds it in memory', () => {
    expect(change({ analytics: { note: 'x'.repeat(16_000) } })).toMatchObject({ events: [{ type: 'settings.changed' }] });
    expect(change({ webhooks: { note: 'x'.repeat(17_000) } })).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  });

  it('analytics switches must be booleans, because clients read nothing else; other members are free', () => {
    expect(change({ analytics: { captureErrors: false, allowedEventTypes: ['boss'], ours: 'x' } })).toMatchObject({ events: [{}] });
    expect(change({ analytics: { captureErrors: 'no' } })).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(change({ analytics: { allowedEventTypes: [1] } })).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  });

  it('the answer carries the two flags that the editor looks for at one level', () => {
    const body = settingsBody('demo', { name: 'Demo', settings: { enableAuthSessions: true } });
    expect(body).toMatchObject({ ok: true, projectId: 'demo', enableAuthSessions: true, enableEncryptedRequests: false });
    expect(body['config']).toEqual(body['settings']);
  });
});
