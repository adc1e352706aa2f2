import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { type Credentials, parseCredentials } from '../../infra/harness/project.ts';
import { checkPublished } from '../support/published-events.ts';
import { here, printed } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { type Client, createClient, ok, PLAYER, refused } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, run, savepoint, startNode, succeed } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const data = newFolder();
let node: Node;
let game: Client;
let database: pg.Client;

beforeAll(async () => {
  node = await startNode(data);
  game = createClient(node.url, demoCredentials(data));
  await publishGame(game);
  await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { name: 'Ada', gold: 20 } }));
  await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { ops: [{ op: 'inc', path: 'gold', value: 5 }] } }));
  database = new pg.Client({ connectionString: (await command('db', 'url')).trim() });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  game?.close();
  await node?.stop();
  removeFolders();
});

const command = (...args: readonly string[]) => succeed([...args, '--data', data]);
const json = async (...args: readonly string[]): Promise<unknown> => JSON.parse(await command(...args, '--json'));
const outcome = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await savepoint([...args, '--data', data]);
  return { code, said: stdout + stderr };
};
/** The same without a process, for what other tests here have run in one. */
const quick = (...args: readonly string[]) => printed([...args, '--data', data]);
const quickJson = async (...args: readonly string[]): Promise<unknown> => JSON.parse(await quick(...args, '--json'));
const count = async (statement: string, ...values: readonly unknown[]) => {
  const { rows } = await database.query<{ count: string }>(`SELECT count(*) FROM savepoint.${statement}`, [...values]);
  return Number(rows[0]?.count);
};

const pageFile = () => {
  const path = join(data, 'news.md');
  writeFileSync(path, '# News');
  return path;
};

describe('projects beside a running node', () => {
  let made: Credentials;
  let other: Client;

  test('create prints exactly one object, and its keys work at the node at once', async () => {
    const { code, stdout, stderr } = await savepoint(['project', 'create', 'Crème & Söhne', '--json', '--data', data]);
    const printed: unknown = JSON.parse(stdout);
    made = parseCredentials(printed);
    other = createClient(node.url, made);
    await ok(other.manage('GET', other.definitions('validate')));
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(Object.keys(Object(printed))).toEqual(['projectId', 'publicKey', 'secretKey']);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(made.projectId).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(await refused(other.play('GET', other.storage('players/1')))).toBe('404 NOT_FOUND');
  });

  test('list names them', async () => {
    const listed = await json('project', 'list');
    expect(listed).toMatchObject([
      { projectId: game.projectId, name: 'Demo' },
      { projectId: made.projectId, name: 'Crème & Söhne' },
    ]);
  });

  test('delete --yes refuses the keys at once, drops every row and keeps the log, which says why', async () => {
    await publishGame(other);
    await ok(other.play('POST', other.storage(`players/${PLAYER}`), { body: { gold: 3 } }));
    await ok(other.play('POST', other.storage(`scores/${PLAYER}`), { body: { points: 3 } }));
    await ok(other.manage('POST', other.storage('feed/append'), { body: { text: 'x' }, headers: { 'idempotency-key': 'k' } }));
    const before = await count('log_events WHERE stream = $1', `project-${made.projectId}`);
    await command('project', 'delete', made.projectId, '--yes', '--message', 'the game was closed', '--ticket', 'T-7');
    expect(await refused(other.manage('GET', other.definitions('validate')))).toBe('401 UNAUTHORIZED');
    expect(await refused(other.play('GET', other.storage(`players/${PLAYER}`)))).toBe('401 UNAUTHORIZED');
    const tables = [
      'documents',
      'ledger',
      'records',
      'limits',
      'idempotency',
      'definitions',
      'subjects',
      'leaderboards',
      'leaderboard_counts',
    ];
    for (const table of tables) {
      await eventually(`no row of it in ${table}`, async () => (await count(`${table} WHERE project = $1`, made.projectId)) === 0);
    }
    expect(await count('log_events WHERE stream = $1', `project-${made.projectId}`)).toBe(before + 1);
    const said = "data ->> 'message' = 'the game was closed' AND data ->> 'ticket' = 'T-7'";
    expect(await count(`log_events WHERE type = 'project.deleted' AND ${said} AND stream = $1`, `project-${made.projectId}`)).toBe(1);
    expect(await quickJson('project', 'list')).toMatchObject([{ projectId: game.projectId }]);
    other.close();
  });
});

