import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ownEnvironment } from '../../infra/harness/node.ts';
import { blocksOf, filesOf, PAGES, ROOT } from '../docs/support/pages.ts';
import { newProject, printed } from './support/command-line.ts';
import { ALL_ROLES, type Node, newFolder, removeFolders, startNode } from './support/program.ts';
import { openShell, type Shell } from './support/shell.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

/** Does what the documentation says: runs its blocks marked `sh run`, on one node for all pages. */

const execute = promisify(execFile);
const data = newFolder();
let node: Node;
let shell: Shell;

beforeAll(async () => {
  shell = await openShell();
  node = await startNode(data, { env: ALL_ROLES });
});

afterAll(async () => {
  await node?.stop();
  shell?.close();
  removeFolders();
});

/** A printed line of a page as a pattern: `…` matches anything. */
function pattern(line: string): RegExp {
  const literal = line.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(literal.replaceAll('…', '.*?'));
}

// A bare machine has Node and no curl.
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const pages = PAGES.filter((page) => blocksOf(page).some(({ info }) => info === 'sh run'));

test.skipIf(!hasCurl).each(pages)('the commands of %s print what the page says, in its order', (page) => walk(page, {}));

test('a backup is restored and proven as backup.md says where DATABASE_URL names the live database', async () => {
  const { url: DATABASE_URL } = JSON.parse(await printed(['db', 'url', '--json'], { env: { SAVEPOINT_DATA: data } }));
  await walk('docs/backup.md', { DATABASE_URL });
});

async function walk(page: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const examples = newFolder();
  for (const [name, text] of filesOf(page)) writeFileSync(join(examples, name), text);
  const { projectId: P, publicKey: PUBLIC, secretKey: SECRET } = await newProject({ SAVEPOINT_DATA: data }, page);
  const reader = { DATA: data, SAVEPOINT_DATA: data, URL: node.url, P, PUBLIC, SECRET, EXAMPLES: examples, ...settings };
  const env = { ...ownEnvironment(), ...reader, PATH: `${shell.folder}:${process.env['PATH']}` };
  const script = blocksOf(page).flatMap(({ info, text }) => (info === 'sh run' ? [text] : []));
  const { stdout } = await execute('sh', ['-e', '-c', script.join('\n')], { cwd: ROOT, env });
  let rest = stdout;
  for (const line of blocksOf(page).flatMap(({ info, text }) => (info === 'text printed' ? text.trim().split('\n') : []))) {
    const found = pattern(line).exec(rest);
    expect(found?.[0], `${line}\nin\n${rest}`).toBeDefined();
    rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0));
  }
}

test('the demo plays on a running node in a project of its own, prints every part, and everything holds', async () => {
  const project = JSON.parse(readFileSync(join(data, 'demo-project.json'), 'utf8'));
  const headers = { 'x-api-key': project.secretKey, 'content-type': 'application/json' };
  const mine = JSON.stringify([{ id: 'mine', name: 'mine', schema: {} }]);
  const listing = `${node.url}/v3/manage/${project.projectId}/collections`;
  await fetch(listing, { method: 'PUT', headers, body: mine });
  const before = await (await fetch(listing, { headers })).text();

  const args = ['dist/infra/demo/main.js', '--url', node.url, '--seconds', '2', '--players', '20'];
  const { stdout } = await execute(process.execPath, [...args, '--data', data], { cwd: ROOT });
  expect(await (await fetch(listing, { headers })).text()).toBe(before);
  const named = ['--project', project.projectId, '--public-key', project.publicKey, '--secret-key', project.secretKey];
  await expect(execute(process.execPath, [...args, ...named], { cwd: ROOT })).rejects.toThrow(/of another game \(.*mine.*--overwrite/s);
  for (const part of ['Leaderboard', 'Ledger of', 'The economy', 'A staged price', 'calls in', '"ok":true']) expect(stdout).toContain(part);
  expect(stdout).not.toContain('fails');
});
