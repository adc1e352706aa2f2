import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials, ownEnvironment, programPath } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Env, here, newApiKey, printed } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { type Client, createClient, ok, PLAYER } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, run, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const data = newFolder();
const folder = newFolder();
let node: Node;
let game: Client;
let env: Record<string, string>;
/** Of one who is on the server. */
let local: Env;

beforeAll(async () => {
  local = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(data, { env: local });
  const credentials = demoCredentials(data);
  game = createClient(node.url, credentials);
  await publishGame(game);
  const { projectId, secretKey } = credentials;
  env = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: secretKey };
  await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { name: 'Ada', gold: 20 } }));
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  removeFolders();
});

/** Runs a command as one who has address and key, and nothing else of the server. */
const savepoint = (...words: readonly string[]) => here(words, { env });
const json = async (...words: readonly string[]) => JSON.parse(await printed([...words, '--json'], { env }));
const refused = async (...words: readonly string[]) => {
  const { code, stderr } = await savepoint(...words);
  expect(code).toBe(1);
  return stderr;
};

describe('savepoint call', () => {
  test('calls an endpoint for a player, with pairs or JSON, and prints its answer', async () => {
    expect(await json('call', 'buy', 'item=axe', '--player', PLAYER)).toMatchObject({
      ok: true,
      status: 200,
      body: { price: 7, left: 13 },
    });
    expect(await printed(['call', 'echo', '{"times":2}'], { env })).toContain('"twice":4');
  });

  test('prints a refusal as its author worded it, and ends with 1', async () => {
    const { code, stdout } = await savepoint('call', 'buy', 'item=boat', '--player', PLAYER);
    expect(code).toBe(1);
    expect(stdout).toContain('404 NO_ITEM  There is no boat.');
    const said = JSON.parse((await savepoint('call', 'buy', 'item=boat', '--player', PLAYER, '--json')).stdout);
    expect(said).toMatchObject({ ok: false, status: 404, error: { code: 'NO_ITEM' } });
  });

  test('prints of a refusal what its author and the contract say, and no notes for editors', async () => {
    const check = {
      id: 'poor',
      type: 'condition',
      check: { field: 'input.gold', op: '>', value: 5 },
      onFalse: { action: 'reject', error: 'POOR' },
    };
    const told = { slug: 'told', method: 'POST', steps: [], response: { status: 409, body: { ok: false, error: 'FULL', seats: 4 } } };
    await ok(game.manage('PUT', game.definitions('endpoints'), { body: [{ slug: 'poor', method: 'POST', steps: [check] }, told] }));
    expect((await savepoint('call', 'poor', 'gold=1')).stdout).toBe('400 POOR  Condition check failed.\n');
    expect((await savepoint('call', 'buy', 'item=boat', '--player', PLAYER)).stdout).toMatch(/^404 NO_ITEM .*\nin the step \w+ \(\w+\)\n$/);
    expect((await savepoint('call', 'told')).stdout).toBe('409 FULL  \n{"seats":4}\n');
  });

  test('--dry-run shows steps and writes, and stores nothing', async () => {
    const before = await json('doc', 'get', 'players', PLAYER);
    const shown = await printed(['call', 'buy', 'item=axe', '--player', PLAYER, '--dry-run'], { env });
    expect(shown).toContain(`would write players/${PLAYER}`);
    expect(shown).toMatch(/✓ bill {2}workflow/);
    expect(await json('doc', 'get', 'players', PLAYER)).toEqual(before);
  });

  test('names what was probably meant, or where the endpoint is', async () => {
    expect(await refused('call', 'bye')).toContain("There is no endpoint 'bye' in live");
    expect(await refused('call', 'ecoh')).toContain("Did you mean 'echo'?");
    await ok(
      game.manage('PUT', game.definitions('endpoints?revisionTarget=next'), { body: [{ slug: 'later', method: 'POST', steps: [] }] }),
    );
    expect(await refused('call', 'later')).toContain('There is one in next: --target next.');
    expect(await json('call', 'later', '--target', 'next')).toMatchObject({ ok: true });
  });
});