describe('keys beside a running node', () => {
  let key: { readonly key: string; readonly keyId: string };
  const works = () => game.send('GET', game.definitions('validate'), { headers: { 'x-api-key': key.key } });
  const read = () => game.send('GET', game.storage(`players/${PLAYER}`), { headers: { 'x-api-key': key.key } });

  test('a new key works at once, within its permissions; list masks secrets', async () => {
    key = Object(await json('key', 'create', game.projectId, '--label', 'server', '--permissions', '{"endpoints":"x"}'));
    expect(Object.keys(key).sort()).toEqual(['key', 'keyId', 'projectId', 'type']);
    await ok(works());
    expect(await refused(read())).toBe('403 FORBIDDEN');
    const listed = await quick('key', 'list', game.projectId);
    expect(listed).toContain(key.keyId);
    expect(listed).toContain('server');
    expect(listed).not.toContain(key.key);
    expect(listed).toContain('never used');
    const { keys } = Object((await ok(game.manage('GET', game.definitions('keys')))).body);
    expect(keys).toContainEqual(expect.objectContaining({ keyId: key.keyId, label: 'server', use: 'used' }));
    expect(JSON.stringify(keys)).not.toContain(key.key);
  });

  test('a disabled key: 403 KEY_DISABLED on documents, 401 on management', async () => {
    await command('key', 'permissions', game.projectId, key.keyId, 'null', '--disable');
    await eventually('the key is disabled', async () => (await refused(read())) === '403 KEY_DISABLED');
    expect(await refused(works())).toBe('401 UNAUTHORIZED');
  });

  test('enabled it works again, revoked it stops', async () => {
    await quick('key', 'permissions', game.projectId, key.keyId, '--enable');
    await eventually('the key works again', async () => (await read()).status === 200);
    await ok(works());
    await command('key', 'revoke', game.projectId, key.keyId);
    await eventually('the key is refused', async () => (await refused(read())) === '401 UNAUTHORIZED');
    expect(await refused(works())).toBe('401 UNAUTHORIZED');
  });
});

describe('looking at the database and the log', () => {
  test('db url is a connection string that works, and migrate finds nothing to do', async () => {
    expect(await count('documents')).toBeGreaterThan(0);
    expect(Object(await quickJson('db', 'url'))).toMatchObject({ running: true });
    expect(Object(await quickJson('migrate')).migrations.length).toBeGreaterThan(0);
  });

  test('log tail shows the last events whole, also of one project', async () => {
    const lines = (await command('log', 'tail', '-n', '3', '--json', '--project', game.projectId)).trimEnd().split('\n');
    const events = lines.map((line) => Object(JSON.parse(line)));
    expect(events).toHaveLength(3);
    expect(events.map((event) => event.stream)).toEqual(Array(3).fill(`project-${game.projectId}`));
    expect(events[2].revision - events[0].revision).toBe(2);
    expect(Object.keys(events[0])).toEqual(['position', 'stream', 'revision', 'type', 'id', 'metadata', 'data']);
    const tail = (...words: readonly string[]) => quick('log', 'tail', '--project', game.projectId, ...words);
    // The filter comes before the count; --lines is an older spelling.
    const types = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => Object(JSON.parse(line)).type);
    expect(types(await tail('--lines', '1', '--type', 'project', '--json'))).toEqual(['project.created']);
    const [created] = (await tail('--type', 'project.created')).trimEnd().split('\n');
    expect(created).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}\d+ {2}project-\S+@0 {2}project\.created {2}operator {2}\{/);
    expect(await tail('--to', '2020-01-01')).toBe('');
    expect(await tail('--player', 'nobody-of-this-name')).toBe('');
    for (const words of [
      ['log', 'tail'],
      ['analytics', 'failures'],
    ]) {
      const { code, stderr } = await here([...words, '--project', 'nobody', '--data', data]);
      expect([code, stderr]).toEqual([1, expect.stringContaining('No project nobody')]);
    }
  });

  test('log stats counts streams and types', async () => {
    const stats = Object(await quickJson('log', 'stats'));
    const own = stats.streams.find((one: { stream: string }) => one.stream === `project-${game.projectId}`);
    expect(own.events).toBe(await count('log_events WHERE stream = $1', `project-${game.projectId}`));
    expect(stats.types.map((one: { type: string }) => one.type)).toContain('document.written');
  });

  test('every event of the log is as src/contract/events publishes it', async () => {
    const events = await database.query<{ type: string; data: string; metadata: string }>(
      'SELECT type, data::text AS data, metadata::text AS metadata FROM savepoint.log_events ORDER BY position',
    );
    expect(events.rows.length).toBeGreaterThan(20);
    events.rows.forEach(checkPublished);
  });
});

