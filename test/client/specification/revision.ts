import { expect } from 'vitest';
import * as library from '../../../src/client/index.ts';
import { mountRevisionPanel } from '../../../src/client/revision-panel.ts';
import { type Game, network } from '../support.ts';
import type { Tries } from './support.ts';

/** Revisions, lobbies, the prompt and reports. */

const { createClient, openRevisionPrompt } = library;

function clientOf({ options, newPlayer }: Game, more: library.ClientOptions = {}): library.Client {
  return createClient({ ...options, player: newPlayer(), revision: 7, ...more });
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
    expect(library.revisionOf(clientOf(game)).settings).toMatchObject({
      enabled: true,
      showDefaultMessage: false,
      showOnlyOnce: true,
      gracePeriod: 0,
      autoRefreshLobbies: false,
      lobbyRefreshInterval: 10,
      allowSpaceToClose: true,
      autoOpenOnOutdated: true,
    });
  },
  EnableBlockSavesOnOutdated: (game) => {
    expect(library.revisionOf(clientOf(game)).settings.blockSavesOnOutdated).toBe(false);
  },
  EnableAutoDisconnectHost: (game) => {
    expect(library.revisionOf(clientOf(game)).settings.autoDisconnectHost).toBe(false);
  },
  BlockWrites: (game) => {
    expect(library.revisionOf(clientOf(game)).blockWrites).toBe(false);
  },
  'Revision status': (game) => {
    expect(library.revisionOf(clientOf(game)).status).toBeNull();
  },
  'Revision init': async (game) => {
    expect(await library.revisionOf(clientOf(game)).init()).toMatchObject({ ok: true, revisionOutdated: false, playerRevision: 7 });
  },
  OnRevisionOutdated: (game) => {
    const revision = library.revisionOf(clientOf(game));
    const told: string[] = [];
    revision.onOutdated(({ source, reason }) => told.push(`${source} ${reason}`));
    revision.testOutdated();
    expect(told).toEqual(['manual-test ManualTest']);
  },
  OnRevisionStatusChanged: (game) => {
    const stop = library.revisionOf(clientOf(game)).onChange(() => undefined);
    expect(stop).toBeInstanceOf(Function);
  },
  'test fire': (game) => {
    expect(() => library.revisionOf(clientOf(game)).testOutdated()).not.toThrow();
  },
  OnRefreshLobbyListRequested: (game) => {
    const revision = library.revisionOf(clientOf(game));
    let asked = 0;
    revision.onRefreshLobbyList(() => asked++);
    revision.refreshLobbyList();
    expect(asked).toBe(1);
  },
  RefreshRevisionLobbyListAsync: (game) => {
    expect(library.revisionOf(clientOf(game)).refreshLobbyList()).toBeUndefined();
  },
  'Lobby metadata keys': (game) => {
    const client = clientOf(game);
    const metadata = library.lobbyMetadata(client, { migratesTo: 8, source: 'lobby-1' });
    expect(Object.keys(metadata)).toEqual(['ns_rev', 'ns_stale', 'ns_grace_end', 'ns_mig', 'ns_mig_rev', 'ns_src']);
    expect(library.readLobby(metadata)).toMatchObject({ revision: 7, isStale: false, migratesTo: 8, source: 'lobby-1' });
    expect(library.compareLobby(client, metadata)).toBe('same');
  },
  OnCreateNewGame: (game) => {
    choice(game, openRevisionPrompt, 'onCreateNewGame', (prompt) => prompt.createNewGame());
    // The prompt draws nothing; a panel needs an element of a page.
    expect(mountRevisionPanel(clientOf(game), { parent: null })).toBeNull();
  },
  OnJoinNewLobby: (game) => choice(game, openRevisionPrompt, 'onJoinNewLobby', (prompt) => prompt.joinNewLobby()),
  OnContinuePlaying: (game) => choice(game, openRevisionPrompt, 'onContinuePlaying', (prompt) => prompt.continuePlaying()),
  OnDismiss: (game) => choice(game, openRevisionPrompt, 'onDismiss', (prompt) => prompt.dismiss()),
  'TrackAnalyticsEvent(eventType, payload)': (game) =>
    reported(library.analyticsOf(clientOf(game)).track('level_done', { context: { level: 3 } })),
  'TrackAnalyticsWarning(code, message, context)': (game) =>
    reported(library.analyticsOf(clientOf(game)).warning('LOW_MEMORY', 'little', { mb: 80 })),
  TrackAnalyticsError: async (game) => {
    const analytics = library.analyticsOf(clientOf(game));
    await reported(analytics.error('MAP_MISSING', 'no map', 'at load', { map: 'north' }));
    await reported(analytics.error(new Error('no map'), { map: 'north' }));
  },
  'TrackSessionStart(context)': async (game) => {
    await reported(
      library
        .analyticsOf(clientOf(game))
        .startSession({ context: { mode: 'duel' } })
        .end() as Promise<library.Result<unknown> | null>,
    );
  },
  'TrackSessionHeartbeat(sessionSeconds, context, fps)': (game) =>
    reported(
      library.analyticsOf(clientOf(game)).heartbeat('heartbeat', { sessionSeconds: 30, context: { mode: 'duel' }, fps: { avg: 60 } }),
    ),
  'TrackSessionEnd(durationSeconds, context)': async (game) => {
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
