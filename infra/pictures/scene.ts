import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pushAxePrices } from '../demo/push.ts';
import { numberAt, textAt } from '../harness/json.ts';
import { ownEnvironment, type RunningNode, repositoryFolder, type Settings, savepointWith } from '../harness/node.ts';
import { expectOk, managePath, openProject, type Project, parseCredentials, secretHeaders } from '../harness/project.ts';

/** A studio on some day: the example game was played, dearer axes wait for a second person, and a player lost an axe. */

export interface Scene {
  readonly projectId: string;
  /** Who lost the axe. */
  readonly player: string;
  /** The commit that took it. */
  readonly loss: number;
  /** The player's commit before it: a commit can hold several events, so the revision before may be one of them. */
  readonly before: number;
  /** The newest publish. */
  readonly publish: number;
  /** Makes a link that signs an owner in. */
  readonly link: () => Promise<string>;
}

const PLAYERS = 60;
const SECONDS = 10;
const PRICES = [0, 20, 36, 60, 90, 150];

/** Fills an installation that holds nothing yet. */
export async function setScene(node: RunningNode, settings: Settings): Promise<Scene> {
  const player = await playGame(node);
  const credentials = parseCredentials(JSON.parse(await readFile(join(node.dataFolder, 'example-game.json'), 'utf8')));
  const { projectId } = credentials;
  const keys = {
    SAVEPOINT_URL: node.url,
    SAVEPOINT_PROJECT: projectId,
    SAVEPOINT_PUBLIC_KEY: credentials.publicKey,
    SAVEPOINT_SECRET_KEY: credentials.secretKey,
  };
  const savepoint = async (...words: readonly string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await savepointWith({ SAVEPOINT_DATA: node.dataFolder, ...settings, ...keys }, ...words, '--json');
    if (code !== 0) throw new Error(`savepoint ${words.join(' ')}: ${(stderr || stdout).trim()}`);
    return JSON.parse(stdout);
  };
  const project = openProject(node.url, credentials);
  try {
    await savepoint('doc', 'set', 'players', player, 'axe=1', 'chops=0', '--reason', 'moved to the new shard');
    for (const [name, role] of Object.entries({ mara: 'manager', sam: 'support', aya: 'auditor' }))
      await savepoint('user', 'add', name, '--role', role, '--project', projectId);
    await savepoint('project', 'settings', projectId, '--set', 'approvals=required');
    await pushAxePrices(project, PRICES, 'next');
    await savepoint('approve', 'ask', '-m', 'Dearer axes for the autumn');
    // A key reads the past only where it says so.
    const { key } = Object(await savepoint('key', 'create', projectId, '--permissions', '{"history":"r"}'));
    const [loss, before] = await newest({ ...project, secretKey: String(key) }, 'commits', `player=${player}`);
    const [publish] = await newest(project, 'publishes');
    const link = async () => textAt(await savepoint('console', 'link'), 'url') ?? '';
    return { projectId, player, loss, before, publish, link };
  } finally {
    project.http.close();
  }
}

/** `npm run demo` on this node. Resolves to the player whose ledger it shows. */
async function playGame({ url, dataFolder }: RunningNode): Promise<string> {
  const demo = join(repositoryFolder(), 'dist/infra/demo/main.js');
  const words = [demo, '--data', dataFolder, '--url', url, '--seconds', String(SECONDS), '--players', String(PLAYERS), '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, words, { env: ownEnvironment(), maxBuffer: 64 * 1024 * 1024 });
  return textAt(JSON.parse(stdout), 'ledger.player.id') ?? '';
}

/** The revisions of the two newest of a list that people and keys read, the newest first. */
async function newest(project: Project, list: 'commits' | 'publishes', filter = ''): Promise<readonly [number, number]> {
  const path = `${list}?limit=2&${filter}`;
  const { body } = await expectOk(path, project.http.send('GET', managePath(project, path), { headers: secretHeaders(project) }));
  const [last, before] = [0, 1].map((place) => numberAt(body, `${list}.${place}.revision`));
  if (last === undefined || before === undefined || Number.isNaN(last + before)) throw new Error(`${path} does not list two`);
  return [last, before];
}
