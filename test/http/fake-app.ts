import type { App, Caller, GuestAnswer, PresentedCredentials, SessionAnswer } from '../../src/app/app.ts';
import { writerOf } from '../../src/app/storage/records.ts';
import type { Route } from '../../src/contract/route.ts';
import { approvals } from '../../src/contract/routes/approvals.ts';
import { buttons } from '../../src/contract/routes/buttons.ts';
import { commits } from '../../src/contract/routes/commits.ts';
import { corrections } from '../../src/contract/routes/corrections.ts';
import { definitionHistory } from '../../src/contract/routes/definition-history.ts';
import { collections, gameValues, rateLimitRules } from '../../src/contract/routes/definitions.ts';
import { documentLists } from '../../src/contract/routes/document-list.ts';
import { documentViews } from '../../src/contract/routes/documents.ts';
import { economy } from '../../src/contract/routes/economy.ts';
import { gamePackage } from '../../src/contract/routes/game-package.ts';
import { globalRecords, globalRecordViews } from '../../src/contract/routes/global-records.ts';
import { grants } from '../../src/contract/routes/grants.ts';
import { documentHistory, saveRecordHistory } from '../../src/contract/routes/history.ts';
import { looks } from '../../src/contract/routes/looks.ts';
import { playerPage } from '../../src/contract/routes/player-page.ts';
import { securityConfig } from '../../src/contract/routes/players.ts';
import { projectFacts } from '../../src/contract/routes/project.ts';
import { publishing } from '../../src/contract/routes/publishing.ts';
import { purge } from '../../src/contract/routes/purge.ts';
import { queries } from '../../src/contract/routes/queries.ts';
import { release } from '../../src/contract/routes/release.ts';
import { saveRecords } from '../../src/contract/routes/save-records.ts';
import { schedules } from '../../src/contract/routes/schedules.ts';
import { settings } from '../../src/contract/routes/settings.ts';
import { support } from '../../src/contract/routes/support.ts';
import { playerStats, telemetry } from '../../src/contract/routes/telemetry.ts';
import { tests } from '../../src/contract/routes/tests.ts';
import { rateLimits, values } from '../../src/contract/routes/values.ts';
import { asTextOf, type ShownBy } from '../../src/contract/values.ts';
import { settingsBody } from '../../src/domain/project/settings.ts';
import { refusal } from '../../src/kernel/errors.ts';
import { type Json, stringifyJson } from '../../src/kernel/json.ts';
import { keyNamed } from '../support/keys.ts';

const PROJECT = 'demo';
export const PUBLIC_KEY = 'platform_ns_public';
export const SECRET_KEY = 'platform_sk_secret';
export const DISABLED_KEY = 'platform_ns_disabled';

/** One call of a use case, as the transport made it. */
interface Call {
  readonly name: string;
  readonly caller: Caller;
  readonly arguments: readonly unknown[];
}

type Answered = Route & { readonly answers: { readonly 200: Route['answers'][number] } };

/** The contract's example as a route's answer. The tests check that it fits. */
function exampleOf<R extends Answered>({ example }: R): ShownBy<R['answers'][200]> {
  return example?.answer as ShownBy<R['answers'][200]>;
}

/** Use cases that remember their calls and answer something that fits. Documents lie in a map. */
export interface FakeApp extends App {
  readonly calls: Call[];
  readonly presented: PresentedCredentials[];
  /** Answer of `endpoints.call`. */
  endpoint: { status: number; body: Json };
  /** Thrown by every use case while set. */
  failure: unknown;
}

