import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as library from '../../../src/client/index.ts';
import { mountRevisionPanel } from '../../../src/client/revision-panel.ts';
import { ENFORCED, type Game, network } from '../support.ts';
import { namesIn, type Tries } from './support.ts';

/** Revisions, lobbies, the prompt and reports. */

const { createClient, openRevisionPrompt } = library;

function clientOf({ options, newPlayer }: Game, more: library.ClientOptions = {}): library.Client {
  return createClient({ ...options, player: newPlayer(), revision: 7, ...more });
}

/** A client, of the outdated revision 7 unless the options say otherwise, after an answer that has told its status. */
async function outdated(game: Game, options: library.ClientOptions = {}, settings: object = {}): Promise<library.Client> {
  await game.change({ ...ENFORCED, ...settings });
  const client = clientOf(game, options);
  await client.call('load-profile');
  return client;
}

/** Tries a choice of the prompt. */
function choice(
  game: Game,
  open: typeof openRevisionPrompt,
  listener: keyof library.PromptOptions,
  choose: (prompt: library.RevisionPrompt) => void,
): void {
  const client = clientOf(game);
  const chosen: unknown[] = [];
  const prompt = open(client, { [listener]: ({ reason }: library.RevisionOutdated) => chosen.push(reason) });
  library.revisionOf(client).testOutdated({ action: 'warn' });
  choose(prompt);
  expect([prompt.state, chosen]).toEqual(['closed', ['ManualTest']]);
  prompt.close();
}

const reported = async (report: Promise<library.Result<unknown> | null>) => expect((await report)?.ok).toBe(true);

