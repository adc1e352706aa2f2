import { afterAll, expect, test, vi } from 'vitest';
import { isReady } from '../../infra/harness/node.ts';
import { testDatabase } from '../support/postgres.ts';
import { newProject, printed } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { createClient, ok, PLAYER } from './support/game-client.ts';
import { eventually, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
afterAll(removeFolders);

test('a node whose read models have never shown a project is not ready, and refuses its views; a projector makes both well', async () => {
  const env = { DATABASE_URL: await testDatabase() };
  const roles = (...words: readonly string[]) => startNode(newFolder(), { env, args: ['--no-demo', '--roles', ...words] });
  await printed(['migrate'], { env });
  const [project, serving] = [await newProject(env, 'Behind'), await roles('api')];
  const game = createClient(serving.url, project);
  try {
    await publishGame(game);
    await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { gold: 20 } }));
    expect((await fetch(`${serving.url}/health`)).status).toBe(200);
    const ready = await fetch(`${serving.url}/ready`);
    expect([ready.status, ready.headers.get('retry-after'), await ready.json()]).toEqual([
      503,
      '2',
      { status: 'catching-up', version: expect.any(String), behind: null },
    ]);
    expect((await ok(game.play('GET', game.storage(`players/${PLAYER}`)))).body).toMatchObject({ gold: 20 });
    const ledger = await game.play('GET', game.storage(`players/${PLAYER}/ledger`), { once: true });
    expect([ledger.status, ledger.headers['retry-after'], ledger.body]).toMatchObject([503, '2', { error: { code: 'BEHIND' } }]);

    const projector = await roles('projector');
    await eventually('both are ready', async () => (await isReady(serving.url)) && isReady(projector.url));
    expect(Object((await ok(game.play('GET', game.storage(`players/${PLAYER}/ledger`)))).body).entries).toMatchObject([{ after: 20 }]);
    await projector.stop();
  } finally {
    game.close();
    await serving.stop();
  }
});