async function* linesOf(...lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

export function fakeApp(): FakeApp {
  const documents = new Map<string, string>();
  const calls: Call[] = [];
  const presented: PresentedCredentials[] = [];
  const at = { position: 7, stale: false };
  const note = (name: string, caller: Caller, ...rest: unknown[]): void => {
    calls.push({ name, caller, arguments: rest });
    if (app.failure !== null) throw app.failure;
  };
  const read = <R extends Answered>(route: R, name: string, caller: Caller, rest: unknown[]) => {
    note(name, caller, ...rest);
    return { ...at, result: exampleOf(route) };
  };
  const managed = <R extends Answered>(route: R, name: string, caller: Caller, rest: unknown[]) => {
    note(name, caller, ...rest);
    return { result: exampleOf(route), position: 8, stale: false };
  };
  const past = { position: 5, stale: false, at: { revision: 5, time: '2026-03-01T12:00:00.000Z' } };
  const ofPast = <R extends Answered>(route: R, name: string, caller: Caller, rest: unknown[]) => {
    note(name, caller, ...rest);
    return { ...past, result: exampleOf(route) };
  };
  const session = (name: string, caller: Caller): SessionAnswer => {
    note(name, caller);
    const made = { sessionId: 'a'.repeat(32), hash: '', from: null, createdAt: 1_000, expiresAt: 2_000, revokedAt: null };
    return { ...at, token: 'ns_sess_token', ttlSeconds: 1, player: '76561190000000042', session: made };
  };
  const guest = (name: string, caller: Caller, rest: readonly unknown[] = []): GuestAnswer => {
    note(name, caller, ...rest);
    return { ...at, guest: `guest-${'0'.repeat(32)}`, device: 'a'.repeat(16), state: { devices: [], recovery: null, account: null } };
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
      return { version: '0123456789abcdef', config: { ...exampleOf(securityConfig.read).config, projectId } };
    },
    support: {
      find: async (caller, ...rest) => managed(support.find, 'support.find', caller, rest),
      show: async (caller, ...rest) => managed(support.show, 'support.show', caller, rest),
      async issueCode(caller, ...rest) {
        const issued = managed(support.show, 'support.issueCode', caller, rest);
        return { ...issued, result: { ...issued.result, code: '7QK2-0H4M-9XTZ-1CVB-N5P8-R3SD-6WEY' } };
      },
      unlink: async (caller, ...rest) => managed(support.show, 'support.unlink', caller, rest),
      revoke: async (caller, ...rest) => managed(support.show, 'support.revoke', caller, rest),
    },
    documents: {
      async read(caller, address) {
        note('documents.read', caller, address);
        const text = documents.get(`${address.collection}/${address.key}`);
        if (text === undefined) throw refusal('NOT_FOUND', 'No document under this key');
        return { ...at, text: asTextOf(text), version: 3 };
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
        return read(documentViews.ledger, 'documents.ledger', caller, rest);
      },
    },
    past: {
      async document(caller, ...rest) {
        note('past.document', caller, ...rest);
        return { ...past, text: asTextOf('{"gold":1}'), version: 2 };
      },
      history: async (caller, ...rest) => ofPast(documentHistory.history, 'past.history', caller, rest),
      compare: async (caller, ...rest) => ofPast(documentHistory.compare, 'past.compare', caller, rest),
      async exists(caller, ...rest) {
        note('past.exists', caller, ...rest);
        return { ...past, exists: true };
      },
      async globalRecord(caller, ...rest) {
        note('past.globalRecord', caller, ...rest);
        return { ...past, text: asTextOf(stringifyJson(exampleOf(globalRecordViews.read))), version: 1 };
      },
      saveRecords: async (caller, ...rest) => ofPast(saveRecords.list, 'past.saveRecords', caller, rest),
      ledger: async (caller, ...rest) => ofPast(documentViews.ledger, 'past.ledger', caller, rest),
      values: async (caller, ...rest) => ofPast(values.read, 'past.values', caller, rest),
      list: async (caller, ...rest) => ofPast(collections.list, 'past.list', caller, rest),
      gameValues: async (caller, ...rest) => ofPast(gameValues.list, 'past.gameValues', caller, rest),
      rateLimitRules: async (caller, ...rest) => ofPast(rateLimitRules.list, 'past.rateLimitRules', caller, rest),
      settings: async (caller, ...rest) => ofPast(settings.read, 'past.settings', caller, rest),
    },
    saveRecordHistory: {
      changes: async (caller, ...rest) => ofPast(saveRecordHistory.changes, 'saveRecordHistory.changes', caller, rest),
      compare: async (caller, ...rest) => read(saveRecordHistory.compare, 'saveRecordHistory.compare', caller, rest),
    },
    definitionHistory: {
      changes: async (caller, ...rest) => ofPast(definitionHistory.changes, 'definitionHistory.changes', caller, rest),
      compare: async (caller, ...rest) => managed(definitionHistory.compare, 'definitionHistory.compare', caller, rest),
      compareAll: async (caller, ...rest) => managed(definitionHistory.compareAll, 'definitionHistory.compareAll', caller, rest),
      valueChanges: async (caller, ...rest) => ofPast(definitionHistory.valueChanges, 'definitionHistory.valueChanges', caller, rest),
      compareValue: async (caller, ...rest) => managed(definitionHistory.compareValue, 'definitionHistory.compareValue', caller, rest),
    },
    records: {
      append: async (caller, address, asked) =>
        read(globalRecords.append, 'records.append', caller, [address, await asked(), writerOf(caller)]),
      list: async (caller, ...rest) => read(globalRecordViews.list, 'records.list', caller, rest),
      async get(caller, address) {
        note('records.get', caller, address);
        return { ...at, text: asTextOf(stringifyJson(exampleOf(globalRecordViews.read))), version: 1 };
      },
    },
    saveRecords: {
      list: async (caller, ...rest) => read(saveRecords.list, 'saveRecords.list', caller, rest),
      create: async (caller, address, asked) => read(saveRecords.create, 'saveRecords.create', caller, [address, await asked()]),
      rename: async (caller, address, asked) => read(saveRecords.rename, 'saveRecords.rename', caller, [address, await asked()]),
      remove: async (caller, ...rest) => read(saveRecords.remove, 'saveRecords.remove', caller, rest),
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
      read: async (caller, ...rest) => read(values.read, 'values.read', caller, rest),
      rateLimits: async (caller, ...rest) => read(rateLimits.read, 'values.rateLimits', caller, rest),
    },
    live: {
      open: async (projectId, found, request) => {
        note('live.open', await app.authenticate(projectId, found), request);
        return { start: ({ end }) => end(), room: () => undefined, keepAlive: () => null, close: () => undefined };
      },
    },
    queries: { run: async (caller, ...rest) => read(queries.run, 'queries.run', caller, rest) },
    sessions: {
      create: async (caller) => session('sessions.create', caller),
      refresh: async (caller) => session('sessions.refresh', caller),
      reauth: async (caller) => session('sessions.reauth', caller),
      revoke: async (caller) => session('sessions.revoke', caller),
    },
    guests: {
      admit: async () => undefined,
      register: async (caller) => guest('guests.register', caller),
      join: async (caller, ...rest) => guest('guests.join', caller, rest),
      link: async (caller, ...rest) => guest('guests.link', caller, rest),
      unlink: async (caller, ...rest) => guest('guests.unlink', caller, rest),
      issueCode: async (caller) => ({ ...guest('guests.issueCode', caller), code: 'AAAA' }),
      show: async (caller) => guest('guests.show', caller),
      pass: async (caller, host) => {
        guest('guests.pass', caller, [host]);
        return { guest: 'guest-x', host, pass: 'ns_pass_x', expiresInSeconds: 600 };
      },
      revoke: async (caller, ...rest) => guest('guests.revoke', caller, rest),
    },
    manage: {
      upsertMany: async (caller, ...rest) => managed(collections.put, 'manage.upsertMany', caller, rest),
      upsertOne: async (caller, ...rest) => managed(collections.patch, 'manage.upsertOne', caller, rest),
      remove: async (caller, ...rest) => managed(collections.remove, 'manage.remove', caller, rest),
      putSingle: async (caller, ...rest) => managed(gameValues.put, 'manage.putSingle', caller, rest),
      removeSingle: async (caller, ...rest) => managed(gameValues.remove, 'manage.removeSingle', caller, rest),
      list: async (caller, ...rest) => managed(collections.list, 'manage.list', caller, rest),
      gameValues: async (caller, ...rest) => managed(gameValues.list, 'manage.gameValues', caller, rest),
      rateLimitRules: async (caller, ...rest) => managed(rateLimitRules.list, 'manage.rateLimitRules', caller, rest),
      validate: async (caller, ...rest) => managed(projectFacts.validate, 'manage.validate', caller, rest),
      promote: async (caller, ...rest) => managed(release.promote, 'manage.promote', caller, rest),
      discard: async (caller, ...rest) => managed(release.discard, 'manage.discard', caller, rest),
      diff: async (caller, ...rest) => managed(release.diff, 'manage.diff', caller, rest),
      sync: async (caller, ...rest) => managed(publishing.sync, 'manage.sync', caller, rest),
      preflight: async (caller, ...rest) => managed(publishing.preflight, 'manage.preflight', caller, rest),
      upgradeSource: async (caller, ...rest) => managed(publishing.upgradeSource, 'manage.upgradeSource', caller, rest),
    },
    manifest: {
      read: async (caller, ...rest) => managed(publishing.manifest, 'manifest.read', caller, rest),
      job: async (caller, ...rest) => managed(publishing.job, 'manifest.job', caller, rest),
    },
    async explain(caller, ...rest) {
      note('explain', caller, ...rest);
      return {
        ...at,
        result: { meanings: exampleOf(commits.explain).meanings, personal: [], calls: 'all', leftOut: [], alike: { names: [] } },
      };
    },
    findNames: async (caller, ...rest) => managed(commits.names, 'findNames', caller, rest),
    showPlayer: async (caller, ...rest) => managed(playerPage.show, 'showPlayer', caller, rest),
    showTimeline: async (caller, ...rest) => managed(playerPage.timeline, 'showTimeline', caller, rest),
    commits: { list: async (caller, ...rest) => managed(commits.list, 'commits.list', caller, rest) },
    flags: async (caller, ...rest) => managed(projectFacts.flags, 'flags', caller, rest),
    looks: {
      record: async () => undefined,
      personal: () => null,
      personalIn: async () => null,
      sharedIn: async () => ({ collection: () => false, query: () => false }),
      list: async (caller, ...rest) => managed(looks.list, 'looks.list', caller, rest),
    },
    documentLists: {
      list: async (caller, ...rest) => managed(documentLists.list, 'documentLists.list', caller, rest),
      export: async (caller, ...rest) => {
        note('documentLists.export', caller, rest);
        return { position: 14, stale: false, fileName: 'demo-saves-r14.ndjson', texts: linesOf('{}'), close: () => undefined };
      },
    },
    economy: {
      days: async (caller, ...rest) => managed(economy.days, 'economy.days', caller, rest),
      flows: async (caller, ...rest) => managed(economy.flows, 'economy.flows', caller, rest),
      players: async (caller, ...rest) => managed(economy.players, 'economy.players', caller, rest),
      entries: async (caller, ...rest) => managed(economy.entries, 'economy.entries', caller, rest),
      alarms: async (caller, ...rest) => managed(economy.alarms, 'economy.alarms', caller, rest),
      supply: async (caller, ...rest) => managed(economy.supply, 'economy.supply', caller, rest),
    },
    history: {
      publishes: async (caller, ...rest) => managed(release.publishes, 'history.publishes', caller, rest),
      rollback: async (caller, ...rest) => managed(release.rollback, 'history.rollback', caller, rest),
    },
    tests: {
      list: async (caller, ...rest) => managed(tests.list, 'tests.list', caller, rest),
      replace: async (caller, ...rest) => managed(tests.replace, 'tests.replace', caller, rest),
      testEndpoint: async (caller, ...rest) => managed(tests.testEndpoint, 'tests.testEndpoint', caller, rest),
      runTests: async (caller, ...rest) => managed(tests.runTests, 'tests.runTests', caller, rest),
      autoTest: async (caller, ...rest) => managed(tests.autoTest, 'tests.autoTest', caller, rest),
      suggestTests: async (caller, ...rest) => managed(tests.suggestTests, 'tests.suggestTests', caller, rest),
    },
    gamePackage: {
      sync: async (caller, ...rest) => managed(gamePackage.sync, 'gamePackage.sync', caller, rest),
      read: async (caller) => managed(gamePackage.read, 'gamePackage.read', caller, []),
      init: async (caller, ...rest) => managed(gamePackage.init, 'gamePackage.init', caller, rest),
    },
    corrections: {
      change: async (caller, ...rest) => managed(corrections.change, 'corrections.change', caller, rest),
      undo: async (caller, ...rest) => managed(corrections.undo, 'corrections.undo', caller, rest),
      restore: async (caller, ...rest) => managed(corrections.restore, 'corrections.restore', caller, rest),
    },
    buttons: {
      list: async (caller, ...rest) => managed(buttons.list, 'buttons.list', caller, rest),
      press: async (caller, ...rest) => managed(buttons.press, 'buttons.press', caller, rest),
    },
    schedules: {
      read: async (caller, ...rest) => managed(schedules.readPromotionSchedule, 'schedules.read', caller, rest),
      schedule: async (caller, ...rest) => managed(schedules.schedulePromotion, 'schedules.schedule', caller, rest),
      unschedule: async (caller, ...rest) => managed(schedules.unschedulePromotion, 'schedules.unschedule', caller, rest),
    },
    approvals: {
      ask: async (caller, ...rest) => managed(approvals.ask, 'approvals.ask', caller, rest),
      list: async (caller, ...rest) => managed(approvals.list, 'approvals.list', caller, rest),
      read: async (caller, ...rest) => managed(approvals.read, 'approvals.read', caller, rest),
      give: async (caller, ...rest) => managed(approvals.give, 'approvals.give', caller, rest),
      decline: async (caller, ...rest) => managed(approvals.decline, 'approvals.decline', caller, rest),
      comment: async (caller, ...rest) => managed(approvals.comment, 'approvals.comment', caller, rest),
      withdraw: async (caller, ...rest) => managed(approvals.withdraw, 'approvals.withdraw', caller, rest),
    },
    grants: {
      begin: async (caller, ...rest) => managed(grants.begin, 'grants.begin', caller, rest),
      list: async (caller, ...rest) => managed(grants.list, 'grants.list', caller, rest),
      read: async (caller, ...rest) => managed(grants.read, 'grants.read', caller, rest),
      players: async (caller, ...rest) => managed(grants.players, 'grants.players', caller, rest),
      stop: async (caller, ...rest) => managed(grants.stop, 'grants.stop', caller, rest),
      resume: async (caller, ...rest) => managed(grants.resume, 'grants.resume', caller, rest),
      undo: async (caller, ...rest) => managed(grants.undo, 'grants.undo', caller, rest),
    },
    purge: { documents: async (caller, ...rest) => managed(purge.documents, 'purge.documents', caller, rest) },
    settings: {
      async read(caller) {
        note('settings.read', caller);
        return { ...at, result: settingsBody(PROJECT, { name: 'Demo', settings: {} }) };
      },
      change: async (caller, ...rest) => managed(settings.change, 'settings.change', caller, rest),
      listKeys: async (caller, ...rest) => managed(settings.listKeys, 'settings.listKeys', caller, rest),
      revokePublicKey: async (caller, ...rest) => managed(settings.revokePublicKey, 'settings.revokePublicKey', caller, rest),
    },
    telemetry: {
      async track(caller, ...rest) {
        note('telemetry.track', caller, ...rest);
        return { stored: true, reason: null };
      },
      async heartbeat(caller, ...rest) {
        note('telemetry.heartbeat', caller, ...rest);
        return exampleOf(telemetry.heartbeat);
      },
      async saveFailed(caller, ...rest) {
        note('telemetry.saveFailed', caller, ...rest);
        return { recorded: true };
      },
      async stats(caller, ...rest) {
        note('telemetry.stats', caller, ...rest);
        return { body: exampleOf(playerStats.read), stale: false };
      },
    },
  };
  return app;
}

function authenticate(projectId: string, found: PresentedCredentials): Caller {
  // A person may do what a secret key may.
  const sent = found.person ? SECRET_KEY : found.key;
  if (sent === null) throw refusal('UNAUTHORIZED', 'Missing API key');
  if (sent === DISABLED_KEY) throw refusal(found.disabledKey);
  const isSecret = sent === SECRET_KEY;
  if (projectId !== PROJECT || (!isSecret && sent !== PUBLIC_KEY) || (found.management && !isSecret)) throw refusal('UNAUTHORIZED');
  const { platformId, onBehalfOf, position, proof } = found;
  const extraSecret = found.extraSecret === null ? null : found.extraSecret === SECRET_KEY ? keyNamed('secret', 'secret') : 'invalid';
  return {
    projectId,
    key: isSecret ? keyNamed('secret', 'secret') : keyNamed('public', 'public'),
    isSecret,
    extraSecret,
    platformId,
    onBehalfOf,
    position,
    revision: null,
    proof,
  };
}
