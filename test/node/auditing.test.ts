import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { findProgram } from '../../infra/cluster/process.ts';
import { startStandIn } from '../support/eventstore/server.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { goldByClient, goldByPsql, goldOf, ledgerByClient, ledgerByPsql, playedLedger, sayings } from './support/auditing.ts';
import { newProject } from './support/command-line.ts';
import { ALL_ROLES, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000 });

/** The scripts of docs/auditing.md print a player's ledger from the log alone, equal to what the API says. */

let node: Node | null = null;
afterEach(async () => {
  await node?.stop();
  node = null;
});
afterAll(removeFolders);

const psql = findProgram('psql');
if (psql === null) console.warn('psql is not on this machine: its script of docs/auditing.md is not run');

test.skipIf(psql === null)('psql, on a log in Postgres', async () => {
  const env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env: { ...env, ...ALL_ROLES }, args: ['--no-demo'] });
  const project = await newProject(env, 'Audited');
  const told = await playedLedger(node.url, project);
  const [chain, ...lines] = await ledgerByPsql(psql ?? '', env.DATABASE_URL, project.projectId);
  expect(told.length).toBeGreaterThan(8);
  expect([chain, ...sayings(lines)]).toEqual(['the chain is whole', ...told]);
  expect(await goldByPsql(psql ?? '', env.DATABASE_URL, project.projectId)).toEqual(await goldOf(node.url, project));
});

test('the plain client, on a log in (the stand-in of) an EventStoreDB', async () => {
  const server = await startStandIn();
  try {
    const env = { DATABASE_URL: await migratedDatabase(), EVENTSTORE_URL: server.url };
    node = await startNode(newFolder(), { env: { ...env, ...ALL_ROLES }, args: ['--no-demo'] });
    const project = await newProject(env, 'Audited');
    const told = await playedLedger(node.url, project);
    const [chain, ...lines] = await ledgerByClient(server.url, project.projectId);
    expect([chain, ...sayings(lines)]).toEqual(['the chain is whole', ...told]);
    await goldByClient(server.url, project.projectId, (await goldOf(node.url, project)).join(', '));
  } finally {
    await node?.stop();
    node = null;
    await server.close();
  }
});
