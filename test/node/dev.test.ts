import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../infra/harness/port.ts';
import { createClient, memoryStorage, signInGuest } from '../../src/client/index.ts';
import { here } from './support/command-line.ts';
import { eventually, isRunning, newFolder, type Running, removeFolders, run } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const folder = newFolder();
let dev: Running;

const put = (path: string, text: string) => writeFileSync(join(folder, path), text);
const PLAYERS = 'kind: collection\nid: players\ncollectionType: per-platformid\nschema: { gold: { type: number, default: 10 } }\n';
const BUY = (price: number) =>
  `kind: endpoint\nid: buy\nmethod: POST\nsteps:\n  - { id: price, type: transform, expression: "${price} * 1" }\nresponse: { status: 200, body: { ok: true, price: "{{price}}" } }\n`;
const BUYS = (price: number) => `kind: test\nid: buys\nendpoint: buy\nexpect: { status: 200, body: { price: ${price} } }\n`;

// biome-ignore lint/suspicious/noExplicitAny: what an event holds is checked by the expectations
type Told = any;

/** The events of a kind that were told so far. */
const told = (event: string, from: Running = dev): Told[] =>
  from
    .stdout()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Told => JSON.parse(line))
    .filter((each) => each.event === event);
const nth = (event: string, count: number) => eventually(`${count} × ${event}`, async () => told(event)[count - 1]);
const nodeOf = () => JSON.parse(readFileSync(join(folder, '.savepoint/node.json'), 'utf8'));

beforeAll(() => {
  mkdirSync(join(folder, 'endpoints'));
  put('savepoint.json', '{}');
  put('players.collection.yml', PLAYERS);
  put('endpoints/buy.endpoint.yml', BUY(7));
  put('buys.test.yml', BUYS(7));
  dev = run(['dev', '--dir', folder, '--json']);
});

afterAll(async () => {
  if (dev.child.exitCode === null) dev.child.kill('SIGTERM');
  await dev.ended;
  removeFolders();
});

