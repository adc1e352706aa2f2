import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerGuest,
  type Client,
  compareLobby,
  createClient,
  guestRelay,
  lobbyMetadata,
  openRevisionPrompt,
  type RevisionOutdated,
  readLobby,
  revisionOf,
} from '../../src/client/index.ts';
import { mountRevisionPanel } from '../../src/client/revision-panel.ts';
import { ENFORCED, endGame, type Game, network, publishRevision, startGame } from './support.ts';

/** An outdated build of a game, on a project whose current revision is 8. */

let game: Game;
beforeAll(async () => {
  game = await startGame();
  await publishRevision(game);
});
afterAll(() => endGame(game));

/** A client of revision 7 with 100 gold, and what it is told. */
async function outdatedGame(options: object = {}) {
  const client: Client = createClient({ ...game.options, player: await game.newRich(100), revision: 7, ...options });
  const told: RevisionOutdated[] = [];
  const states: string[] = [];
  revisionOf(client).onOutdated((data) => told.push(data));
  revisionOf(client).onChange(({ state }) => states.push(state));
  return { client, told, states };
}

describe('a game that is outdated', () => {
  test('is told once for each revision, with all that the specification names', async () => {
    await game.change(ENFORCED);
    const { client, told, states } = await outdatedGame();
    await client.call('load-profile');
    await client.call('buy', { item: 'axe' });
    expect(told).toHaveLength(1);
    const [data] = told;
    expect(data).toMatchObject({
      currentRevisionId: 7,
      latestRevisionId: 8,
      revisionOutdated: true,
      graceSeconds: 3600,
      source: 'load-profile',
      reason: 'LoadProfileDetected',
      enforcementMode: 'force_upgrade',
      message: 'Please update.',
      action: 'warn',
      graceExpired: false,
      graceRemainingMinutes: 60,
      showUpdateOptions: true,
      showPopupOnce: true,
      isGraceExpired: false,
    });
    expect(data?.timeRemaining).toBe((data?.graceEndsAtUnixSeconds ?? 0) - (data?.serverUnixSeconds ?? 0));
    expect(states).toEqual(['grace']);
    revisionOf(client).settings.showOnlyOnce = false;
    await client.call('buy', { item: 'axe' });
    expect(told.map(({ source }) => source)).toEqual(['load-profile', 'answer']);
    revisionOf(client).settings.enabled = false;
    await client.call('buy', { item: 'axe' });
    expect(told).toHaveLength(2);
    expect(() => Object.assign(revisionOf(client).settings, { showOnlyOne: true })).toThrow(TypeError);
  });

  test('is blocked as long as the project blocks it, and no longer', async () => {
    await game.change({ ...ENFORCED, revisionGracePeriodMinutes: null });
    const { client, told, states } = await outdatedGame();
    expect((await client.tryCall('buy', { item: 'axe' })).ok).toBe(false);
    expect(told).toMatchObject([{ reason: 'GraceExpired', isGraceExpired: true }]);
    revisionOf(client).settings.blockSavesOnOutdated = true;
    expect(revisionOf(client).blockWrites).toBe(true);
    await game.change({ revisionEnforcementEnabled: false });
    await client.call('buy', { item: 'axe' });
    expect([revisionOf(client).status?.state, revisionOf(client).blockWrites, states]).toEqual(['current', false, ['blocked', 'current']]);
  });

  test('learns it from documents alone, and that they are open again', async () => {
    await game.change({ ...ENFORCED, revisionGracePeriodMinutes: null });
    const { client, told, states } = await outdatedGame();
    const players = client.documents('players');
    expect(await players.trySave({ gold: 1 })).toMatchObject({ ok: false, error: { code: 'REVISION_OUTDATED' } });
    expect(revisionOf(client).status).toMatchObject({ state: 'blocked', action: 'block_writes', isOutdated: true });
    expect((await players.tryGet()).ok).toBe(true);
    expect(revisionOf(client).status?.state).toBe('blocked');
    await game.change({ revisionGracePeriodMinutes: 60 });
    await players.save({ gold: 1 });
    expect([states, told.length]).toEqual([['blocked', 'outdated'], 1]);
  });

  test('may ask late: it knows what was said before, and is told with the next answer', async () => {
    await game.change(ENFORCED);
    const client: Client = createClient({ ...game.options, player: await game.newRich(100), revision: 7 });
    const { fetch, sent } = network();
    client.configure({ fetch });
    await client.call('buy', { item: 'axe' });
    expect(revisionOf(client).status).toMatchObject({ state: 'grace', playerRevision: 7, currentRevision: 8 });
    const told: RevisionOutdated[] = [];
    revisionOf(client).onOutdated((data) => told.push(data));
    await client.call('buy', { item: 'axe' });
    expect(told).toMatchObject([{ latestRevisionId: 8 }]);
    expect(JSON.parse(sent.at(-1)?.body ?? '')).toMatchObject({ security: { revisionOutdated: true } });

    await game.change({ revisionGracePeriodMinutes: null });
    const late: Client = createClient({ ...game.options, player: client.player, revision: 7 });
    await late.documents('players').trySave({ gold: 1 });
    await late.documents('players').tryGet();
    expect(revisionOf(late).status).toMatchObject({ state: 'blocked', action: 'block_writes' });
  });

  test('tries out what it does then, as often as it likes', async () => {
    const { client, told } = await outdatedGame();
    revisionOf(client).settings.enabled = false;
    revisionOf(client).testOutdated();
    revisionOf(client).testOutdated({ graceSeconds: 300 });
    expect(told).toMatchObject([
      { source: 'manual-test', reason: 'ManualTest', currentRevisionId: 7, action: 'block_writes', graceExpired: true },
      { reason: 'ManualTest', graceSeconds: 300, timeRemaining: 300, action: 'warn', graceExpired: false, graceRemainingMinutes: 5 },
    ]);
    expect(told[1]?.graceEndsAtUnixSeconds).toBe((told[1]?.serverUnixSeconds ?? 0) + 300);
    expect(revisionOf(client).status).toBeNull();
  });

  test('is told once, also where documents said so first, and where lobbies of several newer revisions are looked at', async () => {
    await game.change({ ...ENFORCED, revisionGracePeriodMinutes: null });
    const { client, told } = await outdatedGame();
    await client.documents('players').trySave({ gold: 1 });
    await client.tryCall('buy', { item: 'axe' });
    expect(told).toMatchObject([{ latestRevisionId: null }]);
    for (const ns_rev of ['9', '8', '9']) compareLobby(client, { ns_rev });
    expect(told.map(({ latestRevisionId }) => latestRevisionId)).toEqual([null, 9]);
  });

  test.each([
    ['an editor', { clientType: 'editor' }],
    ['a local session', { revision: 0 }],
  ])('%s sends no revision, and compares its own with no lobby', async (_, options) => {
    const { fetch, sent } = network();
    const { client } = await outdatedGame({ ...options, fetch });
    await revisionOf(client).tryInit();
    const { isPublishedGameBundle, ...init } = JSON.parse(sent.at(-1)?.body ?? '');
    expect([isPublishedGameBundle, 'revisionId' in init]).toEqual([false, false]);
    await client.tryCall('buy', { item: 'axe' });
    expect(sent.some(({ headers }) => 'x-ns-revision-id' in headers)).toBe(false);
    expect(JSON.parse(sent.at(-1)?.body ?? '')).toMatchObject({ security: { revisionId: 0 } });
    expect([lobbyMetadata(client).ns_rev, compareLobby(client, { ns_rev: '9' })]).toEqual(['0', 'unknown']);
  });

  test('asks at its start with the whole body, also where its credentials are read with the first request', async () => {
    const { fetch, sent } = network();
    const { url, projectId, publicKey } = game.options;
    const client = createClient({ fetch, credentials: () => ({ url, projectId, publicKey }), revision: 7, packageIdent: 'studio.game' });
    expect(await revisionOf(client).init()).toMatchObject({ revisionOutdated: true, playerRevision: 7, currentRevisionId: 8 });
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      projectId,
      clientType: 'game',
      networkStorageVersion: '1.0',
      isPublishedGameBundle: true,
      packageIdent: 'studio.game',
      revisionId: 7,
    });
  });
});

