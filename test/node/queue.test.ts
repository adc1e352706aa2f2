import { afterAll, expect, test, vi } from 'vitest';
import { hasRedis, REDIS_PASSWORD, startRedis } from '../jobs/redis.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newProject, printed } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { createClient, ok, PLAYER } from './support/game-client.ts';
import { ALL_ROLES, eventually, newFolder, removeFolders, savepoint, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

afterAll(removeFolders);

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

test.skipIf(!hasRedis)('a Redis that is not there when a node starts: requests go on, and jobs run when it comes', async () => {
  const redis = await startRedis();
  await redis.kill();
  const env = { DATABASE_URL: await migratedDatabase(), REDIS_URL: redis.url, LOG_LEVEL: 'info' };
  const node = await startNode(newFolder(), { env: { ...env, ...ALL_ROLES }, args: ['--no-demo'] });
  expect(node.stderr()).toMatch(/runs on: .*queue Redis redis:\/\/\S+, which does not answer; roles/);
  expect(node.stderr()).toMatch(/the job queue does not answer; requests go on, jobs wait: .*ECONNREFUSED/);

  const game = createClient(node.url, await newProject(env, 'Queue'));
  await publishGame(game);
  await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { gold: 20 } }));
  await ok(game.play('POST', game.endpoint('buy'), { body: { item: 'axe' } }));
  const refused = await savepoint(['jobs', 'add', 'verify.run'], { env });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/STORAGE_UNAVAILABLE/)]);

  await redis.start();
  const { id } = await eventually('a job can be enqueued', async () => {
    const { code, stdout } = await savepoint(['jobs', 'add', 'verify.run', '--json'], { env });
    return code === 0 && JSON.parse(stdout);
  });
  const listed = async (): Promise<readonly Listed[]> => JSON.parse(await printed(['jobs', 'list', '--json'], { env }));
  await eventually('it has run, and so has what is due by itself', async () => {
    const done = (await listed()).filter(({ state }) => state === 'completed');
    return done.some((job) => job.id === id) && done.some(({ name }) => name === 'tables.cleanup');
  });
  await ok(game.play('POST', game.endpoint('buy'), { body: { item: 'axe' } }));

  game.close();
  expect((await node.stop()).code).toBe(0);
  expect(node.stderr() + refused.stderr).not.toContain(REDIS_PASSWORD);
  await redis.remove();
});