describe('savepoint dev', () => {
  test('where no server is named it starts a node of the folder, pushes the folder to next, tests it and makes its types', async () => {
    expect(await nth('pushed', 1)).toMatchObject({
      ok: true,
      changes: expect.arrayContaining([expect.objectContaining({ id: 'buy', action: 'add' })]),
    });
    expect(await nth('tested', 1)).toMatchObject({ ok: true, total: 1 });
    expect(await nth('typed', 1)).toEqual({ event: 'typed', file: join(folder, 'game.types.ts') });
    expect(dev.stdout().indexOf('"typed"')).toBeLessThan(dev.stdout().indexOf('"tested"'));
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('savepoint.credentials.json');
    expect(existsSync(join(folder, '.savepoint/data'))).toBe(true);
  });

  test('a page of vite may call the node, where each device is a player, who is proven', async () => {
    const { url, projectId, publicKey } = JSON.parse(readFileSync(join(folder, 'savepoint.credentials.json'), 'utf8'));
    const origin = 'http://localhost:5173';
    expect((await fetch(`${url}/health`, { headers: { origin } })).headers.get('access-control-allow-origin')).toBe(origin);
    const device = createClient({ url, projectId, publicKey, publishTarget: 'next' });
    await signInGuest(device, { storage: memoryStorage() });
    expect(await device.call('buy')).toMatchObject({ price: 7 });
    const unproven = createClient({ url, projectId, publicKey, publishTarget: 'next', player: '5' });
    expect(await unproven.tryCall('buy')).toMatchObject({ ok: false, error: { code: 'PLATFORM_AUTH_FAILED' } });
  });

  test('where the types cannot be written this is told, and the tests are run', async () => {
    const types = join(folder, 'game.types.ts');
    const before = told('tested').length;
    rmSync(types);
    mkdirSync(types);
    put('buys.test.yml', `${BUYS(7)}name: again\n`);
    await nth('tested', before + 1);
    expect(told('failed')).toHaveLength(1);
    rmSync(types, { recursive: true });
  });

  test('a change is pushed, and the tests of what changed are run', async () => {
    const [pushed, tested] = [told('pushed').length, told('tested').length];
    put('endpoints/buy.endpoint.yml', BUY(8));
    expect((await nth('pushed', pushed + 1)).changes).toMatchObject([{ kind: 'endpoint', id: 'buy', action: 'change' }]);
    expect(await nth('tested', tested + 1)).toMatchObject({
      ok: false,
      results: [{ id: 'buys', reason: 'Expected body.price to be 7, got 8.' }],
    });
    put('buys.test.yml', BUYS(8));
    expect(await nth('tested', tested + 2)).toMatchObject({ ok: true });
  });

  test('what is wrong in a file is told with its place, and ends nothing', async () => {
    const before = told('pushed').length;
    put('endpoints/sell.endpoint.yml', 'kind: endpoint\nsteps: [');
    expect(await nth('pushed', before + 1)).toMatchObject({ ok: false, findings: [{ path: 'endpoints/sell.endpoint.yml', line: 2 }] });
    rmSync(join(folder, 'endpoints/sell.endpoint.yml'));
    expect(await nth('pushed', before + 2)).toMatchObject({ ok: true });
  });

  test('a definition that cannot run is staged with its finding, and is told in place of its tests', async () => {
    const [pushed, tested] = [told('pushed').length, told('tested').length];
    put('endpoints/buy.endpoint.yml', BUY(8).replace('type: transform', 'type: trnsform'));
    expect(await nth('pushed', pushed + 1)).toMatchObject({
      ok: true,
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'INVALID_STEP_TYPE', line: 5, column: 24 })]),
    });
    expect(await nth('tested', tested + 1)).toMatchObject({ failed: 1 });
    const { stdout } = await here(['test', '--dir', folder]);
    expect(stdout).toMatch(/✗ endpoint buy cannot run: .*trnsform.*\n {4}so 1 test of it cannot pass: buys\n0 of 1 passed/);
    put('endpoints/buy.endpoint.yml', BUY(8));
    expect(await nth('tested', tested + 2)).toMatchObject({ ok: true });
  });

  test('a definition whose file goes is gone from next, which is told, and tested as any change', async () => {
    const [before, tested] = [told('pushed').length, told('tested').length];
    put('extra.collection.yml', PLAYERS.replace('id: players', 'id: extra'));
    await nth('pushed', before + 1);
    rmSync(join(folder, 'extra.collection.yml'));
    expect((await nth('pushed', before + 2)).changes).toMatchObject([{ id: 'extra', action: 'delete' }]);
    expect(await nth('tested', tested + 2)).toMatchObject({ ok: true, total: 1 });
    expect((await here(['doc', 'get', 'extra', '1', '--target', 'next', '--dir', folder])).stderr).toContain("no collection 'extra'");
  });

  test('a file that is called like a kind that there is not is told of when it comes', async () => {
    put('sell.endpont.yml', 'id: sell\n');
    await eventually('it is told', async () => dev.stderr().includes('sell.endpont.yml is not pushed. Did you mean sell.endpoint.yml?'));
    rmSync(join(folder, 'sell.endpont.yml'));
  });

  test('calls are shown as they happen, and commands of the folder find its node', async () => {
    expect((await here(['call', 'buy', '--target', 'next', '--player', '5', '--dir', folder])).stdout).toContain('"price":8');
    const shown = await eventually('the call is shown', async () =>
      told('request').find(({ slug, platformId, status }) => slug === 'buy' && platformId === '5' && status === 200),
    );
    expect(shown).toMatchObject({ target: 'next' });
  });

  test('a second one uses the node of the first, and leaves it running', async () => {
    const second = run(['dev', '--dir', folder, '--json', '--no-types']);
    await eventually('the second is ready', async () => told('ready', second)[0]?.isShared === true);
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
    expect(isRunning(nodeOf().pid)).toBe(true);
  });

  test('a port that it cannot have ends it with the reason: taken, the node runs at another one, a server is named', async () => {
    const { url } = nodeOf();
    const port = new URL(url).port;
    const elsewhere = newFolder();
    writeFileSync(join(elsewhere, 'savepoint.json'), '{}');
    const refused = async (...args: string[]) => {
      const { code, stderr } = await run(['dev', '--no-types', ...args]).ended;
      return [code, stderr];
    };
    expect(await refused('--dir', elsewhere, '--port', port)).toEqual([
      1,
      expect.stringContaining(`Port ${port} of this machine is taken`),
    ]);
    expect(await refused('--dir', folder, '--port', '8')).toEqual([1, expect.stringContaining(`runs this folder's node at ${url}`)]);
    expect(await refused('--dir', folder, '--port', '8', '--address', url)).toEqual([1, expect.stringContaining('a server is named')]);
    expect(await refused('--dir', folder, '--port', '0')).toEqual([2, expect.stringContaining('It must be from 1 to 65535.')]);
  });

  test('a node that is killed is started again at its address, and what changed meanwhile is pushed', async () => {
    const { pid, url } = nodeOf();
    const before = told('pushed').length;
    process.kill(pid, 'SIGKILL');
    await eventually('it is told', async () => dev.stderr().includes('the local node has ended; starting it again'));
    put('endpoints/buy.endpoint.yml', BUY(9));
    put('buys.test.yml', BUYS(9));
    await eventually('the change is pushed', async () =>
      told('pushed')
        .slice(before)
        .find(({ ok, published }) => ok && published),
    );
    expect(nodeOf().url).toBe(url);
    expect(isRunning(nodeOf().pid)).toBe(true);
    expect((await here(['call', 'buy', '--target', 'next', '--player', '5', '--dir', folder])).stdout).toContain('"price":9');
  });

  test('Ctrl-C stops it and its node, and keeps the address for the next one', async () => {
    const { pid, url } = nodeOf();
    dev.child.kill('SIGINT');
    expect(await dev.ended).toMatchObject({ code: 0, signal: null });
    expect(told('stopped')).toHaveLength(1);
    expect(isRunning(pid)).toBe(false);
    expect(nodeOf().url).toBe(url);
  });

  test('with a port it listens there, and goes on to do so', async () => {
    const port = await freePort();
    for (const args of [['--port', String(port)], []]) {
      const again = run(['dev', '--dir', folder, '--json', '--no-types', ...args]);
      const [ready] = await eventually('it is ready', async () => {
        const found = told('ready', again);
        return found.length > 0 ? found : undefined;
      });
      expect(ready.address).toBe(`http://127.0.0.1:${port}`);
      again.child.kill('SIGINT');
      expect((await again.ended).code).toBe(0);
    }
  });

  test('types --watch makes the types anew after each change, also after a mistake in a file', async () => {
    const out = join(folder, 'src.types.ts');
    const types = run(['types', '--watch', '--dir', folder, '--out', out]);
    await eventually('the first types', async () => existsSync(out));
    put('players.collection.yml', 'kind: collection\nschema: [');
    await eventually('the mistake is told', async () => types.stderr().includes('players.collection.yml'));
    put('players.collection.yml', PLAYERS.replace('gold', 'silver'));
    await eventually('the new types', async () => readFileSync(out, 'utf8').includes('silver'));
    types.child.kill('SIGTERM');
    expect((await types.ended).code).toBe(0);
  });
});
