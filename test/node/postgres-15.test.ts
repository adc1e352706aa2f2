import { existsSync, readdirSync } from 'node:fs';
import { afterAll, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startPostgres } from '../support/embedded.ts';
import { newProject } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { createClient, ok, PLAYER } from './support/game-client.ts';
import { newFolder, removeFolders, savepoint, startNode, succeed } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The oldest supported server, as Debian packages it. */
const DEBIAN = '/usr/lib/postgresql/15/bin';
const absent = !existsSync(DEBIAN);
if (absent) process.stderr.write(`SKIPPED: there is no Postgres 15 in ${DEBIAN}, so nothing was tested on it\n`);

let server: EmbeddedPostgres | undefined;

afterAll(async () => {
  await server?.stop();
  removeFolders();
});

test.skipIf(absent)(
  'on Postgres 15 by DATABASE_URL a game plays and verifies, and the data folder holds nothing that another node needs',
  async () => {
    server = await startPostgres({ bin: DEBIAN });
    const env = { DATABASE_URL: server.url };
    const data = newFolder();
    const node = await startNode(data, { env });
    const made = await newProject(env, 'Fifteen');
    const game = createClient(node.url, made);
    await publishGame(game);
    await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { gold: 20, id64: 1 } }));
    expect((await ok(game.play('POST', game.endpoint('buy'), { body: { item: 'axe' } }))).body).toEqual({ ok: true, price: 7, left: 13 });
    await ok(game.play('POST', game.storage(`scores/${PLAYER}`), { body: { points: 4 } }));
    expect((await ok(game.play('GET', `/v3/queries/${game.projectId}/top`))).body).toMatchObject({ entries: [{ key: PLAYER, value: 4 }] });
    await succeed(['rebuild'], { env });
    expect(await savepoint(['verify'], { env })).toMatchObject({ code: 0 });
    game.close();
    expect((await node.stop()).code).toBe(0);
    // The demo keys are a note for the operator; a node never reads them.
    expect(readdirSync(data)).toEqual(['demo-project.json']);

    const elsewhere = newFolder();
    const next = await startNode(elsewhere, { env });
    expect(readdirSync(elsewhere)).toEqual([]);
    const later = createClient(next.url, made);
    expect((await ok(later.play('GET', later.storage(`players/${PLAYER}`)))).body).toMatchObject({ gold: 13, items: ['axe'] });
    later.close();
    expect((await next.stop()).code).toBe(0);
  },
);
