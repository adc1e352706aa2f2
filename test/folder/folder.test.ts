import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askingAt, serverAccessOf } from '../../src/folder/credentials.ts';
import { findProject, readProjectFile } from '../../src/folder/project-file.ts';
import { readFolder } from '../../src/folder/sources.ts';
import { forgetPerson, keepPerson, keepUserKeys } from '../../src/folder/user-file.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'folder-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

const read = () => readFolder(dir).sources.map(({ kind, id, path, pointer, problem }) => ({ kind, id, path, pointer, problem }));

describe('the sources of a folder', () => {
  it('include all of the example game', () => {
    const { sources, unrecognized } = readFolder(resolve(import.meta.dirname, '../../infra/demo/game'));
    expect(unrecognized).toEqual([]);
    expect(sources.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(sources.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'workflow charge',
      'endpoint chop-wood',
      'endpoint close-market',
      'test pays-for-an-axe',
      'collection players',
      'query richest',
      'rate-limit-rules *',
      'endpoint sell-wood',
      'endpoint starter-pack',
      'test starting-purse',
      'test too-poor-for-an-axe',
      'collection town',
      'endpoint upgrade-axe',
      'game-values *',
    ]);
    expect(sources.find(({ id }) => id === 'players')?.resource).toMatchObject({ collectionType: 'per-platformid', maxRecords: 1 });
  });

  it('may be in any subfolder, as YAML or JSON, but not in hidden folders and packages', () => {
    write('a/b/heroes.collection.json', '{"kind": "collection", "id": "heroes"}');
    write('tests/buys.test.yaml', 'endpoint: buy\n');
    write('node_modules/x/y.collection.yml', 'id: y\n');
    write('.git/z.collection.yml', 'id: z\n');
    expect(read()).toMatchObject([
      { kind: 'collection', id: 'heroes', path: 'a/b/heroes.collection.json' },
      { kind: 'test', id: 'buys', path: 'tests/buys.test.yaml' },
    ]);
  });

  it('may be several in a list, each with its place in the file', () => {
    write('queries.yml', 'queries:\n  - id: richest\n  - id: poorest\n');
    expect(read()).toMatchObject([
      { id: 'richest', pointer: '/queries/0' },
      { id: 'poorest', pointer: '/queries/1' },
    ]);
  });

  it('are read also if one of them cannot be, which is reported with reason and place', () => {
    write('buy.endpoint.yml', 'id: buy\nsteps:\n  - a: [1\n');
    write('values.json', '{"items": [,]}');
    write('heroes.collection.yml', 'id: heroes\n');
    expect(read()).toMatchObject([
      { id: 'buy', problem: { code: 'INVALID_YAML', line: 4, column: 1 } },
      { id: 'heroes', problem: null },
      { id: '*', problem: { code: 'INVALID_JSON' } },
    ]);
  });

  it('exclude a file with a misspelt kind, with a note, and other files without', () => {
    write('buy.endpont.yml', 'id: buy\n');
    write('notes.yml', 'a: 1\n');
    write('ruels.yml', 'rules: []\n');
    write('package.json', '{}');
    expect(readFolder(dir).unrecognized).toMatchObject([
      { path: 'buy.endpont.yml', hint: expect.stringContaining('buy.endpoint.yml') },
      { path: 'notes.yml' },
      { path: 'ruels.yml', hint: 'Did you mean rules.yml?' },
    ]);
  });

  it('are regular files: a pipe, a device, a link to nothing and a huge file are findings, and the command waits for none of them', () => {
    execFileSync('mkfifo', [join(dir, 'pipe.endpoint.yml')]);
    symlinkSync('/dev/zero', join(dir, 'device.endpoint.yml'));
    symlinkSync('nowhere', join(dir, 'dangling.endpoint.yml'));
    symlinkSync('loop.endpoint.yml', join(dir, 'loop.endpoint.yml'));
    writeFileSync(join(dir, 'huge.endpoint.yml'), '');
    truncateSync(join(dir, 'huge.endpoint.yml'), 5 * 1024 ** 3);
    expect(read().map(({ path, problem }) => [path, problem?.message])).toEqual([
      ['dangling.endpoint.yml', expect.stringContaining('does not exist')],
      ['device.endpoint.yml', expect.stringContaining('a device')],
      ['huge.endpoint.yml', expect.stringContaining('larger than')],
      ['loop.endpoint.yml', expect.stringContaining('back to itself')],
      ['pipe.endpoint.yml', expect.stringContaining('a pipe')],
    ]);
  });

  it('may be links to regular files', () => {
    write('there.txt', 'id: buy\n');
    symlinkSync('there.txt', join(dir, 'buy.endpoint.yml'));
    expect(read()).toMatchObject([{ id: 'buy', path: 'buy.endpoint.yml' }]);
  });

  it('are not looked for behind a link to a folder, which is refused: passed over, `push --prune` removed what lay behind it', () => {
    mkdirSync(join(dir, 'folder'));
    symlinkSync('folder', join(dir, '.kept'));
    expect(read()).toEqual([]);
    symlinkSync('folder', join(dir, 'game'));
    expect(() => read()).toThrow('game is a link to a folder');
  });

  it('are of a project whose savepoint.json may begin with a byte order mark, as some editors write it', () => {
    write('savepoint.json', '\uFEFF{"project":"p1"}');
    expect(readProjectFile(dir)).toEqual({ project: 'p1' });
  });

  it('need a folder that exists', () => {
    expect(() => readFolder(join(dir, 'no'))).toThrow('There is no folder');
  });
});

