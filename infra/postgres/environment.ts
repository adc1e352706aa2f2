import type { Account } from './account.ts';

/**
 * The path under which Postgres and initdb find the cluster. It is their working folder, which they enter while they are still root. An
 * account that may not pass through the folders above it (a checkout in /root, mode 700) still finds it through Linux's link to the working
 * folder. On other systems, and for our own account, it is the path itself.
 */
export function pathForPostgres(account: Account | null, path: string): string {
  return account !== null && process.platform === 'linux' ? '/proc/self/cwd' : path;
}

/**
 * Our environment without the variables that would change what Postgres does (PGDATA, PGPORT …), and with one language and one time zone
 * everywhere.
 */
export function childEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG|TZ$|NODE_|npm_|DATABASE_URL$)/i.test(name));
  // macOS: without LC_ALL a system library starts threads, and the postmaster refuses to run.
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}
