import { vi } from 'vitest';
import { ownEnvironment } from '../../../infra/harness/node.ts';
import { type Credentials, parseCredentials } from '../../../infra/harness/project.ts';
import { run } from '../../../src/cli/run.ts';
import type { KeyKind, Permissions } from '../../../src/domain/events.ts';
import { DEFAULT_PERMISSIONS } from '../../../src/domain/project/permissions.ts';
import type { Ended, RunOptions } from './program.ts';

/**
 * Runs a command line in this process, because a process for each takes most of a second. It ends like the real one; what it would log is
 * not checked.
 */
export async function here(words: readonly string[], { env }: RunOptions = {}): Promise<Ended> {
  const told = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      told[name] += String(text);
      return true;
    }),
  );
  const before = { env: process.env, exitCode: process.exitCode };
  process.env = ownEnvironment(env);
  process.exitCode = undefined;
  try {
    await run(words);
    return { code: Number(process.exitCode ?? 0), signal: null, ...told };
  } finally {
    process.env = before.env;
    process.exitCode = before.exitCode;
    for (const spy of spies) spy.mockRestore();
  }
}

/** The output of a command that ends with 0. */
export async function printed(words: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await here(words, options);
  if (code !== 0) throw new Error(`savepoint ${words.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

/** Where the node keeps its log and its read models. */
export type Env = Readonly<Record<string, string>>;

export async function newProject(env: Env, name: string): Promise<Credentials> {
  return parseCredentials(JSON.parse(await printed(['project', 'create', name, '--json'], { env })));
}

/** Of a key for support, beside what keys have by themselves. */
export const SUPPORT_PERMISSIONS: Permissions = {
  ...DEFAULT_PERMISSIONS,
  players: 'rw',
  history: 'r',
  restore: 'rw',
  grant: 'rw',
  access: 'r',
};

/** Makes a key and returns it. */
export async function newApiKey(env: Env, projectId: string, permissions: Permissions = null, type: KeyKind = 'secret'): Promise<string> {
  const restricted = permissions === null ? [] : ['--permissions', JSON.stringify(permissions)];
  return JSON.parse(await printed(['key', 'create', projectId, '--type', type, ...restricted, '--json'], { env })).key;
}

/** Throws with all that `savepoint verify` finds wrong. The node may have stopped with an event that is not projected yet. */
export async function verified(env: Env): Promise<void> {
  await printed(['verify', '--wait'], { env });
}