describe('savepoint doc and ledger', () => {
  test('set changes fields, each in its own way; get prints the document or a field', async () => {
    const changes = ['gold+=5', 'gold-=2', 'name=Grace', 'items[]=rope', 'id64=76561198000000001'];
    expect(await json('doc', 'set', 'players', '7', ...changes, '--player', '7', '--reason', 'a gift', '--create')).toMatchObject({
      ok: true,
      version: 1,
    });
    expect(await printed(['doc', 'get', 'players', '7', '--json'], { env })).toContain('"id64":76561198000000001');
    expect(await json('doc', 'get', 'players', '7')).toMatchObject({ gold: 13, name: 'Grace', items: ['rope'] });
    expect(await printed(['doc', 'get', 'players', '7', 'name'], { env })).toBe('Grace\n');
    expect(await refused('doc', 'get', 'players', '7', 'town')).toContain('has no field town');
    const ledger = await printed(['ledger', 'players', '--player', '7', '--field', 'gold'], { env });
    // An entry for each operation, in the order asked for.
    expect(ledger).toMatch(/gold {2,}\+5 .*Secret key +a gift[\s\S]*gold {2,}-2 .*a gift/);
    expect(await json('ledger', 'players', '7')).toMatchObject({ summary: { netChange: 13 } });
    const paged = await printed(['ledger', 'players', '7', '--newest', '--limit', '1', '--field', 'gold'], { env });
    expect(paged).toMatch(/gold +-2 .*\n3 entries[\s\S]*\nMore: --newest --cursor \d+\.\d+/);
    const { code, stderr } = await savepoint('ledger', 'players');
    expect([code, stderr]).toEqual([2, expect.stringContaining('savepoint ledger players KEY')]);
    await json('doc', 'set', 'players', '7', 'gold-=3');
    expect(await printed(['ledger', 'players', '--player', '7', '--field', 'gold'], { env })).toContain(': +15, -5, net 10');
    await json('doc', 'set', 'players', '7', 'gold+=4', '--correction', '--reason', 'lost in a crash');
    const sums = await printed(['ledger', 'players', '7', '-n', '1', '--field', 'gold'], { env });
    expect(sums).toMatch(/SOURCE +ENTRIES +SUM\ndefault +1 +\+10\ncorrection +1 +\+4\ndirect +3 +\+0/);
  });

  test('set --file stores the whole document, and --if-version only over the version that it was made of', async () => {
    const file = join(folder, 'ada.json');
    writeFileSync(file, '{"gold": 1, "name": "Ada"}');
    expect(await json('doc', 'set', 'players', '8', '--file', file, '--if-version', '0')).toMatchObject({ version: 1 });
    expect(await refused('doc', 'set', 'players', '8', 'gold=2', '--if-version', '7')).toContain('STALE_SAVE');
    const wrong = (...words: readonly string[]) => savepoint('doc', 'set', 'players', '8', ...words);
    expect(await wrong('gold=2', '--file', file)).toMatchObject({ code: 2, stderr: expect.stringContaining('either changes or --file') });
    expect(await wrong('gold+=many')).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a number') });
  });

  test('a file and standard input may begin with a byte order mark', async () => {
    const file = join(folder, 'marked.json');
    writeFileSync(file, '\uFEFF{"gold": 4}');
    expect(await json('doc', 'set', 'players', '19', '--file', file, '--create')).toMatchObject({ version: 1 });
    const words = [programPath(), 'doc', 'set', 'players', '19', '--file', '-'];
    const piped = spawnSync(process.execPath, words, { env: ownEnvironment(env), input: '\uFEFF{"gold": 5}' });
    expect([piped.status, String(piped.stderr)]).toEqual([0, '']);
    expect(await json('doc', 'get', 'players', '19')).toMatchObject({ gold: 5 });
  });

  test('set refuses a field that the schema does not name, with the one that was probably meant; --no-strict stores it', async () => {
    const wallets = { id: 'wallets', accessMode: 'public', schema: { gold: { type: 'number' }, bag: { type: 'object' } } };
    await ok(game.manage('PUT', game.definitions('collections'), { body: [wallets] }));
    expect(await refused('doc', 'set', 'wallets', '1', 'gold=1', 'goold+=5')).toMatch(
      /no field 'goold'\. Did you mean 'gold'\?.*--no-strict/,
    );
    const file = join(folder, 'wallet.json');
    writeFileSync(file, '{"gold": 1, "bga": {}}');
    expect(await refused('doc', 'set', 'wallets', '1', '--file', file)).toContain("Did you mean 'bag'?");
    expect(await refused('doc', 'get', 'wallets', '1')).toContain('No document');
    expect(await json('doc', 'set', 'wallets', '1', 'bag.size=3', 'goold=5', '--no-strict', '--create')).toMatchObject({ version: 1 });
    expect(await json('doc', 'get', 'wallets', '1')).toEqual({ bag: { size: 3 }, goold: 5 });
  });

  test('set makes no document of a player whose id may be mistyped; --create does, and what belongs to no player needs none', async () => {
    const { code, stderr } = await savepoint('doc', 'set', 'players', '7656119800000000l', 'gold=5');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no document players\/7656119800000000l.*--create/)]);
    expect(await refused('doc', 'get', 'players', '7656119800000000l')).toContain('No document');
    expect(await json('doc', 'set', 'players', '70', 'gold=5', '--create')).toMatchObject({ version: 1 });
    expect(await json('doc', 'set', 'towns', 'new', 'sold=1')).toMatchObject({ version: 1 });
  });

  test('a correction passes the limits and counts in none; the ledger tells it with its reason', async () => {
    const coins = { type: 'number', _ledger: true, _maxPerDay: 10 };
    const definition = { id: 'purses', accessMode: 'public', schema: { coins } };
    await ok(game.manage('PUT', game.definitions('collections'), { body: [definition] }));
    await json('doc', 'set', 'purses', '7', 'coins+=10', '--create');
    expect(await refused('doc', 'set', 'purses', '7', 'coins+=1')).toContain('RATE_LIMIT');
    const correction = ['--correction', '--reason', 'refund 1733'];
    await json('doc', 'set', 'purses', '7', 'coins+=500', ...correction);
    expect(await json('doc', 'get', 'purses', '7', 'coins')).toBe(510);
    expect(await printed(['ledger', 'purses', '7'], { env })).toMatch(/\+500 .*correction.*refund 1733/);
    await json('doc', 'set', 'purses', '8', 'coins+=500', '--create', ...correction);
    expect(await json('doc', 'set', 'purses', '8', 'coins+=10')).toMatchObject({ version: 2 });
    const missing = ['doc', 'set', 'purses', '7', 'coins+=5', '--correction'];
    expect(await savepoint(...missing)).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') });
    const op = { op: 'inc', path: 'coins', value: 5, source: 'correction', reason: 'mine' };
    const at = game.storage('purses/7');
    expect(await game.play('POST', at, { body: { ops: [op] } })).toMatchObject({ status: 403 });
    const server = { ...env, SAVEPOINT_SECRET_KEY: await newApiKey(local, demoCredentials(data).projectId, { collections: 'x' }) };
    const lacking = await here(['doc', 'set', 'purses', '7', 'coins+=5', ...correction], { env: server });
    expect(lacking).toMatchObject({ code: 1, stderr: expect.stringContaining('rw access to correction') });
  });

  test('a collection that is not there is named with the one that was probably meant', async () => {
    for (const words of [
      ['doc', 'get', 'player', '7'],
      ['doc', 'set', 'player', '7', 'a=1'],
      ['ledger', 'player', '--player', '7'],
    ]) {
      expect(await refused(...words)).toContain("Did you mean 'players'?");
    }
    const { projectId } = demoCredentials(data);
    const few = { ...env, SAVEPOINT_SECRET_KEY: await newApiKey(local, projectId, { history: 'r', collections: 'r' }) };
    expect((await here(['doc', 'history', 'player', '7'], { env: few })).stderr).toContain('There was no collection "player"');
    const definitions = {
      collections: 'r',
      endpoints: 'r',
      queries: 'r',
      workflows: 'r',
      game_values: 'r',
      rate_limits: 'r',
      settings: 'r',
    };
    const past = { ...env, SAVEPOINT_SECRET_KEY: await newApiKey(local, projectId, { history: 'r', ...definitions }) };
    for (const [words, meant] of [
      [['doc', 'history', 'player', '7'], 'players'],
      [['save-records', 'history', 'player', '7'], 'players'],
      [['definition', 'history', 'endpoint', 'ecoh'], 'echo'],
    ] as const) {
      const { code, stderr } = await here(words, { env: past });
      expect([code, stderr]).toEqual([1, expect.stringContaining(`Did you mean '${meant}'?`)]);
    }
  });

  test('a ledger of a field that the schema does not name is empty, and tells which was probably meant', async () => {
    const { code, stderr } = await savepoint('ledger', 'players', '--player', PLAYER, '--field', 'gld');
    expect([code, stderr]).toEqual([0, expect.stringContaining("Did you mean 'gold'?")]);
  });
});

