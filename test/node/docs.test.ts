import { execFile, spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ALL_ROLES, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** What the documentation promises a newcomer, done as it stands there. */

const ROOT = resolve(import.meta.dirname, '../..');
const execute = promisify(execFile);
const data = newFolder();
let node: Node;

beforeAll(async () => {
  node = await startNode(data, { env: ALL_ROLES });
});

afterAll(async () => {
  await node.stop();
  removeFolders();
});

/** The code blocks of a page that are marked with `language`. */
function blocks(page: string, language: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, mark, body = '']) => (mark === language ? [body] : []));
}

/** A printed line of the page as a pattern: `…` stands for anything, and so does a number of seconds or events. */
function pattern(line: string): RegExp {
  const literal = line.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    literal.replaceAll('…', '.*?').replace(/\d+ events of \d+ projects? in \d+\\\.\d+ s/, '\\d+ events of \\d+ projects? in .* s'),
  );
}

// A bare machine has Node and no curl.
const hasCurl = spawnSync('curl', ['--version']).status === 0;

test.skipIf(!hasCurl)('the commands of "Your first game" print what the page says, in its order', async () => {
  const script = blocks('docs/first-game.md', 'sh').join('\n');
  const { stdout } = await execute('sh', ['-e', '-c', script], { cwd: ROOT, env: { ...process.env, DATA: data, URL: node.url } });
  const [, ...printed] = blocks('docs/first-game.md', '');
  let rest = stdout;
  for (const line of printed.flatMap((block) => block.trim().split('\n'))) {
    const found = pattern(line).exec(rest);
    expect(found?.[0], `${line}\nin\n${rest}`).toBeDefined();
    rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0));
  }
});

test.skipIf(!hasCurl)('the commands of "Sending source files" push a folder', async () => {
  const folder = newFolder();
  cpSync(join(ROOT, 'infra/demo/game'), folder, { recursive: true });
  const { projectId: P, secretKey: SECRET } = JSON.parse(readFileSync(join(data, 'demo-project.json'), 'utf8'));
  const [script = ''] = blocks('docs/publishing.md', 'sh');
  const { stdout } = await execute('sh', ['-e', '-c', script], { cwd: folder, env: { ...process.env, URL: node.url, P, SECRET } });
  const [checked, pushed] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(checked).toMatchObject({ ok: true, mode: 'preflight', summary: { total: 7, failed: 0 } });
  expect(pushed).toMatchObject({
    ok: true,
    publishTarget: 'next',
    collections: { total: 2 },
    endpoints: { total: 3 },
    workflows: { total: 1 },
  });
});

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
  for (const part of ['Leaderboard', 'Ledger of', 'A staged price', 'calls in', '"ok":true']) expect(stdout).toContain(part);
  expect(stdout).not.toContain('fails');
});
