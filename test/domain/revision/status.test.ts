import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ProjectSettings, projectSettings } from '../../../src/domain/project/settings.ts';
import {
  type ClientFacts,
  isBlocked,
  loadProfileBlock,
  revisionIdOf,
  revisionStatus,
  revisionStatusBody,
} from '../../../src/domain/revision/status.ts';
import type { GamePackage } from '../../../src/domain/states.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';

const MINUTE = 60_000;
const SINCE = 1_760_000_000_000;
const PACKAGE: GamePackage = { members: { currentRevisionId: 5 }, publishedAt: SINCE, syncedAt: SINCE };
const ENFORCED = { revisionEnforcementEnabled: true };
const FORCED = { ...ENFORCED, revisionEnforcementMode: 'force_upgrade' };
const GAME: ClientFacts = { revision: 4, clientType: 'game' };

const settings = (stored: JsonObject): ProjectSettings => projectSettings(stored);
const statusOf = (stored: JsonObject, client: Partial<ClientFacts> = {}, now = SINCE, known: GamePackage | null = PACKAGE) =>
  revisionStatus(settings(stored), known, { ...GAME, ...client }, now);

describe('no status is reported', () => {
  it.each<[string, JsonObject, Partial<ClientFacts>, GamePackage | null]>([
    ['where nothing is enforced', {}, {}, PACKAGE],
    ['of a client whose revision is not known', ENFORCED, { revision: null }, PACKAGE],
    ['without a package', ENFORCED, {}, null],
    ['without a current revision', ENFORCED, {}, { ...PACKAGE, members: {} }],
  ])('%s', (_, stored, client, known) => {
    expect(statusOf(stored, client, SINCE, known)).toBeNull();
  });
});

describe('an outdated game', () => {
  const grace = { revisionGracePeriodMinutes: 10 };
  it.each<[string, JsonObject, number, object]>([
    ['may go on where the project lets it', ENFORCED, 1e6, { action: 'warn', graceExpired: false, graceRemainingMinutes: null }],
    ['is warned while grace runs', { ...FORCED, ...grace }, 0, { action: 'warn', graceExpired: false, graceRemainingMinutes: 10 }],
    ['has whole minutes left, rounded up', { ...FORCED, ...grace }, 9.01, { action: 'warn', graceRemainingMinutes: 1 }],
    [
      'may not write from the end of grace',
      { ...FORCED, ...grace },
      10,
      { action: 'block_writes', graceExpired: true, graceRemainingMinutes: 0 },
    ],
    ['may not write at once without grace', FORCED, 0, { action: 'block_writes', graceExpired: true, graceRemainingMinutes: 0 }],
    ['may do nothing where the project says so', { ...FORCED, revisionPostGraceAction: 'block_all' }, 0, { action: 'block_all' }],
    ['may not write under the older word, too', { ...FORCED, revisionPostGraceAction: 'block_saves' }, 0, { action: 'block_writes' }],
  ])('%s', (_, stored, minutes, expected) => {
    expect(statusOf(stored, {}, SINCE + minutes * MINUTE)).toMatchObject({ outdated: true, player: 4, current: 5, ...expected });
  });
});

describe('a game that is not outdated', () => {
  it.each([5, 6])('gets a status that says so, which clears an earlier one: %i', (revision) => {
    expect(statusOf(FORCED, { revision })).toMatchObject({ outdated: false, action: null, graceExpired: false });
  });
});

describe('test settings make clients outdated', () => {
  it.each<[string, JsonObject, Partial<ClientFacts>, boolean]>([
    ['editors', { revisionTestOutdatedEditor: true }, { clientType: 'editor', revision: null }, true],
    ['editors, not games', { revisionTestOutdatedEditor: true }, { clientType: 'game', revision: 5 }, false],
    ['games', { revisionTestOutdatedLive: true }, { clientType: 'game', revision: 5 }, true],
    ['dedicated servers', { revisionTestOutdatedLive: true }, { clientType: 'dedicated', revision: null }, true],
    ['games, not editors', { revisionTestOutdatedLive: true }, { clientType: 'editor', revision: 5 }, false],
  ])('%s', (_, stored, client, outdated) => {
    expect(statusOf({ ...ENFORCED, ...stored }, client)).toMatchObject({ outdated });
  });
});