test('a lobby tells the revision of its host, and one of a newer revision tells the guest that it is outdated', async () => {
  await game.change(ENFORCED);
  const { client: host } = await outdatedGame();
  expect(lobbyMetadata(host)).toEqual({ ns_rev: '7', ns_stale: '0', ns_grace_end: '0', ns_mig: '0', ns_mig_rev: '0' });
  await host.call('buy', { item: 'axe' });
  const metadata = lobbyMetadata(host, { migratesTo: 8, source: 'lobby-1' });
  expect(metadata).toMatchObject({ ns_rev: '7', ns_stale: '1', ns_mig: '1', ns_mig_rev: '8', ns_src: 'lobby-1' });
  const lobby = readLobby(metadata);
  expect(lobby).toMatchObject({ revision: 7, isStale: true, canMigrate: true, migratesTo: 8, source: 'lobby-1' });
  expect(Math.abs((lobby.graceEndsAtUnixSeconds ?? 0) - Date.now() / 1000 - 3600)).toBeLessThan(120);
  const nothing = { revision: null, isStale: false, graceEndsAtUnixSeconds: null, canMigrate: false, migratesTo: null, source: null };
  for (const wrong of [null, 'x', [], {}, { ns_rev: '-1', ns_stale: 'yes', ns_grace_end: '1e999', ns_src: 5 }]) {
    expect(readLobby(wrong)).toEqual(nothing);
  }

  const { client: guest, told } = await outdatedGame();
  expect(['7', '6', '0'].map((ns_rev) => compareLobby(guest, { ns_rev }))).toEqual(['same', 'older', 'unknown']);
  expect([compareLobby(guest, { ns_rev: '9' }), compareLobby(guest, { ns_rev: '9' })]).toEqual(['newer', 'newer']);
  expect(told).toMatchObject([{ source: 'lobby', reason: 'LobbyMismatch', currentRevisionId: 7, latestRevisionId: 9 }]);
});

