import type { Account } from './account.ts';

/**
 * How Postgres and initdb are told where the cluster is. They are started with it as their working folder, which root enters for
 * them; an account that may not pass through the folders above it (a checkout in /root, mode 700) finds it there all the same, by
 * the link that Linux keeps to it. Elsewhere, and when nobody's rights change, the path itself does.
 */
export function pathForPostgres(account: Account | null, path: string): string {
  return account !== null && process.platform === 'linux' ? '/proc/self/cwd' : path;
}

/** Our environment without what would change Postgres behind our back (PGDATA, PGPORT …); one language and one clock everywhere. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG|TZ$|NODE_|npm_|DATABASE_URL$)/i.test(name));
  // macOS: without LC_ALL a system library starts threads, and the postmaster refuses to run.
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}
