import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  analyticsOf,
  type ClientOptions,
  createClient,
  credentials,
  inc,
  type LogEntry,
  memoryStorage,
  openQueue,
  SavepointError,
  set,
} from '../../src/client/index.ts';
import { printed } from '../node/support/command-line.ts';
import { ok } from '../node/support/game-client.ts';
import { newFolder } from '../node/support/program.ts';
import { compile } from '../typegen/support.ts';
import { endGame, type Game, network, newGame, refusing, startGame } from './support.ts';
import { TYPED_GAME } from './typed-game.ts';

/** The client on a real node, over a network with faults. */

let game: Game;
beforeAll(async () => {
  game = await startGame();
});
afterAll(() => endGame(game));

const codeOf = async (asked: Promise<{ readonly ok: boolean; readonly error?: SavepointError }>) => {
  const result = await asked;
  return result.ok ? 'ok' : `${result.error?.status} ${result.error?.code}`;
};

/** A client of a player with 10 gold. */
async function rich(options: ClientOptions = {}) {
  return createClient({ ...game.options, player: await game.newRich(), ...options });
}

test('an unavailable verifier is waited for if there is a token to check; without a token the error is returned at once', async () => {
  const away = () =>
    Response.json(
      { ok: false, error: { code: 'PLATFORM_AUTH_FAILED', authFailureKind: 'service_unavailable' } },
      { status: 401, headers: { 'retry-after': '0' } },
    );
  for (const [token, sends] of [
    ['a token', 2],
    [undefined, 1],
  ] as const) {
    const { fetch, sent } = network(away);
    const player = { id: await game.newRich(), ...(token === undefined ? {} : { token }) };
    await createClient({ ...game.options, player, fetch })
      .documents('players')
      .tryGet();
    expect(sent).toHaveLength(sends);
  }
});