describe('savepoint.json and keys', () => {
  const config = () => ({ XDG_CONFIG_HOME: join(dir, 'config') });

  it('are found in a parent folder', () => {
    write('savepoint.json', '{"address": "http://127.0.0.1:8080/", "project": "p1"}');
    mkdirSync(join(dir, 'a/b'), { recursive: true });
    expect(findProject(join(dir, 'a/b'))).toEqual({ dir, address: 'http://127.0.0.1:8080', project: 'p1' });
  });

  it.runIf(process.getuid?.() === 0)('are not taken from a parent folder in which another user put them', () => {
    write('savepoint.json', '{"address": "http://127.0.0.1:1", "project": "p"}');
    write('mine/heroes.collection.yml', 'id: heroes\n');
    chownSync(join(dir, 'savepoint.json'), 12_345, 12_345);
    expect(() => findProject(join(dir, 'mine'))).toThrow(expect.objectContaining({ code: 'BAD_FILE' }));
    expect(findProject(dir)).toMatchObject({ project: 'p' });
    // In a container the files of a mounted folder often belong to another user than the command's.
    chownSync(join(dir, 'mine'), 12_345, 12_345);
    expect(findProject(join(dir, 'mine'))).toMatchObject({ project: 'p' });
  });

  it('are refused with an unknown member or an invalid address', () => {
    write('savepoint.json', '{"adress": "x"}');
    expect(() => findProject(dir)).toThrow("Did you mean 'address'");
    write('savepoint.json', '{"address": "127.0.0.1:8080"}');
    expect(() => findProject(dir)).toThrow('must look like');
  });

  it('are reported if they are missing, with the places where they can be set', () => {
    expect(() => serverAccessOf({ dir: join(dir, 'nope') }, config())).toThrow(`There is no folder ${join(dir, 'nope')}.`);
    expect(() => serverAccessOf({ dir }, config())).toThrow(/No server.*savepoint init/);
    write('savepoint.json', '{"address": "https://h"}');
    expect(() => serverAccessOf({ dir }, config())).toThrow(/No project.*--project/);
    expect(() => serverAccessOf({ dir, project: 'p1' }, config())).toThrow(
      /No secret key for project p1 on https:\/\/h.*SAVEPOINT_SECRET_KEY/,
    );
  });

  it('are read from the environment, then the file, then the user’s file, and never sent to another server', () => {
    write('savepoint.json', '{"address": "https://h", "project": "p1"}');
    const path = keepUserKeys({ address: 'https://h', project: 'p1' }, { secretKey: 'of-user', publicKey: 'pub' }, config());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(serverAccessOf({ dir }, config())).toMatchObject({ secretKey: 'of-user', publicKey: 'pub' });
    write('savepoint.credentials.json', '{"url": "https://h", "projectId": "p1", "secretKey": "of-file"}');
    expect(serverAccessOf({ dir }, config()).secretKey).toBe('of-file');
    const given = { ...config(), SAVEPOINT_SECRET_KEY: 'of-env' };
    expect(serverAccessOf({ dir }, { ...given, SAVEPOINT_URL: 'https://h' }).secretKey).toBe('of-env');
    expect(serverAccessOf({ dir, address: 'https://h' }, given).secretKey).toBe('of-env');
    expect(serverAccessOf({ dir }, given).secretKey).toBe('of-file');
    expect(() => serverAccessOf({ dir, address: 'https://elsewhere' }, config())).toThrow(
      /No secret key.*logged in for p1 on https:\/\/h\./,
    );
  });

  it('give way to a person who is signed in to that server, but not to what the environment says', () => {
    write('savepoint.json', '{"address": "https://h", "project": "p1"}');
    write('savepoint.credentials.json', '{"url": "https://h", "projectId": "p1", "secretKey": "of-file"}');
    const ada = { console: 'https://console.h', name: 'ada', token: 'sp_person_t' };
    const path = keepPerson('https://h', ada, config());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const access = serverAccessOf({ dir }, config());
    expect([access.person, access.secretKey]).toEqual([ada, '']);
    expect(askingAt(access)).toEqual({ origin: 'https://console.h', headers: { 'x-person-token': 'sp_person_t' } });
    const given = { ...config(), SAVEPOINT_SECRET_KEY: 'of-env', SAVEPOINT_URL: 'https://h' };
    expect(serverAccessOf({ dir }, given)).toMatchObject({ secretKey: 'of-env' });
    expect(serverAccessOf({ dir }, given).person).toBeUndefined();
    expect(() => serverAccessOf({ dir, address: 'https://elsewhere' }, config())).toThrow(/No secret key/);
    forgetPerson('https://h', config());
    expect(serverAccessOf({ dir }, config()).secretKey).toBe('of-file');
  });

  it('are read over a byte order mark, in the file of the folder and in that of the user', () => {
    write('savepoint.json', '\uFEFF{"address": "https://h", "project": "p1"}');
    write('config/savepoint/credentials.json', '\uFEFF{"https://h": {"p1": {"secretKey": "of-user"}}}');
    expect(serverAccessOf({ dir }, config()).secretKey).toBe('of-user');
    write('savepoint.credentials.json', '\uFEFF{"url": "https://h", "secretKey": "of-file"}');
    expect(serverAccessOf({ dir }, config()).secretKey).toBe('of-file');
  });

  it('that name no address are sent where the user says, or to this machine, and never where a commit points', () => {
    write('savepoint.json', '{"address": "https://evil.example", "project": "p1"}');
    write('savepoint.credentials.json', '{"secretKey": "of-file"}');
    const env = { ...config(), SAVEPOINT_SECRET_KEY: 'of-env' };
    for (const each of [config(), env]) expect(() => serverAccessOf({ dir }, each)).toThrow(/A key is there that names no address/);
    expect(serverAccessOf({ dir, address: 'https://h' }, config()).secretKey).toBe('of-file');
    write('savepoint.json', '{"address": "http://127.0.0.1:8080", "project": "p1"}');
    expect(serverAccessOf({ dir }, config()).secretKey).toBe('of-file');
    expect(serverAccessOf({ dir }, env).secretKey).toBe('of-env');
  });

  it('are sent over https:, or to this machine', () => {
    write('savepoint.json', '{"project": "p1"}');
    const env = { ...config(), SAVEPOINT_SECRET_KEY: 'of-env' };
    for (const address of ['http://h', 'http://10.0.0.1:8080', 'http://127.example'])
      expect(() => serverAccessOf({ dir, address }, env)).toThrow('is not encrypted');
    for (const address of ['https://h', 'http://localhost:8080', 'http://[::1]:8080', 'http://127.0.0.2'])
      expect(serverAccessOf({ dir, address }, env)).toMatchObject({ address });
  });
});
