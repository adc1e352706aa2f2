import type { App, Caller, ManageAnswer, Presented, ReadAnswer, SessionAnswer } from '../../src/app/app.ts';
import { settingsBody } from '../../src/domain/project/settings.ts';
import type { ApiKey } from '../../src/domain/states.ts';
import { refusal } from '../../src/kernel/errors.ts';
import { type Json, stringifyJson } from '../../src/kernel/json.ts';

const PROJECT = 'demo';
export const PUBLIC_KEY = 'platform_ns_public';
export const SECRET_KEY = 'platform_sk_secret';
export const DISABLED_KEY = 'platform_ns_disabled';

/** One call of a use case as the transport made it. */
export interface Call {
  readonly name: string;
  readonly caller: Caller;
  readonly arguments: readonly unknown[];
}

/** Use cases that remember how they were called and answer something fit. Documents live in a map. */
export interface FakeApp extends App {
  readonly calls: Call[];
  readonly presented: Presented[];
  /** Answer of `endpoints.call`. */
  endpoint: { status: number; body: Json };
  /** Thrown by every use case while set. */
  failure: unknown;
}

export function fakeApp(): FakeApp {
  const documents = new Map<string, string>();
  const calls: Call[] = [];
  const presented: Presented[] = [];
  const at = { position: 7, stale: false };
  const note = (name: string, caller: Caller, ...rest: unknown[]): void => {
    calls.push({ name, caller, arguments: rest });
    if (app.failure !== null) throw app.failure;
  };
  const read = (name: string, caller: Caller, rest: unknown[]): ReadAnswer => {
    note(name, caller, ...rest);
    return { ...at, body: { name } };
  };
  const managed = (name: string, caller: Caller, rest: unknown[]): ManageAnswer => {
    note(name, caller, ...rest);
    return { status: 200, body: { ok: true, name }, position: 8, stale: false };
  };
  const session = (name: string, caller: Caller): SessionAnswer => {
    note(name, caller);
    const made = { sessionId: 'a'.repeat(32), hash: '', from: null, createdAt: 1_000, expiresAt: 2_000, revokedAt: null };
    return { ...at, token: 'ns_sess_token', ttlSeconds: 1, player: '76561190000000042', session: made };
  };
  const app: FakeApp = {
    calls,
    presented,
    endpoint: { status: 200, body: { ok: true } },
    failure: null,
    authenticate(projectId, found) {
      presented.push(found);
      return authenticate(projectId, found);
    },
    async securityConfig(projectId) {
      if (app.failure !== null) throw app.failure;
      if (projectId !== PROJECT) throw refusal('SECURITY_CONFIG_NOT_FOUND', undefined, { body: { projectId, source: 'missing' } });
      return { version: '0123456789abcdef', config: { projectId } };
    },
    documents: {
      async read(caller, address) {
        note('documents.read', caller, address);
        const text = documents.get(`${address.collection}/${address.key}`);
        if (text === undefined) throw refusal('NOT_FOUND', 'No document under this key');
        return { ...at, text, version: 3 };
      },
      async exists(caller, address) {
        note('documents.exists', caller, address);
        return documents.has(`${address.collection}/${address.key}`);
      },
      async write(caller, address, asked) {
        const { body, saveVersion } = await asked();
        note('documents.write', caller, address, body, saveVersion);
        documents.set(`${address.collection}/${address.key}`, stringifyJson(body));
        return { ...at, version: 4 };
      },
      async remove(caller, address) {
        note('documents.remove', caller, address);
        documents.delete(`${address.collection}/${address.key}`);
        return at;
      },
      async ledger(caller, ...rest) {
        return read('documents.ledger', caller, rest);
      },
    },
    records: {
      mayAppend: async (caller) => caller,
      append: async (caller, ...rest) => read('records.append', caller, rest),
      list: async (caller, ...rest) => read('records.list', caller, rest),
      async get(caller, address) {
        note('records.get', caller, address);
        return { ...at, text: '{"_id":"r"}', version: 1 };
      },
    },
    saveRecords: {
      async list(caller, ...rest) {
        const records = [{ recordId: 'a1b2c3', recordName: 'Camp', isLegacy: false }];
        return { ...read('saveRecords.list', caller, rest), body: { name: 'saveRecords.list', records, maxRecords: 3 } };
      },
      mayWrite: async (caller) => caller,
      create: async (caller, ...rest) => read('saveRecords.create', caller, rest),
      rename: async (caller, ...rest) => read('saveRecords.rename', caller, rest),
      remove: async (caller, ...rest) => read('saveRecords.remove', caller, rest),
    },
    pages: {
      async read(projectId, slug) {
        if (projectId !== PROJECT) throw refusal('NOT_FOUND');
        return { ...at, page: { page: { slug, title: 'T', pageType: 'markdown', contentMd: '# T' }, createdAt: 1, updatedAt: 2 } };
      },
    },
    endpoints: {
      async call(caller, call) {
        note('endpoints.call', caller, call);
        return { ...at, publish: 'p1', ...app.endpoint };
      },
    },
    values: {
      read: async (caller, ...rest) => read('values.read', caller, rest),
      rateLimits: async (caller, ...rest) => read('values.rateLimits', caller, rest),
    },
    queries: { run: async (caller, ...rest) => read('queries.run', caller, rest) },
    sessions: {
      create: async (caller) => session('sessions.create', caller),
      refresh: async (caller) => session('sessions.refresh', caller),
      reauth: async (caller) => session('sessions.reauth', caller),
      revoke: async (caller) => session('sessions.revoke', caller),
    },
    manage: {
      upsertMany: async (caller, ...rest) => managed('manage.upsertMany', caller, rest),
      upsertOne: async (caller, ...rest) => managed('manage.upsertOne', caller, rest),
      remove: async (caller, ...rest) => managed('manage.remove', caller, rest),
      putSingle: async (caller, ...rest) => managed('manage.putSingle', caller, rest),
      removeSingle: async (caller, ...rest) => managed('manage.removeSingle', caller, rest),
      list: async (caller, ...rest) => managed('manage.list', caller, rest),
      validate: async (caller, ...rest) => managed('manage.validate', caller, rest),
      promote: async (caller, ...rest) => managed('manage.promote', caller, rest),
      discard: async (caller, ...rest) => managed('manage.discard', caller, rest),
      diff: async (caller, ...rest) => managed('manage.diff', caller, rest),
      sync: async (caller, ...rest) => managed('manage.sync', caller, rest),
      preflight: async (caller, ...rest) => managed('manage.preflight', caller, rest),
      upgradeSource: async (caller, ...rest) => managed('manage.upgradeSource', caller, rest),
    },
    manifest: {
      read: async (caller, ...rest) => managed('manifest.read', caller, rest),
      job: async (caller, ...rest) => managed('manifest.job', caller, rest),
    },
    flags: async (caller, ...rest) => managed('flags', caller, rest),
    history: {
      publishes: async (caller, ...rest) => managed('history.publishes', caller, rest),
      rollback: async (caller, ...rest) => managed('history.rollback', caller, rest),
    },
    tests: {
      list: async (caller, ...rest) => managed('tests.list', caller, rest),
      replace: async (caller, ...rest) => managed('tests.replace', caller, rest),
      testEndpoint: async (caller, ...rest) => managed('tests.testEndpoint', caller, rest),
      runTests: async (caller, ...rest) => managed('tests.runTests', caller, rest),
      autoTest: async (caller, ...rest) => managed('tests.autoTest', caller, rest),
      suggestTests: async (caller, ...rest) => managed('tests.suggestTests', caller, rest),
    },
    gamePackage: {
      sync: async (caller, ...rest) => managed('gamePackage.sync', caller, rest),
      read: async (caller) => managed('gamePackage.read', caller, []),
      init: async (caller, ...rest) => managed('gamePackage.init', caller, rest),
    },
    settings: {
      async read(caller) {
        note('settings.read', caller);
        return { ...at, status: 200, body: settingsBody(PROJECT, { name: 'Demo', settings: {} }) };
      },
      change: async (caller, ...rest) => managed('settings.change', caller, rest),
      revokePublicKey: async (caller, ...rest) => managed('settings.revokePublicKey', caller, rest),
    },
    telemetry: {
      async track(caller, ...rest) {
        note('telemetry.track', caller, ...rest);
        return { stored: true, reason: null };
      },
      async heartbeat(caller, ...rest) {
        note('telemetry.heartbeat', caller, ...rest);
        return { ok: true, persisted: true, platformId: 'p', projectId: PROJECT, totalSeconds: 2, lastHeartbeat: null };
      },
      async saveFailed(caller, ...rest) {
        note('telemetry.saveFailed', caller, ...rest);
        return { recorded: true };
      },
      async stats(caller, ...rest) {
        note('telemetry.stats', caller, ...rest);
        return { body: { ok: true, platformId: 'p' }, stale: false };
      },
    },
  };
  return app;
}

function authenticate(projectId: string, found: Presented): Caller {
  if (found.key === null) throw refusal('UNAUTHORIZED', 'Missing API key');
  if (found.key === DISABLED_KEY) throw refusal(found.disabledKey);
  const isSecret = found.key === SECRET_KEY;
  if (projectId !== PROJECT || (!isSecret && found.key !== PUBLIC_KEY) || (found.management && !isSecret)) throw refusal('UNAUTHORIZED');
  const { platformId, onBehalfOf, position, proof } = found;
  const extraSecret = found.extraSecret === null ? null : found.extraSecret === SECRET_KEY ? key('secret') : 'invalid';
  return {
    projectId,
    key: key(isSecret ? 'secret' : 'public'),
    isSecret,
    extraSecret,
    platformId,
    onBehalfOf,
    position,
    revision: null,
    proof,
  };
}

function key(kind: ApiKey['kind']): ApiKey {
  return { keyId: kind, kind, label: kind, hash: '', display: '', enabled: true, permissions: null, createdAt: 0 };
}
