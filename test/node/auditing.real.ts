import { afterAll, expect, test, vi } from 'vitest';
import { isReady } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { ledgerByClient, playedLedger, sayings } from './support/auditing.ts';
import { newProject } from './support/command-line.ts';
import { ALL_ROLES, eventually, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000 });
afterAll(removeFolders);

/** Not a part of `npm test`: it needs a server, and leaves a project on it. Runs the built program. */
const url = process.env['EVENTSTORE_URL'];

test.skipIf(url === undefined || url === '')('the plain client tells a ledger from a real EventStoreDB as the API tells it', async () => {
  const env = { DATABASE_URL: await migratedDatabase(), EVENTSTORE_URL: url ?? '' };
  const node = await startNode(newFolder(), { env: { ...env, ...ALL_ROLES }, args: ['--no-demo'] });
  try {
    await eventually('the node has read the log that lies there', () => isReady(node.url));
    const project = await newProject(env, 'Audited');
    const told = await playedLedger(node.url, project);
    const [chain, ...lines] = await ledgerByClient(env.EVENTSTORE_URL, project.projectId);
    expect([chain, ...sayings(lines)]).toEqual(['the chain is whole', ...told]);
  } finally {
    await node.stop();
  }
});