describe('log copy to an empty data folder', () => {
  const elsewhere = newFolder();
  const copied = async (...more: readonly string[]): Promise<unknown> =>
    JSON.parse(await printed(['log', 'copy', '--from', `data:${data}`, '--to', `data:${elsewhere}`, '--json', ...more]));
  const verified = async (): Promise<unknown> => JSON.parse(await printed(['verify', '--json', '--data', elsewhere]));

  test('leaves the read models to the start when told so', async () => {
    expect(await copied('--no-read-models')).toMatchObject({ complete: true, skipped: 0, readModels: null });
    const { code, stdout } = await here(['verify', '--json', '--data', elsewhere]);
    const { behind, problems } = JSON.parse(stdout);
    expect([code, behind > 0, new Set(problems.map((one: { kind: string }) => one.kind))]).toEqual([1, true, new Set(['behind'])]);
  });

  test('brings them up to the log, again by what is new alone, and verify finds every row true', async () => {
    expect(JSON.parse(await printed(['verify', '--wait', '--json', '--data', elsewhere]))).toMatchObject({ ok: true, behind: 0 });
    await succeed(['log', 'copy', '--from', `data:${data}`, '--to', `data:${elsewhere}`]);
    await ok(game.play('POST', game.storage('players/76561198000000077'), { body: { name: 'Bea' } }));
    await ok(game.play('POST', game.storage('stats/heartbeat'), { body: { platformId: '76561198000000077', event: 'join' } }));
    // A document, what it does to money, and a heartbeat.
    expect(await copied()).toMatchObject({ copied: 3, readModels: { behind: [] } });
    expect(await verified()).toMatchObject({ ok: true, behind: 0 });
    const anchors = (folder: string) => printed(['log', 'anchor', '--data', folder]);
    expect(await anchors(elsewhere)).toBe(await anchors(data));
  });
});

test('log copy tells programs, too, why nothing was copied', async () => {
  const { code, stdout, stderr } = await here(['log', 'copy', '--from', `file:${pageFile()}`, '--to', `data:${newFolder()}`, '--json']);
  const { ok: isDone, error } = JSON.parse(stdout);
  expect([code, isDone, stderr]).toEqual([1, false, `savepoint: ${error.message}\n`]);
  expect(stderr).not.toContain('SAVEPOINT_DEBUG');
});

