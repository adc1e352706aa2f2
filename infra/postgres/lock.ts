import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Who holds the embedded database alone: a node, or a command that started it because no node runs. */
export type Purpose = 'node' | 'command';

export interface LockHolder {
  readonly purpose: Purpose;
  readonly pid: number;
  readonly since: Date;
}

/**
 * The right to start and stop the embedded database: an advisory lock of a session. It ends with the process, however the process ends, so
 * no lock file can be stale.
 */
export interface DatabaseLock {
  /** False once the session was lost (a crash of the server), until the lock is taken again. */
  readonly held: () => boolean;
  /** Must be called before the server is stopped: the end of the session is then expected. The lock stays until the session ends. */
  expectEnd(): void;
  release(): Promise<void>;
}

export type LockAttempt =
  | { readonly kind: 'held'; readonly lock: DatabaseLock }
  | { readonly kind: 'taken'; readonly by: LockHolder | null }
  | { readonly kind: 'wrongPassword' }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Class and object of the lock. The log and the migrations use others. */
const LOCK = [0x5a7e, 1];

/** Tries once to take the lock. If the session is lost later, calls `onError` and takes the lock again. */
export async function tryLock(url: string, purpose: Purpose, onError: (text: string) => void): Promise<LockAttempt> {
  const session = await takeSession(url, purpose);
  if (session.kind !== 'held') return session;

  let client: pg.Client | null = session.client;
  let released = false;
  const lost = () => {
    if (released || client === null) return;
    client = null;
    onError('lost the session that holds the embedded database; taking it again');
    void retake();
  };
  const retake = async () => {
    for (; !released && client === null; await sleep(250, undefined, { ref: false })) {
      const again = await takeSession(url, purpose);
      if (again.kind !== 'held') continue;
      client = again.client;
      client.once('end', lost);
      if (released) await endQuietly(client);
    }
  };
  client.once('end', lost);
  const expectEnd = () => {
    released = true;
  };
  const release = async () => {
    released = true;
    if (client !== null) await endQuietly(client);
  };
  return { kind: 'held', lock: { held: () => client !== null, expectEnd, release } };
}

/** Who holds the database at this address; `null` for nobody, or when the server does not answer. */
export async function findLockHolder(url: string): Promise<LockHolder | null> {
  const client = newClient(url, 'savepoint look');
  try {
    await client.connect();
    return await readHolder(client);
  } catch {
    return null;
  } finally {
    await endQuietly(client);
  }
}

type Session =
  | { readonly kind: 'held'; readonly client: pg.Client }
  | { readonly kind: 'taken'; readonly by: LockHolder | null }
  | { readonly kind: 'wrongPassword' }
  | { readonly kind: 'unreachable'; readonly reason: string };

async function takeSession(url: string, purpose: Purpose): Promise<Session> {
  const client = newClient(url, `savepoint ${purpose} ${process.pid}`);
  try {
    await client.connect();
    const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS held', LOCK);
    if (rows[0]?.held === true) return { kind: 'held', client };
    const by = await readHolder(client);
    await endQuietly(client);
    return { kind: 'taken', by };
  } catch (error) {
    await endQuietly(client);
    if (error instanceof pg.DatabaseError && error.code === '28P01') return { kind: 'wrongPassword' };
    return { kind: 'unreachable', reason: error instanceof Error ? error.message : String(error) };
  }
}

async function readHolder(client: pg.Client): Promise<LockHolder | null> {
  const { rows } = await client.query<{ application_name: string; backend_start: Date }>(
    `SELECT a.application_name, a.backend_start
       FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1 AND l.objid = $2 AND l.objsubid = 2`,
    LOCK,
  );
  const row = rows[0];
  const [, purpose, pid] = row === undefined ? [] : (/^savepoint (node|command) (\d+)$/.exec(row.application_name) ?? []);
  if (row === undefined || purpose === undefined) return null;
  return { purpose: purpose === 'node' ? 'node' : 'command', pid: Number(pid), since: row.backend_start };
}

function newClient(url: string, name: string): pg.Client {
  const client = new pg.Client({ connectionString: url, application_name: name, connectionTimeoutMillis: 5_000, keepAlive: true });
  // Without a listener a lost connection would end the process. The event `end` follows, and is handled.
  client.on('error', () => undefined);
  return client;
}

async function endQuietly(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}
