import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { here } from '../node/support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'savepoint-one-place-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A command line for each command that takes `--data`, with a word for each argument that it demands. */
function withData(command: Command, path: readonly string[] = []): readonly (readonly string[])[] {
  return command.commands.flatMap((each) => {
    const words = [...path, each.name()];
    const needed = each.registeredArguments.filter(({ required }) => required).map(() => 'x');
    const options = each.options
      .filter(({ mandatory }) => mandatory)
      .flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']);
    const own = each.options.some(({ long }) => long === '--data') ? [[...words, ...needed, ...options]] : [];
    return [...own, ...withData(each, words)];
  });
}

const lines = withData(await createProgram());
const env = { DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/live' };

test.each(lines.map((words) => [words.join(' '), words] as const))(
  '`%s --data DIR` beside DATABASE_URL is refused: it would use the other database',
  async (_, words) => {
    const { code, stderr, stdout } = await here([...words, '--data', join(folder, 'restored')], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      `--data names the database in ${join(folder, 'restored')}, and DATABASE_URL another one (postgres://me:***@127.0.0.1:1/live)`,
    );
    expect(stderr).toContain('env -u DATABASE_URL');
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('there are such commands', () => {
  expect(lines.map(([word]) => word)).toEqual(
    expect.arrayContaining(['start', 'verify', 'rebuild', 'log', 'db', 'doctor', 'project', 'test']),
  );
});

test('an empty DATABASE_URL is none', async () => {
  const { code, stderr } = await here(['verify', '--data', join(folder, 'none')], { env: { DATABASE_URL: ' ' } });
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no installation in')]);
});

test.each(['--from', '--to'])(
  '`log copy --data DIR %s file:…` beside EVENTSTORE_URL is refused: the log would be the other one',
  async (end) => {
    const { code, stderr } = await here(['log', 'copy', '--data', join(folder, 'restored'), end, `file:${join(folder, 'log.ndjson.gz')}`], {
      env: { EVENTSTORE_URL: 'esdb://me:hidden@127.0.0.1:1?tls=false' },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('EVENTSTORE_URL another one (esdb://me:***@127.0.0.1:1)')]);
    expect(readdirSync(folder)).toEqual([]);
  },
);