describe('verify', () => {
  test('ends with 0 on a log and tables that agree, and with the anchors of that log', async () => {
    const anchors = (await command('log', 'anchor')).trimEnd().split('\n');
    expect(anchors.some((line) => line.startsWith(`${game.projectId}@`))).toBe(true);
    const result = Object(await quickJson('verify', '--anchor', ...anchors));
    expect(result).toMatchObject({ ok: true, problems: [] });
    expect(result.events).toBeGreaterThan(10);
  });

  test('ends with 1 when the log does not hold an anchored event', async () => {
    const anchor = `${game.projectId}@1:${'0'.repeat(64)}`;
    const ahead = `${game.projectId}@100000:${'0'.repeat(64)}`;
    const { code, stdout } = await here(['verify', '--json', '--anchor', anchor, ahead, '--data', data]);
    const { problems } = Object(JSON.parse(stdout));
    expect(code).toBe(1);
    expect(problems).toMatchObject([
      { kind: 'anchor', project: game.projectId, row: '1', detail: 'another event stands there' },
      { kind: 'anchor', project: game.projectId, row: '100000', detail: expect.stringMatching(/^the log ends at revision \d+:.*younger/) },
    ]);
  });

  test('ends with 1 and names every row that was changed, removed or added by hand; rebuild makes them right', async () => {
    const columns = 'key, field, before, after, delta, amount, source, reason, at, event_id, summed, actor';
    const edits = [
      `UPDATE savepoint.documents SET document = '{"gold":999}' WHERE collection = 'players' AND key = '${PLAYER}'`,
      `DELETE FROM savepoint.documents WHERE collection = 'scores' AND key = 'p-removed'`,
      `UPDATE savepoint.ledger SET reason = 'gift' WHERE player = '${PLAYER}' AND before::text = '20'`,
      `INSERT INTO savepoint.ledger SELECT project, space, collection, player, revision, ordinal + 7, ${columns} FROM savepoint.ledger
       WHERE player = '${PLAYER}' AND before::text = '20'`,
    ];
    await ok(game.play('POST', game.storage('scores/p-removed'), { body: { points: 1 } }));
    await eventually('the row is there', async () => (await count("documents WHERE key = 'p-removed'")) === 1);
    for (const edit of edits) expect([edit, (await database.query(edit)).rowCount]).toEqual([edit, 1]);
    const found = await savepoint(['verify', '--json', '--data', data]);
    const { problems } = Object(JSON.parse(found.stdout));
    const rows = problems.map((one: { table: string; row: string }) => `${one.table} ${one.row}`).sort();
    expect(found.code).toBe(1);
    expect(rows).toHaveLength(edits.length);
    expect(rows.filter((row: string) => row.startsWith('documents') && row.includes(PLAYER))).toHaveLength(1);
    expect(rows.filter((row: string) => row.startsWith('documents') && row.includes('p-removed'))).toHaveLength(1);
    expect(rows.filter((row: string) => row.startsWith('ledger') && row.includes(PLAYER))).toHaveLength(2);
    await quick('rebuild', 'documents', 'ledger');
    await quick('verify');
  });

  test('a changed event breaks the chain', async () => {
    const where = `WHERE stream = 'project-${game.projectId}' AND revision = 1`;
    const { rows } = await database.query<{ data: string }>(`SELECT data::text AS data FROM savepoint.log_events ${where}`);
    await database.query(`UPDATE savepoint.log_events SET data = '{"planted":true}' ${where}`);
    const { code, stdout } = await here(['verify', '--data', data]);
    await database.query(`UPDATE savepoint.log_events SET data = $1 ${where}`, [rows[0]?.data]);
    expect([code, stdout]).toEqual([1, expect.stringContaining(game.projectId)]);
  });
});

describe('rebuild beside a running node under write load', () => {
  test.each([[[]], [['documents']]])(
    'rebuild %s: no write is refused, every acknowledged one is readable, verify agrees',
    async (names) => {
      const key = `rebuild-${names.length}`;
      const load = { going: true, acknowledged: 0, refusals: new Set<string>() };
      const writer = async (lane: number) => {
        for (let n = 0; load.going && n < 150; n++) {
          const ops = [
            { op: 'inc', path: 'n', value: 1 },
            { op: 'push', path: 'marks', value: `${lane}-${n}` },
          ];
          const reply = await game.play('POST', game.storage(`counters/${key}-${lane}`), { body: { ops } });
          if (reply.status === 200) load.acknowledged += 1;
          else load.refusals.add(`${reply.status} ${reply.text}`);
        }
      };
      const writers = Promise.all(Array.from({ length: 4 }, (_, lane) => writer(lane)));
      const rebuilt = await outcome('rebuild', ...names);
      load.going = false;
      await writers;
      expect(rebuilt).toMatchObject({ code: 0 });
      expect([...load.refusals]).toEqual([]);
      const found = await Promise.all([0, 1, 2, 3].map((lane) => ok(game.play('GET', game.storage(`counters/${key}-${lane}`)))));
      const total = found.reduce((sum, { body }) => sum + Object(body).n, 0);
      expect(total).toBe(load.acknowledged);
      expect(found.every(({ body }) => new Set(Object(body).marks).size === Object(body).n)).toBe(true);
      await quick('verify');
    },
  );
});

