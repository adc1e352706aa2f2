import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { DatabaseProblem } from './problem.ts';

/** The unprivileged account under which Postgres runs when we are root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Accounts to try, in this order, when nothing on disk says who owns the cluster. None is created, so that the machine stays as it is. */
const CANDIDATES = ['savepoint', 'postgres', '_postgres', 'nobody'];

/** Whether we are root, as which Postgres refuses to run. Always false on systems without such users. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The account that runs Postgres: `null` for our own, otherwise an unprivileged one. The owner of an existing cluster comes first, so that
 * a cluster never changes its owner. Then comes the owner of the data folder, so that `sudo` in a user's own checkout leaves nothing behind
 * that the user cannot use.
 */
export function chooseAccount(clusterOwner: Account | null, folderOwner: Account): Account | null {
  if (!isRoot()) return null;
  if (clusterOwner?.uid === 0) {
    throw new DatabaseProblem(
      'The database in the data folder belongs to root, and Postgres refuses to run as root.',
      'Give it to an unprivileged account, for example: chown -R nobody <data>/postgres',
    );
  }
  if (clusterOwner !== null) return clusterOwner;

  const known = accounts();
  if (folderOwner.uid !== 0 && [...known.values()].some((account) => account.uid === folderOwner.uid)) return folderOwner;
  for (const name of CANDIDATES) {
    const account = known.get(name);
    if (account !== undefined && account.uid !== 0) return account;
  }
  throw new DatabaseProblem(
    'Postgres refuses to run as root, and /etc/passwd has no unprivileged account for it (savepoint, postgres or nobody).',
    'Add one, start as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
  );
}

/** Throws when our user id has no name. initdb looks it up and fails without one, which is common with `docker run --user`. */
export function requireNamedUser(): void {
  if (process.getuid === undefined) return;
  try {
    userInfo();
  } catch {
    throw new DatabaseProblem(
      `User id ${process.getuid()} has no entry in /etc/passwd, and Postgres needs one to create a database.`,
      'Add an entry, start once as a user that has one (or as root), or set DATABASE_URL to a Postgres of your own.',
    );
  }
}

function accounts(): Map<string, Account> {
  const found = new Map<string, Account>();
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name === undefined || uid === undefined || gid === undefined || name.startsWith('#')) continue;
    found.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return found;
}