test('a host that is outdated takes no more guests, if it is set so', async () => {
  await game.change(ENFORCED);
  const { client: host } = await outdatedGame();
  const guest = createClient({ ...game.options, player: await game.newRich() });
  guest.relay = guestRelay(guest, (request) => answerGuest(host, request, guest.player?.id ?? ''));
  revisionOf(host).settings.autoDisconnectHost = true;
  expect((await guest.tryCall('buy', { item: 'axe' })).ok).toBe(true);
  await host.call('buy', { item: 'axe' });
  expect(await guest.tryCall('buy', { item: 'axe' })).toMatchObject({ ok: false, error: { code: 'REVISION_OUTDATED' } });
});

describe('the prompt', () => {
  test('opens for an outdated game, offers what the project allows, and tells what was chosen', async () => {
    const { client } = await outdatedGame();
    const chosen: string[] = [];
    const prompt = openRevisionPrompt(client, {
      onCreateNewGame: () => chosen.push('create'),
      onJoinNewLobby: () => chosen.push('join'),
      onContinuePlaying: () => chosen.push('continue'),
      onDismiss: () => chosen.push('dismiss'),
    });
    const choices = [() => prompt.createNewGame(), () => prompt.joinNewLobby(), () => prompt.continuePlaying(), () => prompt.dismiss()];
    for (const choose of choices) {
      choose();
      revisionOf(client).testOutdated({ action: 'warn', graceExpired: false });
      expect(prompt.state).toBe('open');
      choose();
      choose();
      expect(prompt.state).toBe('closed');
    }
    expect(chosen).toEqual(['create', 'join', 'continue', 'dismiss']);
    revisionOf(client).testOutdated({ action: 'block_all' });
    prompt.continuePlaying();
    expect([prompt.state, prompt.canContinue, chosen.length]).toEqual(['open', false, 4]);
    prompt.close();
  });

  test('waits for the client’s grace period, and closes when the game is current again', async () => {
    await game.change(ENFORCED);
    const { client } = await outdatedGame();
    const states: string[] = [];
    const prompt = openRevisionPrompt(client, { onChange: ({ state }) => states.push(state) });
    revisionOf(client).settings.gracePeriod = 0.01;
    await client.call('buy', { item: 'axe' });
    expect(prompt.state).toBe('waiting');
    await expect.poll(() => prompt.state).toBe('open');
    client.configure({ revision: 8 });
    await client.call('buy', { item: 'axe' });
    expect(states).toEqual(['waiting', 'open', 'closed']);
    prompt.close();
  });

  test('that is open when the grace period ends offers no longer to go on', async () => {
    await game.change(ENFORCED);
    const { client } = await outdatedGame();
    const offered: boolean[] = [];
    const prompt = openRevisionPrompt(client, { onChange: ({ canContinue }) => offered.push(canContinue) });
    await client.call('buy', { item: 'axe' });
    await game.change({ revisionGracePeriodMinutes: null });
    await client.tryCall('buy', { item: 'axe' });
    expect([offered, prompt.state]).toEqual([[true, false], 'open']);
    prompt.close();
  });

  test('has a text of this library only if that is wanted, and asks for the lobbies anew while it is open', async () => {
    const { client } = await outdatedGame();
    const prompt = openRevisionPrompt(client);
    let asked = 0;
    revisionOf(client).onRefreshLobbyList(() => asked++);
    revisionOf(client).testOutdated({ message: null });
    expect(prompt.message).toBeNull();
    Object.assign(revisionOf(client).settings, { showDefaultMessage: true, autoRefreshLobbies: true, lobbyRefreshInterval: 1 });
    expect(prompt.message).toBe('A newer version of the game is out.');
    revisionOf(client).testOutdated();
    await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(0);
    prompt.close();
  });

  test('a panel without a parent is a warning and no panel, and the game is told all the same', async () => {
    const log: unknown[] = [];
    const { client, told } = await outdatedGame({ log: (entry: { readonly level: string }) => log.push(entry.level) });
    expect(mountRevisionPanel(client, {})).toBeNull();
    revisionOf(client).testOutdated();
    expect([log, told.length]).toEqual([['warn'], 1]);
  });
});
