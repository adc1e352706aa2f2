import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ok } from '../../node/support/game-client.ts';
import { type Opened, openNode } from '../security/support.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** The ids that answers name lead to their commits. */

let opened: Opened;
let database: pg.Client;

beforeAll(async () => {
  opened = await openNode();
  database = new pg.Client({ connectionString: opened.databaseUrl });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await opened?.close();
});

async function commitAt(revision: unknown): Promise<{ readonly commandId: string; readonly request: string | null }> {
  const { rows } = await database.query(
    `SELECT metadata->>'commandId' AS "commandId", data->>'$request' AS request FROM savepoint.log_events
     WHERE stream = $1 AND revision = $2`,
    [`project-${opened.game.projectId}`, revision],
  );
  return rows[0];
}

test('the id in the answer is the command id; the caller’s own is stored beside one', async () => {
  const { game } = opened;
  await ok(game.manage('POST', game.definitions('collections'), { body: [{ name: 'heroes', accessMode: 'public', schema: {} }] }));
  const write = (headers: Readonly<Record<string, string>>) =>
    ok(game.play('POST', game.storage('heroes/p1'), { body: { gold: 1 }, headers }));
  const made = await write({});
  expect(await commitAt(made.headers['x-ns-position'])).toEqual({ commandId: made.headers['x-correlation-id'], request: null });
  const chosen = await write({ 'x-correlation-id': 'crash 17' });
  expect(chosen.headers['x-correlation-id']).toBe('crash 17');
  const commit = await commitAt(chosen.headers['x-ns-position']);
  expect(commit.request).toBe('crash 17');
  expect(commit.commandId).not.toBe('crash 17');
});