describe('an intent happens once', () => {
  test.each([
    ['no answer comes', ['answer lost', 'answer lost'] as const],
    ['it never arrives', ['lost'] as const],
    ['a proxy gives up', ['answer lost', refusing(504, null)] as const],
    ['the outcome is not known', ['answer lost', refusing(504, 'OUTCOME_UNKNOWN')] as const],
    ['the node is busy', [refusing(503, 'BUSY', { 'retry-after': '0' })] as const],
    ['there are too many', [refusing(429, 'RATE_LIMITED', { 'retry-after': '0' })] as const],
  ])('when %s: it is sent again under its key', async (_, fates) => {
    const { fetch, sent } = network(...fates);
    const client = await rich({ fetch });
    await client.documents('players').update(inc('gold', 5));
    expect(await client.documents('players').get()).toMatchObject({ gold: 15 });
    const writes = sent.filter(({ method }) => method === 'POST');
    expect(writes).toHaveLength(fates.length + 1);
    expect(new Set(writes.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('also when it is a call, and it is answered as it was first', async () => {
    const { fetch, sent } = network('as it is', 'answer lost');
    const client = await rich({ fetch });
    expect(await client.call('buy', { item: 'axe' })).toMatchObject({ price: 7, left: 3 });
    expect(await client.documents('players').get()).toMatchObject({ gold: 3 });
    expect(sent.map(({ path }) => path.split('/')[2])).toEqual(['security-config', 'endpoints', 'endpoints', 'storage']);
  });

  test('a session is reported even if its frames cannot be counted: reports never throw', async () => {
    const client = await rich();
    const fps = () => {
      throw new Error('there is no screen');
    };
    const left = await analyticsOf(client).startSession({ fps }).end();
    expect(left?.ok).toBe(true);
  });

  test('a report whose arrival is uncertain is not sent again', async () => {
    const { fetch, sent } = network('as it is', 'answer lost');
    const client = await rich({ fetch });
    expect(await analyticsOf(client).track('level_done')).toMatchObject({ ok: false, error: { code: 'NETWORK_ERROR' } });
    expect(sent).toHaveLength(2);
  });
});

describe('a request is not retried', () => {
  test('if the game is refused', async () => {
    const { fetch, sent } = network();
    const client = await rich({ fetch });
    expect(await codeOf(client.tryCall('buy', { item: 'castle' }))).toBe('404 NO_ITEM');
    expect(sent).toHaveLength(2);
  });

  test('if a rate-limit rule of the game refuses it: a retry would be refused, too', async () => {
    const { fetch, sent } = network();
    const client = createClient({ ...game.options, fetch, player: game.newPlayer() });
    expect(await codeOf(client.documents('meters').tryUpdate(inc('n', 11)))).toBe('429 RATE_LIMIT');
    expect(sent).toHaveLength(1);
  });

  test('after the last attempt', async () => {
    const { fetch, sent } = network('lost', 'lost', 'lost', 'lost');
    expect(await codeOf((await rich({ fetch, retries: 1 })).tryValues())).toBe('0 NETWORK_ERROR');
    expect(sent).toHaveLength(2);
  });

  test('if the server asks for too long a wait: the game learns how long', async () => {
    const { fetch, sent } = network(refusing(503, 'BUSY', { 'retry-after': '120' }));
    const values = await (await rich({ fetch })).tryValues();
    expect(values).toMatchObject({ ok: false, error: { code: 'BUSY', retryAfterMs: 120_000 } });
    expect(sent).toHaveLength(1);
  });
});

test('an attempt has a timeout', async () => {
  const never = () => new Promise<Response>(() => undefined);
  const hanging = (_url: string, { signal }: RequestInit) =>
    Promise.race([never(), new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))]);
  const client = createClient({ ...game.options, fetch: hanging, retries: 0, timeoutMs: 20 });
  expect(await codeOf(client.tryValues())).toBe('0 TIMEOUT');
});

test('a signal aborts a request, before it is sent and while it waits', async () => {
  const { fetch, sent } = network('lost', 'lost');
  const client = await rich({ fetch });
  expect(await codeOf(client.tryValues({ signal: AbortSignal.abort() }))).toBe('0 ABORTED');
  const controller = new AbortController();
  const waiting = client.tryValues({ signal: controller.signal });
  await vi.waitUntil(() => sent.length === 1, 60_000);
  controller.abort();
  expect(await codeOf(waiting)).toBe('0 ABORTED');
  expect(sent).toHaveLength(1);
});

test('methods without `try` throw one class of errors, with all facts', async () => {
  const error = await (await rich()).call('buy', { item: 'castle' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SavepointError);
  expect(error).toMatchObject({ code: 'NO_ITEM', status: 404, message: 'There is no castle.', requestId: expect.any(String) });
});

test('an endpoint can be called by its address', async () => {
  const client = await rich();
  const address = `https://dashboard.example.com/v3/endpoints/${game.options.projectId}/buy` as const;
  expect(await client.call(address, { item: 'axe' })).toMatchObject({ price: 7 });
  await client.tryCall(address, { item: 'castle' });
  expect(client.lastError('buy')?.code).toBe('NO_ITEM');
  expect(client.lastError('echo')).toBeNull();
  await client.tryCall('echo', { at: () => 1 });
  expect(client.lastError('echo')?.code).toBe('INVALID_ARGUMENT');
});

test('members of an input belong to the game, whatever their names', async () => {
  const echo = { id: 'mirror', slug: 'mirror', name: 'Mirror', method: 'POST', steps: [] };
  const body = { ok: true, token: '{{input.token}}', args: '{{input.args}}', platformId: '{{input.platformId}}' };
  await ok(game.manager.manage('PUT', game.manager.definitions('endpoints'), { body: [{ ...echo, response: { status: 200, body } }] }));
  const input = { token: 'gold', args: 3, platformId: 'else' };
  expect(await (await rich()).call('mirror', input)).toEqual({ ok: true, ...input });
  const { fetch, sent } = network();
  const client = await rich({ fetch });
  await client.call('buy', { item: 'axe' });
  await client.call('mirror', input);
  const [plain, nested] = sent.filter(({ path }) => path.includes('/endpoints/')).map(({ body }) => JSON.parse(body));
  expect(plain).toMatchObject({ item: 'axe', security: { clientMode: 'legacy' }, _endpointSlug: 'buy' });
  expect(nested).toMatchObject({ input, _endpointSlug: 'mirror' });
});

test.each(['', '.', '..', 'https://example.com/'])('the slug %j leads nowhere, and is not sent', async (slug) => {
  const { fetch, sent } = network();
  expect(await codeOf((await rich({ fetch })).tryCall(slug))).toBe('0 INVALID_ARGUMENT');
  expect(sent.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('documents default to the player’s own, and need a player', async () => {
  const client = createClient(game.options);
  expect(await codeOf(client.documents('players').tryGet())).toBe('0 NO_PLAYER');
  expect(await codeOf(client.documents('towns').tryGet({ key: 'market' }))).toBe('ok');
});

test('staged definitions are played on next, and the target can be switched while the game runs', async () => {
  const client = await rich();
  await client.documents('players').update(inc('gold', 5));
  client.publishTarget = 'next';
  await client.documents('players').update(inc('gold', 100));
  expect(await client.documents('players').get()).toMatchObject({ gold: 115 });
  client.publishTarget = 'live';
  expect(await client.documents('players').get()).toMatchObject({ gold: 15 });
});

test('a read shows this client’s own writes, whichever node answers', async () => {
  const { fetch, sent } = network();
  const client = await rich({ fetch });
  await client.documents('players').update(inc('gold'));
  await client.documents('players').get();
  expect(Number(sent.at(-1)?.headers['x-ns-position'])).toBeGreaterThan(0);
});

test('documents are read from cdnUrl, and written to url', async () => {
  const { fetch, sent } = network();
  const client = await rich({ fetch, url: `${game.options.url}/`, cdnUrl: game.options.url.replace('127.0.0.1', 'localhost') });
  await client.documents('players').update(inc('gold'));
  expect(await client.documents('players').get()).toMatchObject({ gold: 11 });
  expect(client.apiRoot).toBe(`${game.options.url}/v3`);
  expect(sent).toHaveLength(2);
});

test('an edit is repeated on a newer document, and loses nothing', async () => {
  const client = await rich();
  const other = client.as(client.player ?? '');
  const edits = [client, other, client, other].map((of) =>
    of.documents('players').edit((me) => ({ ...me, level: me.level + 1 }), { retries: 10 }),
  );
  await Promise.all(edits);
  expect(await client.documents('players').get()).toMatchObject({ level: 5 });
});

test('numbers beyond doubles that a game leaves alone keep their digits when it edits, saves or updates the document', async () => {
  const { fetch, sent } = network();
  const client = await rich({ fetch });
  const bags = client.documents('bags');
  const address = `${game.options.url}/v3/storage/${game.options.projectId}/bags/${client.player?.id}`;
  const headers = { 'x-public-key': game.options.publicKey, 'content-type': 'application/json' };
  await globalThis.fetch(address, {
    method: 'POST',
    headers,
    body: '{"id":9007199254740993,"list":[{"n":12345678901234567891}],"gold":1}',
  });
  const stored = async () => (await globalThis.fetch(address, { headers })).text();
  await bags.edit((bag) => ({ ...bag, gold: 2 }));
  expect(await stored()).toBe('{"id":9007199254740993,"list":[{"n":12345678901234567891}],"gold":2}');
  const bag = await bags.get();
  await bags.save({ ...bag, list: [...bag.list, ...bag.list] });
  await bags.update(set('copy', bag.id));
  expect(await stored()).toBe(
    '{"id":9007199254740993,"list":[{"n":12345678901234567891},{"n":12345678901234567891}],"gold":2,"copy":9007199254740993}',
  );
  expect(sent.some(({ body }) => body.includes('9007199254740992'))).toBe(false);
});

test('integers beyond 2^53 stay exact with a JSON library that supports them', async () => {
  const { parse, stringify } = await import('lossless-json');
  const client = await rich({ json: { parse: (text) => parse(text), stringify: (value) => stringify(value) ?? '' } });
  await client.documents('players').save(parse('{"id64":12345678901234567890}'));
  expect(String((await client.documents('players').get()).id64)).toBe('12345678901234567890');
});

test('a program reads its credentials from its environment and from a file before its first request', async () => {
  const { url, projectId, publicKey, fetch } = game.options;
  const path = join(newFolder(), 'keys.json');
  writeFileSync(path, `\uFEFF${JSON.stringify({ url, projectId, publicKey: 'another' })}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('SAVEPOINT_CREDENTIALS', path);
  vi.stubEnv('SAVEPOINT_PUBLIC_KEY', publicKey);
  const client = createClient({ ...(fetch === undefined ? {} : { fetch }) });
  expect(client.isConfigured).toBe(false);
  expect((await client.values()).constants).toEqual({ shop: { axe: 7 } });
  expect(client.isConfigured).toBe(true);
  vi.unstubAllEnvs();
  expect(() => credentials('/nowhere.json')).toThrow('ENOENT');
  expect(await codeOf(createClient({ credentials: () => null }).tryValues())).toBe('0 NOT_CONFIGURED');
});

test('a dedicated server calls with its secret key, for itself and for players', async () => {
  const { fetch, sent } = network();
  const server = createClient({ ...game.options, fetch, clientType: 'dedicated', secretKey: game.manager.secretKey });
  const player = await game.newRich();
  expect(await server.documents('vault').save({ n: 1 }, { key: player })).toMatchObject({ ok: true });
  expect(await server.as(player).call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
  const body = JSON.parse(sent.at(-1)?.body ?? '');
  expect(body).toMatchObject({ item: 'axe', security: { clientMode: 'legacy' }, _endpointSlug: 'buy' });
});

test('a secret key is sent over TLS, or to this machine alone', async () => {
  const { fetch, sent } = network();
  const server = createClient({
    ...game.options,
    fetch,
    url: 'http://play.example.com',
    clientType: 'dedicated',
    secretKey: 'platform_sk_x',
  });
  expect(await codeOf(server.tryValues())).toBe('0 SECRET_EXPOSED');
  expect(sent).toEqual([]);
});

test('the library prints nothing: it passes log entries to a hook', async () => {
  const said = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
  const heard: LogEntry[] = [];
  const { fetch } = network('as it is', refusing(503, 'BUSY', { 'retry-after': '0' }));
  await (await rich({ fetch, log: (entry) => void heard.push(entry) })).tryCall('buy', { item: 'castle' });
  expect(said.flatMap((spy) => spy.mock.calls)).toEqual([]);
  for (const spy of said) spy.mockRestore();
  expect(heard.map(({ level }) => level)).toEqual(['debug', 'warn']);
  expect(heard[1]?.message).toContain('NO_ITEM');
});

test('a value that cannot be sent is refused on every way, and never replaced', async () => {
  const client = await rich();
  const loop: Record<string, unknown> = {};
  loop['loop'] = loop;
  const queue = await openQueue(client, { storage: memoryStorage() });
  for (const wrong of [{ gold: Number.NaN }, { gold: 1 / 0 }, { gold: 10n }, loop]) {
    expect(await codeOf(client.documents('players').trySave(wrong))).toBe('0 INVALID_ARGUMENT');
    expect(await codeOf(client.tryCall('buy', wrong))).toBe('0 INVALID_ARGUMENT');
    await expect(queue.save('players', wrong)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
  for (const wrong of [
    new Map([['a', 1]]),
    new Set(),
    new Date(),
    Promise.resolve(),
    /x/,
    new Error('x'),
    () => 1,
    Symbol('x'),
    [undefined],
  ]) {
    const named = { ok: false, error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('bag.wrong') } };
    expect(await client.documents('players').trySave({ bag: { wrong } })).toMatchObject(named);
    expect(await client.documents('players').tryEdit(() => ({ bag: { wrong } }))).toMatchObject(named);
    expect(await client.documents('players').tryUpdate(set('x', { bag: { wrong } }))).toMatchObject(named);
    expect(await client.tryCall('buy', { bag: { wrong } })).toMatchObject(named);
    await expect(queue.save('players', { bag: { wrong } })).rejects.toMatchObject(named.error);
  }
  expect(queue.size).toBe(0);
  await queue.close();
  expect(await client.documents('players').get()).toMatchObject({ gold: 10 });
  for (const url of ['127.0.0.1:8080', 'localhost:8080', 'ftp://x']) {
    expect(await codeOf(createClient({ ...game.options, url, clientType: 'dedicated', secretKey: 'x' }).tryValues())).toBe(
      '0 INVALID_ARGUMENT',
    );
  }
});

describe('types that are made of what a node holds', () => {
  test('match what the node answers: endpoints, refusals, documents, rows and values', async () => {
    const { manager, newPlayer, options } = await newGame(game.node, game.env);
    await ok(manager.manage('PUT', manager.definitions('sync'), { body: TYPED_GAME }));
    const out = join(newFolder(), 'game.types.ts');
    const place = ['--address', options.url, '--project', options.projectId];
    await printed(['types', ...place, '--out', out], { env: { SAVEPOINT_SECRET_KEY: manager.secretKey } });
    const client = createClient({ ...options, player: newPlayer() });
    const heroes = client.documents('heroes');
    const refusal = async (slug: string, input: object) => {
      const answer = await client.tryCall(slug, input);
      return answer.ok ? 'none' : answer.error.code;
    };
    const lines: string[] = [];
    const is = (value: unknown, type: string) => lines.push(`check((${JSON.stringify(value)}) satisfies ${type});`);
    is(await refusal('buy', { item: 'axe' }), `RefusalsOf<Game, 'buy'>`);
    is(await client.call('look', { deep: true }), `AnswerOf<Game, 'look'>`);
    is(await client.call('make', { name: 'Ada' }), `AnswerOf<Game, 'make'>`);
    is(await refusal('buy', { item: 'boat' }), `RefusalsOf<Game, 'buy'>`);
    is(await refusal('buy', { item: 'axe' }), `RefusalsOf<Game, 'buy'>`);
    is(await refusal('no', {}), `RefusalsOf<Game, 'no'>`);
    await heroes.update([inc('gold', 20), set('stats.title', 'Dr'), set('kind', 'knight')]);
    is(await client.call('buy', { item: 'axe' }), `AnswerOf<Game, 'buy'>`);
    is(await client.call('look', { deep: true, item: 'axe' }), `AnswerOf<Game, 'look'>`);
    is(await client.call('look'), `AnswerOf<Game, 'look'>`);
    is(await heroes.get(), `DocumentOf<Game, 'heroes'>`);
    await client
      .as(newPlayer())
      .documents('heroes')
      .save({ bag: [{ item: 'axe' }] });
    for (const board of ['richest', 'whole']) {
      const { entries } = await client.leaderboard(board);
      expect(entries).toHaveLength(2);
      for (const { data } of entries) is(data, `Game['queries']['${board}']`);
    }
    const { constants, tables } = await client.values();
    is(constants, `Game['values']`);
    is(Object(tables)['prices'].rows[0], `Game['tables']['prices']`);
    // Answers that the node does not give do not compile.
    const wrong = [
      `check({ ok: true, row: { item: 'axe', price: 7 }, left: 16, gold: '16', said: '' } satisfies AnswerOf<Game, 'buy'>);`,
      `check({ ok: true, row: { item: 'axe', price: 7 }, left: 16, gold: 16, said: '', more: 1 } satisfies AnswerOf<Game, 'buy'>);`,
      `check('TOO_RICH' satisfies RefusalsOf<Game, 'buy'>);`,
      `check({ name: 'Ada' } satisfies DocumentOf<Game, 'heroes'>);`,
    ];
    const head = `import type { AnswerOf, DocumentOf, RefusalsOf } from 'savepoint/client';\nimport type { Game } from './game.types.ts';`;
    const text = [head, 'const check = (_: unknown) => undefined;', ...lines, ...wrong, 'export {};'].join('\n');
    const errors = compile({ 'game.types.ts': readFileSync(out, 'utf8'), 'answers.ts': text });
    const rows = text.split('\n');
    expect(errors.map((error) => rows[Number(/\((\d+),/.exec(error)?.[1]) - 1] ?? error)).toEqual(wrong);
  });
});
