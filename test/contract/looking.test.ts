import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OF_PERSONS } from '../../src/contract/families.ts';
import { askingOf, namesFields, namingsOf } from '../../src/contract/looking.ts';
import { routes } from '../../src/contract/routes/index.ts';

/** Where a person reads what one player has is made of the routes; what names nobody is named here, so that a new route is thought of. */

/** What the game is made of, how it is set up, and tests of it that show no player's data. */
const OF_THE_GAME =
  /^(?:list|put|post|patch|delete)(?:Collections?|Endpoints?|Workflows?|Libraries|Library|Queries|Query|GameValues|RateLimitRules|Tests)$/;
const OF_THE_PROJECT = [
  ...['diff', 'discard', 'listPublishes', 'preflight', 'promote', 'rollback', 'sync', 'upgradeSource', 'readManifest', 'readSyncJob'],
  ...['compareDefinition', 'compareDefinitions', 'readDefinitionHistory', 'compareGameValue', 'readGameValueHistory', 'readValues'],
  ...['changeSettings', 'readSettings', 'readConfig', 'readPackage', 'syncPackage', 'listKeys', 'revokePublicKey', 'validateKeys'],
  ...['askApproval', 'listApprovals', 'readApproval', 'giveApproval', 'declineApproval', 'commentApproval', 'withdrawApproval'],
  ...['schedulePromotion', 'readPromotionSchedule', 'unschedulePromotion'],
  ...['callNothing', 'purgeDocuments', 'listButtons', 'findNames'],
];
/** Of many players at once, of none in particular. */
const OF_MANY = ['readEconomy', 'listEconomyAlarms', 'listEconomyFlows', 'readEconomySupply', 'summarizeLogs'];

const reached = routes.filter(({ family }) => OF_PERSONS.includes(family));

test('every route that a person reaches says whose data it shows, or is known to show no one player', () => {
  const silent = reached.filter((route) => namingsOf(route).length === 0).map(({ id }) => id);
  expect(silent.filter((id) => !OF_THE_GAME.test(id)).sort()).toEqual([...OF_THE_PROJECT, ...OF_MANY].sort());
});

test('a player is found in the path, in the key of a document, in the query, and in the answer where the request names none', () => {
  const found = Object.fromEntries(reached.map((route) => [route.id, namingsOf(route)]));
  expect(found).toMatchObject({
    showPlayer: ['player'],
    readDocument: ['key', 'claim'],
    readLedger: ['key', 'claim'],
    listSaveRecords: ['key', 'claim'],
    readRecord: ['claim', 'answer'],
    listCommits: ['query'],
    findPlayers: ['list'],
    listEconomyPlayers: ['list'],
    readLogs: ['query'],
    callEndpoint: ['claim'],
    testEndpoint: ['answer'],
    explain: ['answer'],
    undoCommit: ['answer'],
    correctDocument: ['answer'],
    pressButton: ['answer'],
    listen: ['topic'],
    listLooks: ['query'],
  });
});

/** What no request of a person can ask of documents, whatever it names: a new route is not among them until it is named here. */
const ASKING_NOTHING = [
  ...['compareDefinition', 'compareDefinitions', 'readDefinitionHistory', 'compareGameValue', 'readGameValueHistory', 'readValues'],
  ...[
    'changeSettings',
    'readSettings',
    'readConfig',
    'readPackage',
    'syncPackage',
    'initRevision',
    'listKeys',
    'revokePublicKey',
    'validateKeys',
  ],
  ...['diff', 'discard', 'listPublishes', 'preflight', 'promote', 'rollback', 'sync', 'upgradeSource', 'readManifest', 'readSyncJob'],
  ...['askApproval', 'listApprovals', 'readApproval', 'giveApproval', 'declineApproval', 'commentApproval', 'withdrawApproval'],
  ...['schedulePromotion', 'readPromotionSchedule', 'unschedulePromotion', 'listButtons', 'findNames', 'suggestTests'],
];
/** What runs logic of the game with what is sent. */
const RUNNING = ['callEndpoint', 'callEndpointByQuery', 'callNamedEndpoint', 'callNothing', 'pressButton', 'testEndpoint'];

test('a request of a person tells of what it names, but for routes that are known to read no document, and those that run logic', () => {
  const by = (asking: string) => reached.filter((route) => askingOf(route) === asking).map(({ id }) => id);
  expect(
    by('nothing')
      .filter((id) => !OF_THE_GAME.test(id) || /Tests$/.test(id))
      .sort(),
  ).toEqual([...ASKING_NOTHING, 'listTests', 'putTests'].sort());
  expect(by('run').sort()).toEqual(RUNNING);
});

test('members of every body may be fields of documents, but for those of reports', () => {
  expect(reached.filter((route) => !namesFields(route)).map(({ id }) => id)).toEqual(['trackEvent', 'sendHeartbeat']);
});

test('no route is served and no body is read past the gate that requests of people pass', () => {
  const files = readdirSync('src/http', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const having = (text: string) => files.filter((file) => readFileSync(`src/http/${file}`, 'utf8').includes(text));
  expect({ serving: having('.register(route.'), reading: having("from 'raw-body'") }).toEqual({
    serving: ['handlers.ts'],
    reading: ['body.ts'],
  });
});