describe('a project as a JSON file', () => {
  const SLOTS = { id: 'slots', collectionType: 'per-platformid', accessMode: 'public', maxRecords: 3, schema: {} };
  const file = join(data, 'demo.json');
  /** Without what an import makes anew: ids, keys and times. */
  const contentOf = (path: string) => {
    const text = readFileSync(path, 'utf8').replace(/"(updated_at_unix_ms|createdAt|updatedAt|_timestamp)":\d+/g, '"$1":0');
    const { tables, export_version } = JSON.parse(text);
    const { api_keys: _, checkpoint_cursor: __, project, ...rest } = tables;
    return { export_version, ...rest, settings: { enabled: true, ...project[0].settings } };
  };
  const importing = async (...args: readonly string[]) => Object(await quickJson('project', 'import', ...args));
  const refusedImport = async (text: string | Buffer, ...args: readonly string[]) => {
    const bad = join(data, 'bad.json');
    writeFileSync(bad, text);
    const { code, stderr } = await here(['project', 'import', bad, ...args, '--data', data]);
    expect(code).toBe(1);
    return stderr;
  };

  test('holds what authors and players have, every digit of it, and is replaced only with --force', async () => {
    await ok(game.manage('PUT', game.definitions('collections'), { body: [SLOTS] }));
    await ok(game.manage('PUT', game.definitions('settings'), { body: { strictSaveVersion: true } }));
    await ok(game.manage('PUT', game.definitions('tests'), { body: [{ id: 't1', endpoint: 'buy', input: {} }] }));
    const { recordId } = Object((await ok(game.play('POST', game.storage(`slots/${PLAYER}/records`), { body: { recordName: 'Ä' } }))).body);
    await ok(game.play('POST', game.storage(`slots/${PLAYER}_${recordId}`), { raw: '{"id64":76561198000000001,"10":1,"a":1.10}' }));
    for (const text of ['first', 'second', 'third']) await ok(game.manage('POST', game.storage('feed/append'), { body: { text } }));
    await quick('page', 'put', game.projectId, 'news', '--title', 'News', '--file', pageFile());
    await ok(game.manage('PUT', game.definitions('collections'), { body: [{ ...SLOTS, id: 'gone' }] }));
    await ok(game.play('POST', game.storage(`gone/${PLAYER}`), { body: { n: 1 } }));
    await ok(game.manage('DELETE', game.definitions('collections/gone')));
    const { stdout, stderr } = await savepoint(['project', 'export', 'Demo', '--out', file, '--json', '--data', data]);
    expect(stderr).toBe('Note: not in it: 1 document of gone, a collection that has no definition any more.\n');
    expect(JSON.parse(stdout)).toMatchObject({
      projectId: game.projectId,
      file,
      leftOut: { gone: 1 },
      counts: { collections: 8, global_records: 3, save_records: 1, pages: 1 },
    });
    expect(readFileSync(file, 'utf8')).toContain('"id64":76561198000000001,');
    expect(JSON.parse(readFileSync(file, 'utf8')).tables.rate_limit_rules[0].definition_json).toMatchObject([
      expect.not.objectContaining({ _since: expect.anything() }),
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await outcome('project', 'export', game.projectId, '--out', file)).said).toContain('--force');
    expect((await outcome('project', 'export', game.projectId, '--out', data, '--force')).said).toContain('is not a file');
    expect(await quick('project', 'export', game.projectId, '--out', file, '--force')).toContain('8 collections');
    const refused = await here(['project', 'export', 'nobody', '--out', join(data, 'no.json'), '--data', data, '--json']);
    expect(refused.stderr).toContain('NOT_FOUND');
    expect(JSON.parse(refused.stdout)).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    const misused = await here(['project', 'export', '--json']);
    expect([misused.code, JSON.parse(misused.stdout).error.code]).toEqual([2, 'USAGE']);
    expect(readdirSync(data).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('an export that is interrupted leaves nothing beside it', async () => {
    const parts = () => readdirSync(data).filter((name) => name.endsWith('.part'));
    await database.query('BEGIN; LOCK TABLE savepoint.documents IN ACCESS EXCLUSIVE MODE');
    const exporting = run(['project', 'export', 'Demo', '--out', join(data, 'cut.json'), '--data', data]);
    await eventually('it is under way', async () => parts().length === 1);
    exporting.child.kill('SIGTERM');
    expect(await exporting.ended).toMatchObject({ code: 143, stderr: '' });
    await database.query('ROLLBACK');
    expect(parts()).toEqual([]);
  });

  test('makes a project that is the same, and that the game’s old key works with', async () => {
    const made = await importing(file, '--as-new', 'Twin', '--enable-keys');
    expect(made.written).toMatchObject({ saveRecords: 1, pages: 1 });
    const twin = join(data, 'twin.json');
    await quick('project', 'export', 'Twin', '--out', twin);
    expect(contentOf(twin)).toEqual(contentOf(file));
    const other = createClient(node.url, { ...made, publicKey: game.publicKey });
    expect((await ok(other.play('GET', other.storage(`players/${PLAYER}`)))).body).toMatchObject({ name: 'Ada', gold: 25 });
    const { entries } = Object((await ok(other.play('GET', other.storage(`players/${PLAYER}/ledger`)))).body);
    expect(entries).toMatchObject([{ field: 'gold', before: 0, after: 25, source: 'import' }]);
    const { records } = Object((await ok(other.play('GET', other.storage('feed/list')))).body);
    expect(records.map(({ text }: { text: string }) => text)).toEqual(['third', 'second', 'first']);
    expect((await ok(other.play('GET', other.storage(`slots/${PLAYER}/records`)))).body).toMatchObject({ records: [{ recordName: 'Ä' }] });
    await ok(other.play('POST', other.endpoint('buy'), { body: { item: 'axe' } }));
    other.close();
  });

  test('brings keys that work nowhere unless that is asked for, and a preview lists them', async () => {
    const isHeld = expect.arrayContaining([expect.objectContaining({ kind: 'public', display: game.publicKey, enabled: false })]);
    expect(await importing(file, '--as-new', 'Theirs', '--preview')).toMatchObject({ written: null, keys: isHeld });
    const made = await importing(file, '--as-new', 'Theirs');
    expect(made.keys).toEqual(isHeld);
    const theirs = createClient(node.url, { ...made, publicKey: game.publicKey });
    expect(await refused(theirs.play('GET', theirs.storage(`players/${PLAYER}`)))).toBe('403 KEY_DISABLED');
    theirs.close();
  });

  test('is laid over a project: previewed, replaced, left or copied, and done again without effect', async () => {
    const { projectId, ...keys } = Object(await quickJson('project', 'create', 'Laid over'));
    const other = createClient(node.url, { projectId, publicKey: keys.publicKey, secretKey: keys.secretKey });
    await ok(other.manage('PUT', other.definitions('collections'), { body: [{ ...SLOTS, maxRecords: 1 }] }));
    await ok(other.manage('POST', other.storage(`slots/${PLAYER}`), { body: { mine: 1 } }));
    const stored = async (route: string) => Object((await ok(other.manage('GET', other.definitions(route)))).body).data;
    const slots = async () => (await stored('collections')).find(({ id }: { id: string }) => id === 'slots');

    const preview = await importing(file, '--into', projectId, '--preview');
    expect(preview).toMatchObject({ projectId, written: null });
    const collections = preview.tables.find(({ table }: { table: string }) => table === 'collections');
    expect(collections).toMatchObject({ incomingCount: 8, existingCount: 1, conflictCount: 1, newCount: 7, conflicts: [{ id: 'slots' }] });
    expect((await slots()).maxRecords).toBe(1);

    const odd = join(data, 'odd.json');
    writeFileSync(odd, '{"project_id":"p","export_version":1,"tables":{"quests":[{},{}],"maps":{"a":{"b":1}},"pages":[],"records":null}}');
    const { code, stderr } = await here(['project', 'import', odd, '--into', projectId, '--data', data]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/tables\.quests, .*\n.*tables\.maps, /) });

    await importing(file, '--into', projectId, '--on-conflict', 'skip');
    expect((await slots()).maxRecords).toBe(1);
    await importing(file, '--into', projectId);
    expect((await slots()).maxRecords).toBe(3);
    expect((await importing(file, '--into', projectId)).written).toEqual({
      definitions: 0,
      documents: 0,
      saveRecords: 0,
      keys: 0,
      pages: 1,
      unfollowed: { count: 0, first: [] },
    });
    expect((await ok(other.manage('GET', other.storage(`slots/${PLAYER}`)))).body).toEqual({ mine: 1 });

    await importing(file, '--into', projectId, '--on-conflict', 'copy');
    const copies = (await stored('queries')).filter(({ name }: { name: string }) => name === 'Top (copy)');
    const [copy] = copies;
    expect(copies.length).toBe(1);
    expect(copy.id).toMatch(/^[0-9a-f]{16}$/);
    const followed = (await stored('collections')).find(({ id }: { id: string }) => id === copy.sources[0].collectionId);
    expect(followed).toMatchObject({ name: 'scores (copy)' });
    other.close();
  });

  test('brings rules as old as those that are there: what deleted ones had counted went with them', async () => {
    const { projectId, ...keys } = Object(await quickJson('project', 'create', 'Ruled'));
    const other = createClient(node.url, { projectId, publicKey: keys.publicKey, secretKey: keys.secretKey });
    const [rules, ruled] = [other.definitions('rate-limit-rules'), join(data, 'ruled.json')];
    await ok(other.manage('PUT', other.definitions('collections'), { body: [SLOTS] }));
    await ok(other.manage('PUT', rules, { body: [{ collection: 'slots', field: 'gold', maxPerDay: 5 }] }));
    const save = async (gold: number) => (await other.play('POST', other.storage(`slots/${PLAYER}`), { body: { gold } })).status;
    expect([await save(5), await save(6)]).toEqual([200, 429]);
    await quick('project', 'export', projectId, '--out', ruled);
    await importing(ruled, '--into', projectId);
    expect(await save(6)).toBe(429);
    await ok(other.manage('DELETE', rules));
    await importing(ruled, '--into', projectId);
    expect(await save(6)).toBe(200);
    expect((await importing(ruled, '--into', projectId)).written).toMatchObject({ definitions: 0 });
    other.close();
  });

  test('takes numbers that no ledger can follow as they are, and names them', async () => {
    const counted = { type: 'object', properties: {}, additionalProperties: { type: 'number', _ledger: true } };
    const wallets = { id: 'wallets', name: 'wallets', definition_json: { id: 'wallets', name: 'wallets', schema: counted } };
    const rows = [{ gold: 5 }, { 'war.chest': 7 }].map((document, index) => ({ record_key: `p${index}`, definition_json: document }));
    const held = join(data, 'held.json');
    const tables = { collections: [wallets], records: { wallets: rows } };
    writeFileSync(held, JSON.stringify({ project_id: 'p', export_version: 1, tables }));
    const { unfollowed } = (await importing(held, '--as-new', 'Held')).written;
    expect(unfollowed).toEqual({
      count: 1,
      first: [{ collection: 'wallets', key: 'p1', message: expect.stringContaining('"war.chest"') }],
    });
    expect(await quick('project', 'import', held, '--into', 'Held')).toMatch(/in 1 document;.*\n {2}wallets\/p1: the ledger cannot follow/);
  });

  test('brings players with many save records and many coins, though each of these is stored by itself', async () => {
    const coins = { type: 'object', additionalProperties: { type: 'number', _ledger: true } };
    const collection = { id: 'saves', collectionType: 'per-platformid', maxRecords: 50, schema: { coins } };
    const each = <T>(length: number, make: (place: number) => T) => Array.from({ length }, (_, place) => make(place));
    const owned = { coins: Object.fromEntries(each(60, (place) => [`coin${place}`, 1])) };
    const slots = each(50, (place) => ({ recordId: `r${place}`, recordName: `Camp ${place}` }));
    const tables = {
      collections: [{ collection_id: 'saves', definition_json: collection }],
      records: { saves: each(100, (player) => ({ record_key: `p${player}`, definition_json: owned })) },
      save_records: { saves: each(40, (player) => ({ platform_id: `p${player}`, records: slots })) },
    };
    const held = join(data, 'many.json');
    writeFileSync(held, JSON.stringify({ project_id: 'p', export_version: 1, tables }));
    expect((await importing(held, '--as-new', 'Many')).written).toMatchObject({ documents: 100, saveRecords: 2000 });
  });

  test('that is none, or names what is not there, is refused before anything is made', async () => {
    const before = await count('projects');
    expect(await refusedImport('{"export_version":1,"tables":{}}', '--as-new')).toContain('no project_id');
    expect(await refusedImport('{"project_id":"p","tables":{}}', '--as-new')).toContain('no export_version');
    expect(await refusedImport('{"project_id":"p","export_version":9,"tables":{}}', '--as-new')).toContain('export_version 9');
    expect(await refusedImport('{"project_id":"p","export_version":1}', '--as-new')).toContain('no tables');
    expect(await refusedImport('{"project_id":"p","export_version":1,"tables":{"endpoints":[{}]}}', '--as-new')).toContain(
      'tables.endpoints[0]',
    );
    expect(await refusedImport('{"project_id":"p","export_version":1,"tables":{"records":{"x":[{}]}}}', '--as-new')).toContain('records.x');
    for (const tables of [
      '{"pages":"x"}',
      '{"endpoints":{"a":1}}',
      '{"records":[{}]}',
      '{"records":{"slots":{"a":1}}}',
      '{"game_values":7}',
    ]) {
      const said = await refusedImport(`{"project_id":"p","export_version":1,"tables":${tables}}`, '--as-new');
      expect(said, tables).toContain('it is no list of rows');
    }
    expect(await refusedImport('{"project_id":', '--as-new')).toContain('no JSON project export');
    expect(await refusedImport('no JSON', '--as-new')).toMatch(/[^ :] cannot be read/);
    expect(await refusedImport(Buffer.from([...Buffer.from('{"project_id":"'), 0xff]), '--as-new')).toContain('not UTF-8');
    expect(await here(['project', 'import', join(data, 'bad.json'), '--data', data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--as-new'),
    });
    expect(await refusedImport('{"project_id":"p","export_version":1,"tables":{}}', '--into', 'nobody')).toContain('NOT_FOUND');
    expect(await count('projects')).toBe(before);
  });
});

describe('without a node', () => {
  test('a command starts the database and stops it again, also when nobody reads what it prints; what it made is there for the next node', async () => {
    await database.end();
    await node.stop();
    const made = parseCredentials(await json('project', 'create', 'Alone'));
    expect(Object(await json('db', 'url'))).toMatchObject({ running: false });
    expect(await outcome('verify')).toMatchObject({ code: 0 });
    const cut = run(['log', 'tail', '-n', '100', '--json', '--data', data]);
    cut.child.stdout?.destroy();
    expect(await cut.ended).toMatchObject({ code: 0, stderr: '' });
    expect(Object(await json('db', 'url'))).toMatchObject({ running: false });
    node = await startNode(data);
    const alone = createClient(node.url, made);
    await ok(alone.manage('GET', alone.definitions('validate')));
    alone.close();
    game.close();
    game = createClient(node.url, demoCredentials(data));
    expect(Object((await ok(game.play('GET', game.storage(`players/${PLAYER}`)))).body)).toMatchObject({ name: 'Ada', gold: 25 });
  });
});
