import { readConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/logger.ts';
import { startNode } from '../../../src/main.ts';
import { signInByLink } from '../../support/console.ts';
import { migratedDatabase } from '../../support/postgres.ts';
import { createClient } from './game-client.ts';
import { newFolder } from './program.ts';

/** A node of this process with a console: its owner is signed in, and has one project. */
export async function startNodeHere(projectName: string) {
  const env = { DATABASE_URL: await migratedDatabase(), CONSOLE_LISTEN: '127.0.0.1:0', ROLES: 'api,projector', PORT: '0' };
  const logger = createLogger({ level: 'warn', format: 'json' });
  const node = await startNode(readConfig(env, { dataDir: newFolder() }), { demo: false, logger, onLost: () => undefined });
  const made = await node.createProject?.(projectName);
  if (made === undefined || node.console === null) throw new Error('no project, or no console');
  const owner = await signInByLink((await node.console.firstLink()) ?? '');
  return { env, node, console: node.console, project: made.projectId, manager: createClient(node.url, made), owner };
}
