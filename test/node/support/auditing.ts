import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Credentials } from '../../../infra/harness/project.ts';
import { isArray, isObject, type Json, parseJson, stringifyJson } from '../../../src/kernel/json.ts';
import { objectOf } from '../../../src/kernel/json-read.ts';
import { type Client, createClient, ok } from './game-client.ts';
import { newFolder } from './program.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/auditing.md'), 'utf8');

/** The collection and the player of the test. The scripts must print nothing of any other. */
const AUDITED = { collection: 'purses', player: '76561198000000042' };
const OTHER = '76561198000000043';

/** A script of docs/auditing.md, exactly as it is there: of one player's ledger, or of a field of all players. */
function scriptOf(language: 'js' | 'sql', of: 'ledger' | 'sums' = 'ledger'): string {
  const scripts = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  const text = scripts[of === 'ledger' ? 0 : 1]?.[1];
  if (text === undefined) throw new Error(`docs/auditing.md has no script in ${language}`);
  return text;
}

/** The output of `node ledger.mjs …`, by line. */
export async function ledgerByClient(eventStoreUrl: string, projectId: string): Promise<readonly string[]> {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'ledger.mjs'), scriptOf('js'));
  const words = [join(folder, 'ledger.mjs'), eventStoreUrl, projectId, AUDITED.collection, AUDITED.player];
  return linesOf((await run(process.execPath, words)).stdout);
}

/** The output of `psql … -f ledger.sql`, by line. */
export async function ledgerByPsql(psql: string, databaseUrl: string, projectId: string): Promise<readonly string[]> {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ledger.sql'), scriptOf('sql'));
  const named = Object.entries({ project: projectId, ...AUDITED }).flatMap(([name, value]) => ['-v', `${name}=${value}`]);
  const words = [databaseUrl, '-qAtX', '-v', 'ON_ERROR_STOP=1', ...named, '-f', join(folder, 'ledger.sql')];
  return linesOf((await run(psql, words)).stdout);
}

/** What every player has of `gold`, as the API says it: `PLAYER SUM`, in order. */
export async function goldOf(url: string, project: Credentials): Promise<readonly string[]> {
  const game = createClient(url, project);
  try {
    const players = [AUDITED.player, OTHER];
    const sums = players.map(async (player) => {
      const ledger = `${game.storage(`${AUDITED.collection}/${player}`)}/ledger?field=gold`;
      const summary = objectOf(parseJson((await ok(game.play('GET', ledger, {}, player))).text))['summary'];
      return `${player} ${stringifyJson(objectOf(summary ?? null)['netChange'] ?? null)}`;
    });
    return await Promise.all(sums);
  } finally {
    game.close();
  }
}

/** The output of `psql … -f gold.sql`, by line. */
export async function goldByPsql(psql: string, databaseUrl: string, projectId: string): Promise<readonly string[]> {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'gold.sql'), scriptOf('sql', 'sums'));
  const named = Object.entries({ project: projectId, collection: AUDITED.collection, field: 'gold' });
  const words = named.flatMap(([name, value]) => ['-v', `${name}=${value}`]);
  const { stdout } = await run(psql, [databaseUrl, '-qAtX', '-F', ' ', '-v', 'ON_ERROR_STOP=1', ...words, '-f', join(folder, 'gold.sql')]);
  return linesOf(stdout);
}

/** Runs `node gold.mjs …` until it has printed this line. Throws with what it printed if that takes a minute. */
export async function goldByClient(eventStoreUrl: string, projectId: string, line: string): Promise<void> {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'gold.mjs'), scriptOf('js', 'sums'));
  const words = [join(folder, 'gold.mjs'), eventStoreUrl, projectId, AUDITED.collection, 'gold'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  try {
    const deadline = Date.now() + 60_000;
    while (!linesOf(printed).includes(line)) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error(`gold.mjs did not print ${line}, but\n${printed}`);
      await setTimeout(50);
    }
  } finally {
    child.kill();
  }
}

const linesOf = (text: string) => text.trimEnd().split('\n');

const FIELDS = {
  gold: { type: 'number', default: 100, _ledger: true },
  shards: { type: 'number', _ledger: true },
  exact: { type: 'number', _ledger: true },
};

/** Does everything that makes an entry. Returns what the API says of it, in the words of the scripts. */
export async function playedLedger(url: string, project: Credentials): Promise<readonly string[]> {
  const game = createClient(url, project);
  try {
    await play(game);
    const { text } = await ok(game.play('GET', `${game.storage(`${AUDITED.collection}/${AUDITED.player}`)}/ledger`, {}, AUDITED.player));
    return sayings(members(parseJson(text), 'entries').map((entry) => stringifyJson(entry)));
  } finally {
    game.close();
  }
}

async function play(game: Client): Promise<void> {
  const { collection, player } = AUDITED;
  const schema = { type: 'object', properties: FIELDS };
  const definition = {
    id: collection,
    name: collection,
    collectionType: 'per-platformid',
    accessMode: 'public',
    allowRecordDelete: true,
    schema,
  };
  await ok(game.manage('PUT', game.definitions('collections'), { body: [definition] }));
  const write = (key: string, body: string, who = player) =>
    ok(game.play('POST', game.storage(`${collection}/${key}`), { raw: body }, who));
  await write(player, '{"gold":93,"shards":0.1}');
  const reasons = '{"op":"inc","path":"gold","value":-7,"source":"shop","reason":"an \\"axe\\", ä"}';
  await write(player, `{"ops":[${reasons},{"op":"inc","path":"shards","value":0.2,"source":"quest"}]}`);
  await write(player, '{"exact":12345678901234567890,"$n":"7","gold":86}');
  await write(`${player}_slot1`, '{"gold":5}');
  await write(OTHER, '{"gold":9007199254740993}', OTHER);
  await ok(game.play('DELETE', game.storage(`${collection}/${player}`), {}, player));
  await write(player, '{"shards":3}');
}

/** Entries of the API or of a script, in one common form. Numbers keep all digits. */
export function sayings(lines: readonly string[]): readonly string[] {
  return lines.map((line) => {
    const entry = parseJson(line);
    if (!isObject(entry)) throw new Error(`no entry: ${line}`);
    const { field, before, after, delta, source, reason = null, ts, eventId } = entry;
    const time = typeof ts === 'string' ? Date.parse(ts) : ts;
    return stringifyJson([field, before, after, delta, source, reason, time, eventId].map((value) => value ?? null));
  });
}

function members(value: Json, name: string): readonly Json[] {
  const found = isObject(value) ? value[name] : undefined;
  if (!isArray(found)) throw new Error(`no list ${name}`);
  return found;
}