describe('what an action blocks', () => {
  it.each([
    [ENFORCED, false, false],
    [FORCED, false, true],
    [{ ...FORCED, revisionPostGraceAction: 'block_all' }, true, true],
  ])('%j: reads %s, writes %s', (stored, reads, writes) => {
    const status = statusOf(stored);
    if (status === null) throw new Error('an outdated game has a status');
    expect([isBlocked(status, 'read'), isBlocked(status, 'write')]).toEqual([reads, writes]);
  });
});

describe('_revisionStatus', () => {
  it('has the members that the client reads, in their types', () => {
    const status = statusOf({ ...FORCED, revisionGracePeriodMinutes: 10, revisionNotifyMessage: 'Restart!' }, {}, SINCE + 30_000);
    expect(status && revisionStatusBody(status)).toEqual({
      isOutdatedRevision: true,
      playerRevision: 4,
      currentRevision: 5,
      graceRemainingMinutes: 10,
      graceExpired: false,
      action: 'warn',
      message: 'Restart!',
      enforcementMode: 'force_upgrade',
      policy: {
        gracePeriodMinutes: 10,
        postGraceAction: 'block_writes',
        forceEndpointUpgrade: false,
        notifyMessage: 'Restart!',
        showUpdateOptions: true,
        showPopupOnce: true,
        showDefaultMessage: false,
        enforcementMode: 'force_upgrade',
      },
    });
  });

  it('has no grace period where none is running, and no message for a current game', () => {
    const outdated = statusOf(ENFORCED);
    const current = statusOf(ENFORCED, { revision: 5 });
    expect(outdated && revisionStatusBody(outdated)).not.toHaveProperty('graceRemainingMinutes');
    expect(outdated && revisionStatusBody(outdated)).toMatchObject({
      message: expect.stringMatching(/newer/),
      enforcementMode: 'allow_continue',
    });
    expect(current && revisionStatusBody(current)).toMatchObject({ isOutdatedRevision: false, action: null, message: null });
  });

  it('never holds a fraction: the client would lose the whole answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 1440 }), fc.integer({ min: -1e9, max: 1e9 }), fc.nat(10), (minutes, after, revision) => {
        const status = statusOf({ ...FORCED, revisionGracePeriodMinutes: minutes }, { revision }, SINCE + after);
        const body = status && revisionStatusBody(status);
        const numbers = [body?.['graceRemainingMinutes'] ?? 0, body?.['currentRevision'], body?.['playerRevision']];
        expect(numbers.every(Number.isSafeInteger)).toBe(true);
      }),
    );
  });
});

describe('the `revision` block of load-profile', () => {
  const NOW = SINCE + 90_500;
  const block = (stored: JsonObject, client: Partial<ClientFacts> = {}) => {
    const status = statusOf(stored, client, NOW);
    return status && loadProfileBlock(status, NOW);
  };
  const told = { currentRevisionId: 4, latestRevisionId: 5, serverUnixSeconds: Math.floor(NOW / 1000) };
  const since = SINCE / 1000;

  it.each<[string, JsonObject, Partial<ClientFacts>, object]>([
    ['says when grace ends', { revisionGracePeriodMinutes: 10 }, {}, { graceSeconds: 600, graceEndsAtUnixSeconds: since + 600 }],
    ['says when there was none', {}, {}, { graceSeconds: 0, graceEndsAtUnixSeconds: since }],
    [
      'has no end where a game may go on',
      { revisionEnforcementMode: 'allow_continue', revisionGracePeriodMinutes: 10 },
      {},
      { graceSeconds: 0, graceEndsAtUnixSeconds: null },
    ],
    [
      'clears what was told before',
      {},
      { revision: 6 },
      { revisionOutdated: false, currentRevisionId: 6, graceSeconds: 0, graceEndsAtUnixSeconds: null },
    ],
  ])('%s', (_, stored, client, expected) => {
    expect(block({ ...FORCED, ...stored }, client)).toEqual({ revisionOutdated: true, ...told, ...expected });
  });

  it('needs the revision of the game', () => {
    expect(block({ ...FORCED, revisionTestOutdatedEditor: true }, { revision: null, clientType: 'editor' })).toBeNull();
  });
});

describe('a revision as a client sends it', () => {
  it.each<[Json, number | null]>([
    [7, 7],
    [0, null],
    [-1, null],
    [1.5, null],
    ['7', null],
    [null, null],
    [{}, null],
  ])('%j is %j', (told, revision) => {
    expect(revisionIdOf(told)).toBe(revision);
  });
});