export const REVISION: Tries = {
  'Client revision settings': (game) => {
    const { settings } = library.revisionOf(clientOf(game));
    const page = readFileSync(join(import.meta.dirname, '../../../docs/client.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \| `(true|false|\d+)` \| .+ \|$/gm)];
    expect(Object.fromEntries(rows.map(([, name, , value = '']) => [name, JSON.parse(value)]))).toEqual(settings);
    for (const [, name = '', theirs = ''] of rows) {
      const [first = ''] = [...theirs.matchAll(/`(?:Enable(?=[A-Z]))?(\w+)`/g)].map(([, each = '']) => each);
      expect(first.toLowerCase()).toBe(name.toLowerCase());
    }
  },
  'EnableRevisionWarningUI, EnableOutdatedUI, ShowDefaultWindow, RootPanel': (game) => {
    const log: unknown[] = [];
    const client = clientOf(game, { log: ({ level }) => log.push(level) });
    const told: string[] = [];
    library.revisionOf(client).onOutdated(({ reason }) => told.push(reason));
    expect(mountRevisionPanel(client, { parent: null })).toBeNull();
    library.revisionOf(client).testOutdated();
    expect([log, told]).toEqual([['warn'], ['ManualTest']]);
  },
  EnableBlockSavesOnOutdated: async (game) => {
    const revision = library.revisionOf(await outdated(game));
    expect([revision.settings.blockSavesOnOutdated, revision.blockWrites]).toEqual([false, false]);
    revision.settings.blockSavesOnOutdated = true;
    expect(revision.blockWrites).toBe(true);
  },
  EnableAutoDisconnectHost: async (game) => {
    const host = await outdated(game);
    const request = {
      v: 1,
      projectId: game.options.projectId,
      target: 'live',
      player: 'bo',
      token: '',
      collection: 'players',
      document: 'bo',
    };
    expect(await library.answerGuest(host, request, 'bo')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    library.revisionOf(host).settings.autoDisconnectHost = true;
    expect(await library.answerGuest(host, request, 'bo')).toMatchObject({ error: { code: 'REVISION_OUTDATED' } });
  },
  BlockWrites: async (game) => {
    const current = await outdated(game, { revision: 8 });
    library.revisionOf(current).settings.blockSavesOnOutdated = true;
    expect(library.revisionOf(current).blockWrites).toBe(false);
    const old = await outdated(game);
    library.revisionOf(old).settings.blockSavesOnOutdated = true;
    expect(library.revisionOf(old).blockWrites).toBe(true);
  },
  'Revision status: IsOutdated, GraceExpired, GraceRemainingMinutes, Action, Message, PlayerRevision, CurrentRevision': async (
    game,
    name,
  ) => {
    const { status } = library.revisionOf(await outdated(game));
    expect(namesIn(name).map((each) => Object(status)[each])).toEqual([true, false, 60, 'warn', 'Please update.', 7, 8]);
  },
  'PolicyGracePeriodMinutes, PolicyPostGraceAction, PolicyForceEndpointUpgrade, PolicyShowUpdateOptions, PolicyShowPopupOnce, PolicyShowDefaultMessage, PolicyNotifyMessage':
    async (game, name) => {
      const { policy } = library.revisionOf(await outdated(game)).status ?? {};
      const of = namesIn(name.replaceAll('Policy', '')).map((each) => Object(policy)[each]);
      expect(of).toEqual([60, 'block_writes', false, true, true, false, 'Please update.']);
    },
  'EnforcementMode: ForceUpgrade, AllowContinue': async (game) => {
    expect(library.revisionOf(await outdated(game)).status?.enforcementMode).toBe('force_upgrade');
    const playing = await outdated(game, {}, { revisionEnforcementMode: 'allow_continue' });
    expect(library.revisionOf(playing).status).toMatchObject({ enforcementMode: 'allow_continue', state: 'outdated' });
  },
  'Enforcement action: warn, block_writes, block_saves, block_all': async (game) => {
    expect(library.revisionOf(await outdated(game)).status?.action).toBe('warn');
    for (const said of ['block_writes', 'block_saves', 'block_all']) {
      const body = { ok: true, _revisionStatus: { isOutdatedRevision: true, action: said } };
      const client = clientOf(game, { fetch: async () => new Response(JSON.stringify(body)) });
      await client.tryCall('buy');
      expect(library.revisionOf(client).status?.action).toBe(said === 'block_saves' ? 'block_writes' : said);
    }
  },
  'Revision init: Ok, IsOutdatedRevision, PlayerRevision, CurrentRevision, Message': async (game) => {
    const client = clientOf(game);
    const told = {
      ok: true,
      revisionOutdated: true,
      playerRevision: 7,
      currentRevisionId: 8,
      message: 'Revision 7 is outdated; 8 is current.',
    };
    expect(await library.revisionOf(client).init()).toMatchObject(told);
    expect(library.revisionOf(client).status).toBeNull();
  },
  OnRevisionOutdated: async (game) => {
    const client = clientOf(game);
    const told: string[] = [];
    library.revisionOf(client).onOutdated(({ source, reason }) => told.push(`${source} ${reason}`));
    await game.change(ENFORCED);
    await client.call('load-profile');
    expect(told).toEqual(['load-profile LoadProfileDetected']);
  },
  'Revision-outdated data: CurrentRevisionId, LatestRevisionId, RevisionOutdated, GraceSeconds, GraceEndsAtUnixSeconds, ServerUnixSeconds, Source, Reason, EnforcementMode, Message, Action, GraceExpired, GraceRemainingMinutes, ShowUpdateOptions, ShowPopupOnce, TimeRemaining, IsGraceExpired':
    (game, name) => {
      const told: library.RevisionOutdated[] = [];
      const revision = library.revisionOf(clientOf(game));
      revision.onOutdated((data) => told.push(data));
      revision.testOutdated();
      expect(Object.keys(told[0] ?? {}).sort()).toEqual([...namesIn(name)].sort());
    },
  'Reason: LoadProfileDetected, ManualTest, LobbyMismatch, GraceExpired': async (game, name) => {
    const reasons: string[] = [];
    const listening = () => {
      const client = clientOf(game);
      library.revisionOf(client).onOutdated(({ reason }) => reasons.push(reason));
      return client;
    };
    await game.change(ENFORCED);
    await listening().call('load-profile');
    library.revisionOf(listening()).testOutdated();
    library.compareLobby(listening(), { ns_rev: '8' });
    await game.change({ revisionGracePeriodMinutes: null });
    await listening().tryCall('buy', { item: 'axe' });
    expect(`Reason: ${reasons.join(', ')}`).toBe(name);
  },
  OnRevisionStatusChanged: async (game) => {
    const client = clientOf(game);
    const states: string[] = [];
    library.revisionOf(client).onChange(({ state }) => states.push(state));
    await game.change(ENFORCED);
    await client.call('load-profile');
    await game.change({ revisionEnforcementEnabled: false });
    await client.call('load-profile');
    expect(states).toEqual(['grace', 'current']);
  },
  'test fire': (game) => {
    const revision = library.revisionOf(clientOf(game));
    const told: string[] = [];
    revision.onOutdated(({ source, reason }) => told.push(`${source} ${reason}`));
    revision.testOutdated();
    revision.testOutdated();
    expect(told).toEqual(['manual-test ManualTest', 'manual-test ManualTest']);
  },
  OnRefreshLobbyListRequested: (game) => {
    const revision = library.revisionOf(clientOf(game));
    let asked = 0;
    revision.onRefreshLobbyList(() => asked++);
    revision.refreshLobbyList();
    expect(asked).toBe(1);
  },
  RefreshRevisionLobbyListAsync: (game) => {
    const revision = library.revisionOf(clientOf(game));
    let asked = 0;
    const stop = revision.onRefreshLobbyList(() => asked++);
    revision.refreshLobbyList();
    stop();
    revision.refreshLobbyList();
    expect(asked).toBe(1);
  },
  'Lobby metadata: ns_rev, ns_stale, ns_grace_end, ns_mig, ns_mig_rev, ns_src': (game, name) => {
    const client = clientOf(game);
    const metadata = library.lobbyMetadata(client, { migratesTo: 8, source: 'lobby-1' });
    expect(Object.keys(metadata)).toEqual(namesIn(name));
    expect(library.readLobby(metadata)).toMatchObject({ revision: 7, isStale: false, migratesTo: 8, source: 'lobby-1' });
    expect(library.compareLobby(client, metadata)).toBe('same');
  },
  OnCreateNewGame: (game) => {
    choice(game, openRevisionPrompt, 'onCreateNewGame', (prompt) => prompt.createNewGame());
  },
  OnJoinNewLobby: (game) => choice(game, openRevisionPrompt, 'onJoinNewLobby', (prompt) => prompt.joinNewLobby()),
  OnContinuePlaying: (game) => choice(game, openRevisionPrompt, 'onContinuePlaying', (prompt) => prompt.continuePlaying()),
  OnDismiss: (game) => choice(game, openRevisionPrompt, 'onDismiss', (prompt) => prompt.dismiss()),
  'TrackAnalyticsEvent(eventType, payload), TrackEvent': (game) =>
    reported(library.analyticsOf(clientOf(game)).track('level_done', { context: { level: 3 } })),
  'TrackAnalyticsWarning(code, message, context), Warning': (game) =>
    reported(library.analyticsOf(clientOf(game)).warning('LOW_MEMORY', 'little', { mb: 80 })),
  'TrackAnalyticsError, Error': async (game) => {
    const analytics = library.analyticsOf(clientOf(game));
    await reported(analytics.error('MAP_MISSING', 'no map', 'at load', { map: 'north' }));
    await reported(analytics.error(new Error('no map'), { map: 'north' }));
  },
  'TrackSessionStart(context), SessionStart': async (game) => {
    await reported(
      library
        .analyticsOf(clientOf(game))
        .startSession({ context: { mode: 'duel' } })
        .end() as Promise<library.Result<unknown> | null>,
    );
  },
  'TrackSessionHeartbeat(sessionSeconds, context, fps), SessionHeartbeat': (game) =>
    reported(
      library.analyticsOf(clientOf(game)).heartbeat('heartbeat', { sessionSeconds: 30, context: { mode: 'duel' }, fps: { avg: 60 } }),
    ),
  'TrackSessionEnd(durationSeconds, context), SessionEnd': async (game) => {
    const analytics = library.analyticsOf(clientOf(game));
    analytics.startSession();
    await reported(analytics.endSession(90, { levels: 3 }));
  },
  'Analytics switches': async (game) => {
    const { fetch, sent } = network();
    const client = clientOf(game, { fetch, analytics: library.analyticsSwitches({ captureErrors: false }) });
    expect(await library.analyticsOf(client).error('MAP_MISSING')).toBeNull();
    expect(sent.filter(({ path }) => path.includes('analytics'))).toEqual([]);
  },
};
