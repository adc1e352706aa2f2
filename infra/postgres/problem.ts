/**
 * A problem of the embedded database that its operator can solve. The message says what is wrong, where, and what to do. It is shown
 * without a stack, because the place in our code does not help.
 */
export class DatabaseProblem extends Error {
  override readonly name = 'DatabaseProblem';

  constructor(what: string, cure: string) {
    super(`${what}\n${cure}`);
  }
}

/** The code of a system error (`ENOENT`), or `null` for anything else thrown. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

const CURES: Readonly<Record<string, string>> = {
  EACCES: 'Give this user the folder (chown -R), start as its owner, or choose another one with --data.',
  EPERM: 'Give this user the folder (chown -R), start as its owner, or choose another one with --data.',
  EROFS: 'The file system is read-only: choose a folder on a writable one with --data.',
  ENOSPC: 'The disk is full: free some space and start again; nothing that was committed is lost.',
  EDQUOT: 'The disk quota is used up: free some space and start again; nothing that was committed is lost.',
  ENOTDIR: 'A part of this path is a file: choose another folder with --data.',
  EEXIST: 'There is a file of this name: choose another folder with --data.',
  ENOTEMPTY: 'Move what lies there out of the way, or choose another folder with --data.',
};

/** Turns a file-system error into a problem that says what to do. Anything else is returned as it is. */
export function asProblem(error: unknown, doing: string, path: string): unknown {
  const code = systemCode(error);
  const cure = code === null ? undefined : CURES[code];
  if (cure === undefined) return error;
  return new DatabaseProblem(`Could not ${doing} ${path} (${code}).`, cure);
}
