import { expect, test, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { VERSION } from '../../src/version.ts';
import { here } from './support/command-line.ts';
import { newFolder, removeFolders, run, savepoint } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** What needs no database. The arguments are tried in this process; that a real process ends in the same way is tried on a few. */

const program = await createProgram();

function pathsOf(): readonly (readonly string[])[] {
  const paths = (command: typeof program, above: readonly string[]): (readonly string[])[] =>
    command.commands.flatMap((child) => [[...above, child.name()], ...paths(child, [...above, child.name()])]);
  return [[], ...paths(program, [])];
}

test('every command has help that ends well and tells of --json, and of --data or the folder of the game', async () => {
  expect(pathsOf().map((path) => path.join(' '))).toEqual(
    expect.arrayContaining(['start', 'project create', 'project list', 'project delete', 'key create', 'key list', 'key revoke']),
  );
  expect(pathsOf().map((path) => path.join(' '))).toEqual(
    expect.arrayContaining(['key permissions', 'migrate', 'rebuild', 'verify', 'log tail', 'log stats', 'log anchor', 'db url']),
  );
  for (const path of pathsOf()) {
    const { code, stdout: printed } = await here([...path, '--help']);
    expect([path, code]).toEqual([path, 0]);
    expect(printed).toContain(`Usage: ${['savepoint', ...path].join(' ')}`);
    // A completion script is for a shell alone.
    if (printed.includes('Commands:') || path[0] === 'completion') continue;
    expect([path, printed]).toEqual([path, expect.stringMatching(/--(?:data|dir) </)]);
    expect([path, printed]).toEqual([path, expect.stringContaining('--json')]);
  }
});

test.each([
  [[]],
  [['fly']],
  [['project']],
  [['project', 'create']],
  [['key', 'revoke', 'p']],
  [['verify', '--fast']],
  [['start', '--port']],
  [['log', 'tail', 'much']],
])('wrong usage: savepoint %j', async (words) => {
  expect(await here(words)).toMatchObject({ code: 2, stdout: '' });
});

test.each([
  [['project', 'delete', 'p'], /--yes/],
  [['project', 'settings', 'p', '--set', 'speed=5'], /There is no setting 'speed'. The settings are name,/],
  [['project', 'settings', 'p', '--set', 'enabled'], /NAME=VALUE/],
  [['project', 'settings', 'p', '--set', 'guestSingIn=true'], /Did you mean 'guestSignIn'\?/],
  [['project', 'quotas', 'p', '--set', 'docments=5'], /Did you mean 'documents'\?/],
  [['project', 'quotas', 'p', '--set', 'speed=5'], /There is no quota 'speed'. The quotas are /],
  [['rebuild', 'nothing'], /documents/],
  [['log', 'tail', '-n', 'x'], /--limit/],
  [['log', 'tail', '--lines', '10001'], /--limit is a whole number from 0 to 10000/],
  [['log', 'tail', '--from', 'yesterday'], /2026-03-01/],
  [['jobs', 'list', '-n', '0'], /--limit/],
  [['verify', '--anchor', 'x'], /PROJECT@REVISION:HASH/],
  [['key', 'create', 'p', '--type', 'odd'], /public or secret/],
  [['key', 'create', 'p', '--permissions', '{"collections":"everything"}'], /letters of rwx/],
  [['key', 'create', 'p', '--permissions', '{"endpoint":"x"}'], /no scope endpoint; there are endpoints,/],
  [['key', 'create', 'p', '--type', 'public', '--permissions', '{"endpoints":"x"}'], /A public key has no permissions/],
  [['key', 'permissions', 'p', 'k', 'x'], /must be JSON/],
  [['key', 'permissions', 'p', 'k', '{"values":"rw"}'], /no scope values; /],
  [['key', 'permissions', 'p', 'k'], /--enable/],
  [['key', 'permissions', 'p', 'k', 'null', '--add', '{"players":"r"}'], /one of/],
  [['key', 'permissions', 'p', 'k', '--enable', '--disable'], /one of/],
])('refused before any database is touched: savepoint %j', async (words, says) => {
  const { code, stderr } = await here([...words, '--data', '/nowhere/at/all']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
});

test('the process ends with 0 after help and version, 2 after wrong usage, 1 after a refusal, which goes to standard error and with --json to a program', async () => {
  expect(await savepoint(['--version'])).toMatchObject({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  expect(await savepoint(['key', 'create', '--help'])).toMatchObject({ code: 0, stderr: '' });
  expect(await savepoint(['fly'])).toMatchObject({ code: 2, stdout: '' });
  const data = newFolder();
  const none = await savepoint(['db', 'url', '--json', '--data', data]);
  removeFolders();
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('savepoint start') });
  expect(JSON.parse(none.stdout)).toEqual({ ok: false, error: { code: 'NOT_FOUND', message: expect.stringContaining('savepoint start') } });
});

test('a reader that stops before the end of the output, as `| head` does, ends a command without a word', async () => {
  const help = run(['--help']);
  help.child.stdout?.destroy();
  expect(await help.ended).toMatchObject({ code: 0, stderr: '' });
});