describe('savepoint logs', () => {
  test('shows the last calls and refusals, as lines or as JSON', async () => {
    await savepoint('call', 'buy', 'item=boat', '--player', PLAYER);
    const lines = (await printed(['logs', '--slug', 'buy', '--errors', '--json'], { env })).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ slug: 'buy', code: 'NO_ITEM', status: 404, platformId: PLAYER });
    expect(await printed(['logs', '--errors', '--player', PLAYER], { env })).toMatch(
      /404 NO_ITEM {2}buy .* player \d+ {2}There is no boat\./,
    );
    expect(await printed(['logs', '--slug', 'nothing'], { env })).toContain('Nothing of this');
  });

  test('--follow goes on with what happens, without a colour or a control character, until it is interrupted', async () => {
    const following = run(['logs', '--follow', '--lines', '0', '--slug', 'echo'], { env });
    // The first line comes once it listens.
    await eventually('a followed call', async () => {
      await json('call', 'echo', 'times=3', '--player', 'é\u009b');
      return following.stdout().includes('echo');
    });
    following.child.kill('SIGINT');
    const { code, stdout, stderr } = await following.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});

describe('savepoint test', () => {
  const sells = { id: 'buys', endpoint: 'buy', platformId: '9', input: { item: 'axe' }, expect: { body: { left: 3 } } };
  const seed = { collections: { players: { 9: { gold: 10 } } } };

  test('runs the saved tests, and tells of one that fails what was expected where and what came', async () => {
    await ok(game.manage('PUT', game.definitions('tests'), { body: [{ ...sells, seed }] }));
    expect(await json('test')).toMatchObject({ ok: true, target: 'next', total: 1, passed: 1 });
    await ok(game.manage('PUT', game.definitions('tests'), { body: [{ ...sells, seed: {} }] }));
    const { code, stdout } = await savepoint('test', '--live');
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ buys {2}buy .*\n {4}Expected success, got HTTP 404.*\n {4}called with \{"item":"axe"\}\n {4}answered 404/);
    expect(stdout).toContain('0 of 1 passed');
  });

  test("runs the folder's own tests in place of the saved ones, those that --only names alone", async () => {
    writeFileSync(join(folder, 'savepoint.json'), '{}');
    mkdirSync(join(folder, 'tests'), { recursive: true });
    writeFileSync(join(folder, 'tests/buys.test.yml'), JSON.stringify({ ...sells, kind: 'test', seed }));
    writeFileSync(
      join(folder, 'tests/echoes.test.json'),
      JSON.stringify({ kind: 'test', id: 'echoes', endpoint: 'echo', input: { times: 1 } }),
    );
    expect(await json('test', '--dir', folder)).toMatchObject({ ok: true, total: 2 });
    expect(await json('test', '--dir', folder, '--only', 'echo')).toMatchObject({ results: [{ id: 'echoes', passed: true }] });
    expect(await refused('test', '--dir', folder, '--only', 'echos')).toContain("Did you mean 'echoes'?");
    writeFileSync(join(folder, 'tests/buys.test.yml'), 'endpoint: [');
    expect(await refused('test', '--dir', folder)).toContain('buys.test.yml is no test');
  });

  test("the operator's `test run` is what it was", async () => {
    const { code, stdout } = await here(['test', 'run', env['SAVEPOINT_PROJECT'] ?? '', '--json'], { env: local });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ target: 'live', total: 1, failed: 1 });
  });
});

describe('the wrong folder', () => {
  test('gets no types of an empty game', async () => {
    const nowhere = newFolder();
    expect(await refused('types', '--dir', nowhere)).toContain('There is no savepoint.json');
    expect(existsSync(join(nowhere, 'game.types.ts'))).toBe(false);
  });
});

describe('a server that cannot be asked', () => {
  test('is told with what to do: nothing there, a key that is none', async () => {
    const at = (more: Record<string, string>) => here(['call', 'echo', '--json'], { env: { ...env, ...more } });
    const nowhere = await at({ SAVEPOINT_URL: 'http://127.0.0.1:9' });
    expect(nowhere).toMatchObject({ code: 1 });
    expect(JSON.parse(nowhere.stdout).error).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('http://127.0.0.1:9') });
    const wrong = await at({ SAVEPOINT_SECRET_KEY: 'sk_wrong' });
    expect(JSON.parse(wrong.stdout).error).toMatchObject({
      code: 'UNAUTHORIZED',
      message: expect.stringContaining('SAVEPOINT_SECRET_KEY'),
    });
    expect(wrong.stdout + wrong.stderr).not.toContain('sk_wrong');
  });
});
