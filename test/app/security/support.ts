import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/logger.ts';
import { startNode } from '../../../src/main.ts';
import { type Client, createClient, ok, type Reply } from '../../node/support/game-client.ts';
import { migratedDatabase } from '../../support/postgres.ts';

/** Whole nodes in this process over real HTTP, with a verifier of the tests. */

const SECRET = 'the secret of the studio login';

export interface Opened {
  readonly game: Client;
  /** Of the database, for a second node. */
  readonly databaseUrl: string;
  close(): Promise<void>;
}

/** A node with its own project. `beside`: another node of the same installation, whose project it serves. */
export async function openNode(env: Readonly<Record<string, string>> = {}, beside?: Opened): Promise<Opened> {
  const databaseUrl = beside?.databaseUrl ?? (await migratedDatabase());
  const data = mkdtempSync(join(tmpdir(), 'savepoint-access-'));
  const own = {
    PORT: '0',
    SAVEPOINT_DATA: data,
    DATABASE_URL: databaseUrl,
    ROLES: 'api,projector',
    VERIFIER: 'hmac',
    VERIFIER_SECRET: SECRET,
  };
  const node = await startNode(readConfig({ ...own, ...env }), {
    demo: beside === undefined,
    onLost: () => undefined,
    logger: createLogger({ level: 'silent' }),
  });
  const credentials = beside?.game ?? node.demo;
  if (typeof credentials === 'string') throw new Error('no project');
  const game = createClient(node.url, credentials);
  return {
    game,
    databaseUrl,
    async close() {
      game.close();
      await node.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

export async function settings(game: Client, changes: Readonly<Record<string, unknown>>): Promise<void> {
  await ok(game.manage('PUT', game.definitions('settings'), { body: changes }));
}

/** The proof that a studio's login gives a player. */
export function tokenFor(player: string, secret = SECRET, expires = Math.floor(Date.now() / 1000) + 600): string {
  return `${expires}.${createHmac('sha256', secret).update(`${player}:${expires}`).digest('hex')}`;
}

export function proofOf(player: string): Record<string, string> {
  return { 'x-platform-id': player, 'x-platform-token': tokenFor(player) };
}

/** Seals as the client does. */
export function session(
  game: Client,
  operation: string,
  headers: Readonly<Record<string, string>> = {},
  body: unknown = {},
): Promise<Reply> {
  const keys = { 'x-api-key': game.publicKey, 'x-public-key': game.publicKey };
  const path = `/v3/auth-sessions/${game.projectId}/${operation}?apiKey=${game.publicKey}`;
  return game.send('POST', path, { headers: { ...keys, ...headers }, body });
}

/** HTTP status, status in the body, code. */
export async function told(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  const { status: inside, error } = Object(body);
  return `${status} ${inside} ${error?.code}`;
}

export async function tokenIn(reply: Promise<Reply>): Promise<string> {
  return String(Object((await ok(reply)).body).sessionToken);
}
